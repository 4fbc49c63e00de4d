#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace wordpress {

// A post's title and state, and the data that determine the post's URL.
struct Post {
  std::string type, status, title, name, date;
  std::uint64_t id = 0, parent = 0;
  bool is_published = false, has_password = false;
};

using Posts = std::map<std::uint64_t, Post>;

inline constexpr int kDeepestPage = 20;  // parents may form a cycle

// The options that determine the URLs of posts and pages (link-template.php; get_permalink,
// get_page_link). Only PHP can compute the URLs of attachments, the URLs of posts whose types are
// added by plugins, and URLs that contain %category% or %author%. If only PHP can compute a post's
// URL, a plain URL such as "/?p=7" is returned, which WordPress redirects to the permalink.
struct Permalinks {
  std::string home;
  std::string structure;  // empty for plain URLs
  std::uint64_t front_page = 0;

  // Returns the URL of "post", or an empty string if the post is in the trash. "posts" must contain
  // all ancestors of "post" if "post" is a page.
  [[nodiscard]] std::string of(const Post& post, const Posts& posts) const;

 private:
  [[nodiscard]] std::optional<std::string> of_page(const Post& page, const Posts& posts) const;
};

}  // namespace wordpress
