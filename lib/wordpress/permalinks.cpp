#include "wordpress/permalinks.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace wordpress {
namespace {

// Returns whether posts with the status "status" have no permalink yet.
bool is_unfinished(std::string_view status) {
  return status == "draft" || status == "pending" || status == "auto-draft" || status == "future";
}

// Replaces the tags in a permalink structure with the post's values. Returns nothing if only PHP
// can replace a tag. "date" is a date in the database's format.
std::optional<std::string> fill_in(const std::string& structure, const std::string& date,
                                   const std::string& name, std::uint64_t id) {
  const auto part = [&](std::size_t begin, std::size_t size) {
    return date.size() >= begin + size ? date.substr(begin, size) : std::string();
  };
  const std::pair<std::string_view, std::string> tags[] = {
      {"%year%", part(0, 4)},
      {"%monthnum%", part(5, 2)},
      {"%day%", part(8, 2)},
      {"%hour%", part(11, 2)},
      {"%minute%", part(14, 2)},
      {"%second%", part(17, 2)},
      {"%post_id%", std::to_string(id)},
      {"%postname%", name},
  };
  std::string path;
  std::string_view rest = structure;
  while (!rest.empty()) {
    const auto* const found =
        std::ranges::find_if(tags, [&](const auto& tag) { return rest.starts_with(tag.first); });
    if (found != std::end(tags)) {
      if (found->second.empty()) return std::nullopt;
      path += found->second;
      rest.remove_prefix(found->first.size());
      continue;
    }
    // A '%' that does not belong to a known tag begins a tag that only PHP can replace.
    if (rest.front() == '%') return std::nullopt;
    path += rest.front();
    rest.remove_prefix(1);
  }
  return path;
}

}  // namespace

std::string Permalinks::of(const Post& post, const Posts& posts) const {
  if (post.status == "trash") return {};
  if (post.type == "page" && post.id == front_page) return home + "/";
  const std::string id = std::to_string(post.id);
  if (post.type == "attachment") return home + "/?attachment_id=" + id;
  if (post.type == "page") return of_page(post, posts).value_or(home + "/?page_id=" + id);
  if (post.type != "post") return home + "/?post_type=" + post.type + "&p=" + id;
  if (!structure.empty() && !is_unfinished(post.status)) {
    if (const auto path = fill_in(structure, post.date, post.name, post.id)) return home + *path;
  }
  return home + "/?p=" + id;
}

std::optional<std::string> Permalinks::of_page(const Post& page, const Posts& posts) const {
  if (structure.empty() || is_unfinished(page.status) || page.name.empty()) return std::nullopt;
  std::string path = page.name;
  const Post* below = &page;
  for (int depth = 0; below->parent != 0 && depth < kDeepestPage; ++depth) {
    const auto parent = posts.find(below->parent);
    if (parent == posts.end() || parent->second.name.empty()) break;
    below = &parent->second;
    path = below->name + "/" + path;
  }
  const bool has_index = structure.starts_with("/index.php/");
  return home + (has_index ? "/index.php/" : "/") + path + (structure.ends_with('/') ? "/" : "");
}

}  // namespace wordpress
