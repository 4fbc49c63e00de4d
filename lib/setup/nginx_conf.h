#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace setup {

// A directive of an nginx configuration, with the bytes that it takes in the text.
struct NginxDirective {
  std::vector<std::string> words;  // its name and arguments, unquoted
  std::size_t begin = 0;           // of its name
  std::size_t end = 0;             // after its ";" or its "{"
  std::size_t close = 0;           // of the "}" of a block; 0 for others
  std::vector<NginxDirective> block;

  [[nodiscard]] bool is(std::string_view name) const {
    return !words.empty() && words.front() == name;
  }
};

// Parses the text of a file of nginx: words, quotes, comments and blocks, but not their meaning.
// Blocks of Lua are left out.
// Errors: Error - "line N: ..."; also for blocks in blocks beyond 20 levels.
[[nodiscard]] std::vector<NginxDirective> parse_nginx(std::string_view text);

// The files that a site's configuration includes.
struct NginxIncludes {
  std::string upstream;  // in http { }
  std::string server;    // in server { }
};

// Whether the text includes "file".
[[nodiscard]] bool includes(const std::vector<NginxDirective>& directives, std::string_view file);

// What the text includes: names of files, also with wildcards.
[[nodiscard]] std::vector<std::string> included(const std::vector<NginxDirective>& directives);

// The text with the line for http { }, if "adds_upstream", at the beginning of the file or of its
// http { }, and the line for server { } in each server { } that serves "host": those that name it,
// or the only one there is, if it has no name (or "_"). A server { } that only redirects is left
// alone. Lines that are there already are not added again.
//
// Errors: Error - the text is not one of nginx's, or no server { } is for this host.
[[nodiscard]] std::string with_includes(std::string_view text, const NginxIncludes& lines,
                                        std::string_view host, bool adds_upstream);

// The text without these lines. Errors: Error - the text is not one of nginx's.
[[nodiscard]] std::string without_includes(std::string_view text, const NginxIncludes& lines);

// Where a server { } listens by TCP.
struct NginxListen {
  unsigned port = 80;
  bool is_tls = false;

  auto operator<=>(const NginxListen&) const = default;
};

// Where those server { } listen that name this host or include the lines, without those that only
// redirect; each once.
[[nodiscard]] std::vector<NginxListen> listens(const std::vector<NginxDirective>& directives,
                                               const NginxIncludes& lines, std::string_view host);

// Whether the text has the line for server { }, for requests to this port: in a server { } that
// listens there, or outside any, in a file that server { } may include.
[[nodiscard]] bool has_server_line(const std::vector<NginxDirective>& directives,
                                   const NginxIncludes& lines, unsigned port);

// Whether a server { } in the text names this host.
[[nodiscard]] bool serves(const std::vector<NginxDirective>& directives, std::string_view host);

}  // namespace setup
