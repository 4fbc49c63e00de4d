#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace setup {

// A directive in an nginx configuration, and the range of bytes that it occupies in the text.
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

// Parses the text of an nginx file. Recognizes words, quotes, comments and blocks, but does not
// know the meaning of directives. Lua blocks are skipped. Errors: Error with "line N: ...", also if
// blocks are nested more than 20 levels deep.
[[nodiscard]] std::vector<NginxDirective> parse_nginx(std::string_view text);

// The two files that a site's configuration includes.
struct NginxIncludes {
  std::string upstream;  // the file for http { }
  std::string server;    // the file for server { }
};

// Returns whether the text includes "file".
[[nodiscard]] bool includes(const std::vector<NginxDirective>& directives, std::string_view file);

// Returns the names of the files that the text includes. Names may contain wildcards.
[[nodiscard]] std::vector<std::string> included(const std::vector<NginxDirective>& directives);

// Adds the lines that include the two files and returns the resulting text. If "adds_upstream" is
// true, the line for http { } is added at the beginning of the file or of its http { }. The line
// for server { } is added to each server { } that names "host". If the text has a single server { }
// without a name (or with "_"), that server { } gets the line. A server { } that only redirects
// gets no line. Existing lines are not added again.
//
// Errors: Error if the text is not an nginx configuration, or if no server { } is for this host.
[[nodiscard]] std::string with_includes(std::string_view text, const NginxIncludes& lines,
                                        std::string_view host, bool adds_upstream);

// Returns the text without the lines that with_includes() adds. Errors: Error if the text is not an
// nginx configuration.
[[nodiscard]] std::string without_includes(std::string_view text, const NginxIncludes& lines);

// A TCP port at which a server { } listens.
struct NginxListen {
  unsigned port = 80;
  bool is_tls = false;

  auto operator<=>(const NginxListen&) const = default;
};

// Returns the ports of each server { } that names this host or includes the lines, without
// duplicates. A server { } that only redirects is omitted.
[[nodiscard]] std::vector<NginxListen> listens(const std::vector<NginxDirective>& directives,
                                               const NginxIncludes& lines, std::string_view host);

// Returns whether the text contains the line for server { } at a place where it affects requests to
// this port. Such a line is in a server { } that listens at the port, or it is outside of any
// server { }, in a file that a server { } may include.
[[nodiscard]] bool has_server_line(const std::vector<NginxDirective>& directives,
                                   const NginxIncludes& lines, unsigned port);

// Returns whether a server { } in the text names this host.
[[nodiscard]] bool serves(const std::vector<NginxDirective>& directives, std::string_view host);

}  // namespace setup
