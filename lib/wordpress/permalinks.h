#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace wordpress {

// The data that determine a post's URL, and other data that describe the post.
struct Post {
  std::string type, status, title, name, date;
  std::uint64_t id = 0, parent = 0;
  bool is_published = false, has_password = false;
};

using Posts = std::map<std::uint64_t, Post>;

inline constexpr int kDeepestPage = 20;  // parents may form a cycle

// The options that determine URLs. WordPress's URLs for posts and pages depend on the option
// permalink_structure (link-template.php; get_permalink, get_page_link). Only PHP knows the URLs of
// attachments, of types that plugins add, and of structures with the tags %category% and %author%.
// For these posts, the plain URL is used, which WordPress redirects.
struct Permalinks {
  std::string home;
  std::string structure;  // empty for plain URLs
  std::uint64_t front_page = 0;

  // Returns the URL of "post", or an empty string if the post is in the trash. "posts" contains the
  // pages' ancestors.
  [[nodiscard]] std::string of(const Post& post, const Posts& posts) const;

 private:
  [[nodiscard]] std::optional<std::string> of_page(const Post& page, const Posts& posts) const;
};

}  // namespace wordpress
