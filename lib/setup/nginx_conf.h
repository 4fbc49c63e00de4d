#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace setup {

// A directive in an nginx configuration, and its byte range in the text.
struct NginxDirective {
  std::vector<std::string> words;  // the directive's name and arguments, unquoted
  std::size_t begin = 0;           // the position of the name
  std::size_t end = 0;             // the position after its ";" or "{"
  std::size_t close = 0;           // the position of the block's "}", or 0 without a block
  std::vector<NginxDirective> block;

  [[nodiscard]] bool is(std::string_view name) const {
    return !words.empty() && words.front() == name;
  }
};

// Parses the text of an nginx configuration file. Recognizes words, quotes, comments and blocks,
// but does not interpret directives. Skips Lua blocks. Throws setup::Error with "line N: ..." if
// the text is invalid, or if blocks are nested more than 20 levels deep.
[[nodiscard]] std::vector<NginxDirective> parse_nginx(std::string_view text);

// The paths of the two files that a site's nginx configuration must include.
struct NginxIncludes {
  std::string upstream;  // the file for http { }
  std::string server;    // the file for server { }
};

// Returns whether the text contains an "include" directive for exactly the path "file".
[[nodiscard]] bool includes(const std::vector<NginxDirective>& directives, std::string_view file);

// Returns the file names in the text's "include" directives. The names may contain wildcards.
[[nodiscard]] std::vector<std::string> included(const std::vector<NginxDirective>& directives);

// Returns the text of a configuration file with additional "include" directives for the two files
// in "lines". If "adds_upstream" is true, adds the directive for "lines.upstream" at the beginning
// of the http { } block, or at the beginning of the file if the file has no http { } block. Adds
// the directive for "lines.server" to each server { } block with the name "host". If the text
// contains only one server { } block, and the block has no name or the name "_", adds the directive
// to this block. Existing directives are not added again. Adds no directive to a server { } block
// that only redirects. A block only redirects if it contains a "return" directive. A block
// without TLS also only redirects if its location / only returns a redirect to https, and no
// location outside /.well-known passes requests to a program.
//
// Throws setup::Error if the text is not an nginx configuration, or if no server { } block matches
// "host".
[[nodiscard]] std::string with_includes(std::string_view text, const NginxIncludes& lines,
                                        std::string_view host, bool adds_upstream);

// Returns the text without the directives added by with_includes(). Throws setup::Error if the text
// is not an nginx configuration.
[[nodiscard]] std::string without_includes(std::string_view text, const NginxIncludes& lines);

// A TCP port on which a server { } block listens.
struct NginxListen {
  unsigned port = 80;
  bool is_tls = false;

  auto operator<=>(const NginxListen&) const = default;
};

// Returns the ports of all server { } blocks that have the name "host" or include one of the files
// in "lines", without duplicates. Ignores server { } blocks that only redirect.
[[nodiscard]] std::vector<NginxListen> listens(const std::vector<NginxDirective>& directives,
                                               const NginxIncludes& lines, std::string_view host);

// Returns whether nginx uses the file "lines.server" for requests on port "port". Returns true if a
// server { } block that listens on the port includes the file. Also returns true if the text
// includes the file, but not in a server { } block, because another configuration file may include
// the text in a server { } block.
[[nodiscard]] bool has_server_line(const std::vector<NginxDirective>& directives,
                                   const NginxIncludes& lines, unsigned port);

// Returns whether a server { } block in the text has the name "host", listens on port "port" and
// does not include the file "lines.server". Ignores server { } blocks that only redirect.
[[nodiscard]] bool lacks_server_line(const std::vector<NginxDirective>& directives,
                                     const NginxIncludes& lines, std::string_view host,
                                     unsigned port);

// Returns whether a server { } block in the text has the name "host". Ignores server { } blocks
// that only redirect.
[[nodiscard]] bool serves(const std::vector<NginxDirective>& directives, std::string_view host);

}  // namespace setup
