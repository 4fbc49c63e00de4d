#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace wordpress {

// The data about a post on which its URL depends, and other data that describes the post.
struct Post {
  std::string type, status, title, name, date;
  std::uint64_t id = 0, parent = 0;
  bool is_published = false, has_password = false;
};

using Posts = std::map<std::uint64_t, Post>;

inline constexpr int kDeepestPage = 20;  // parents may form a cycle

// The options on which URLs depend. WordPress's URLs for posts and pages depend on the option
// permalink_structure (link-template.php; get_permalink, get_page_link). Only PHP knows the URLs of
// attachments, of types that plugins add, and of structures with the tags %category% and %author%.
// These get the plain URL, from which WordPress redirects.
struct Permalinks {
  std::string home;
  std::string structure;  // plain URLs if empty
  std::uint64_t front_page = 0;

  // Returns the URL of "post", or an empty string if it is in the trash. "posts" contains the
  // ancestors of pages.
  [[nodiscard]] std::string of(const Post& post, const Posts& posts) const;

 private:
  [[nodiscard]] std::optional<std::string> of_page(const Post& page, const Posts& posts) const;
};

}  // namespace wordpress
