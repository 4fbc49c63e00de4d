#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace wordpress {

// What the URL of a post depends on, and what else is told of it.
struct Post {
  std::string type, status, title, name, date;
  std::uint64_t id = 0, parent = 0;
  bool is_published = false, has_password = false;
};

using Posts = std::map<std::uint64_t, Post>;

inline constexpr int kDeepestPage = 20;  // parents may form a cycle

// The options that URLs depend on. URLs are WordPress's (link-template.php; get_permalink,
// get_page_link) for posts by the option permalink_structure, and for pages. Only PHP knows the
// URLs of plugins' types, of attachments, and with the tags %category% and %author%: these get the
// plain URL, from which WordPress redirects.
struct Permalinks {
  std::string home;
  std::string structure;  // empty: plain URLs
  std::uint64_t front_page = 0;

  // Empty for a post in the trash. "posts" has the ancestors of pages.
  [[nodiscard]] std::string of(const Post& post, const Posts& posts) const;

 private:
  [[nodiscard]] std::optional<std::string> of_page(const Post& page, const Posts& posts) const;
};

}  // namespace wordpress
