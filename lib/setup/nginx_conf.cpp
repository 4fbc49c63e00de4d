#include "setup/nginx_conf.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/text.h"
#include "setup/step.h"

namespace setup {
namespace {

constexpr int kMaxDepth = 20;

// Reads tokens in the same way as ngx_conf_read_token in nginx (src/core/ngx_conf_file.c).
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  // Returns the directives up to the end of the current block, or up to the end of the text.
  std::vector<NginxDirective> block(int depth) {
    std::vector<NginxDirective> directives;
    for (skip_blanks(); !at_end() && text_[at_] != '}'; skip_blanks()) {
      directives.push_back(directive(depth));
    }
    if (at_end() != (depth == 0)) fail(depth == 0 ? "unexpected \"}\"" : "a block has no \"}\"");
    return directives;
  }

 private:
  NginxDirective directive(int depth) {
    NginxDirective result;
    result.begin = at_;
    for (;; skip_blanks()) {
      if (at_end()) fail("a directive has no \";\"");
      const char c = text_[at_];
      if (c == '}') fail("a directive has no \";\"");
      if (c == ';' || c == '{') break;
      result.words.push_back(word());
    }
    if (result.words.empty()) fail("a directive has no name");
    const bool is_block = text_[at_++] == '{';
    result.end = at_;
    if (!is_block) return result;
    if (depth == kMaxDepth) fail("blocks are nested too deeply");
    if (result.words.front().ends_with("_by_lua_block")) {
      skip_lua();
    } else {
      result.block = block(depth + 1);
    }
    result.close = at_++;
    return result;
  }

  // Skips to the "}" at the end of a Lua block. Does not recognize Lua strings in long brackets.
  void skip_lua() {
    for (int open = 1; !at_end(); ++at_) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        static_cast<void>(quoted(c));
        --at_;
      } else if (text_.substr(at_).starts_with("--")) {
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      } else if (c == '{') {
        ++open;
      } else if (c == '}' && --open == 0) {
        return;
      }
    }
    fail("a block has no \"}\"");
  }

  std::string word() {
    const char quote = text_[at_];
    if (quote == '"' || quote == '\'') return quoted(quote);
    std::string result;
    while (!at_end() && !ends_word(result)) {
      if (text_[at_] == '\\') result += text_[at_++];
      if (!at_end()) result += text_[at_++];
    }
    return result;
  }

  // Returns whether the next character ends a word. The brace in "${name}" does not end a word.
  [[nodiscard]] bool ends_word(const std::string& before) const {
    const char c = text_[at_];
    if (c == '{') return before.empty() || before.back() != '$';
    return is_blank(c) || c == ';';
  }

  std::string quoted(char quote) {
    const std::size_t begin = at_++;
    std::string result;
    for (; !at_end() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\') result += text_[at_++];
      if (!at_end()) result += text_[at_];
    }
    if (at_end()) {
      at_ = begin;
      fail("a quoted text has no end");
    }
    ++at_;
    return result;
  }

  void skip_blanks() {
    while (!at_end() && (is_blank(text_[at_]) || text_[at_] == '#')) {
      if (text_[at_] != '#') {
        ++at_;
      } else {
        at_ = std::min(text_.find('\n', at_), text_.size());
      }
    }
  }

  [[nodiscard]] static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  [[noreturn]] void fail(const std::string& what) const {
    const auto line = std::ranges::count(text_.substr(0, at_), '\n') + 1;
    throw Error("line " + std::to_string(line) + ": " + what);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

using Visitor = std::function<void(const NginxDirective&)>;

void visit(const std::vector<NginxDirective>& directives, const Visitor& visitor) {
  for (const NginxDirective& directive : directives) {
    visitor(directive);
    visit(directive.block, visitor);
  }
}

bool is_include(const NginxDirective& directive, std::string_view file) {
  return directive.is("include") && directive.words.size() == 2 && directive.words[1] == file;
}

// Returns whether "name" matches "host" according to nginx's rules for server names. A server name
// that is a regular expression matches no host.
bool matches(std::string_view name, std::string_view host) {
  if (base::equals_ignoring_case(name, host)) return true;
  if (!name.starts_with('.') && !name.starts_with("*.")) return false;
  const std::string_view domain = name.substr(name.find('.'));
  if (name.starts_with('.') && base::equals_ignoring_case(domain.substr(1), host)) return true;
  return host.size() > domain.size() &&
         base::equals_ignoring_case(domain, host.substr(host.size() - domain.size()));
}

bool names(const NginxDirective& server, std::string_view host) {
  return std::ranges::any_of(server.block, [&](const NginxDirective& directive) {
    return directive.is("server_name") &&
           std::any_of(directive.words.begin() + 1, directive.words.end(),
                       [&](const std::string& name) { return matches(name, host); });
  });
}

bool has_no_name(const NginxDirective& server) {
  return std::ranges::all_of(server.block, [](const NginxDirective& directive) {
    return !directive.is("server_name") ||
           std::all_of(directive.words.begin() + 1, directive.words.end(),
                       [](const std::string& name) { return name.empty() || name == "_"; });
  });
}

// Returns the port in a "listen" directive, or port 80 if the directive contains only an address.
// Returns nothing if the directive is not "listen", or if it names a Unix socket. Works like
// ngx_parse_url in nginx (src/core/ngx_inet.c).
std::optional<NginxListen> listen_of(const NginxDirective& directive) {
  if (!directive.is("listen") || directive.words.size() < 2) return std::nullopt;
  const std::string_view address = directive.words[1];
  if (address.starts_with("unix:")) return std::nullopt;
  const std::size_t colon = address.find(':', address.rfind(']') + 1);  // npos + 1 is 0
  const auto port = base::parse_number<unsigned>(
      colon == std::string_view::npos ? address : address.substr(colon + 1));
  return NginxListen{port.value_or(80), std::ranges::count(directive.words, "ssl") > 0};
}

bool is_return(const NginxDirective& directive) { return directive.is("return"); }

bool is_redirect_to_https(const NginxDirective& directive) {
  return is_return(directive) && directive.words.back().starts_with("https:");
}

bool listens_with_tls(const NginxDirective& server) {
  return std::ranges::any_of(server.block, [](const NginxDirective& each) {
    const auto listen = listen_of(each);
    return listen && listen->is_tls;
  });
}

// Returns whether nginx passes requests for the directive's location to another program, such as
// PHP. Ignores the locations in which a program answers a certificate authority.
bool passes_requests(const NginxDirective& directive) {
  if (directive.is("location") && directive.words.back().starts_with("/.well-known")) return false;
  return (directive.words.front().ends_with("_pass") && directive.close == 0) ||
         std::ranges::any_of(directive.block, passes_requests);
}

// Returns whether a server { } block only redirects, so that another block serves the site. If a
// block with TLS redirects in location /, its host may still serve ratings.
bool only_redirects(const NginxDirective& server) {
  if (std::ranges::any_of(server.block, is_return)) return true;
  const auto redirects_all = [](const NginxDirective& each) {
    return each.is("location") && each.words.back() == "/" && each.words[1] != "=" &&
           !each.block.empty() && std::ranges::all_of(each.block, is_redirect_to_https);
  };
  return std::ranges::any_of(server.block, redirects_all) && !listens_with_tls(server) &&
         std::ranges::none_of(server.block, passes_requests);
}

// Returns all server { } blocks in http { }, or in a file that http { } includes. Does not return
// "server" directives in upstream blocks.
std::vector<const NginxDirective*> all_servers_in(const std::vector<NginxDirective>& directives) {
  std::vector<const NginxDirective*> servers;
  visit(directives, [&](const NginxDirective& directive) {
    if (directive.is("server") && directive.words.size() == 1 && directive.close != 0)
      servers.push_back(&directive);
  });
  return servers;
}

// Returns the same blocks as all_servers_in(), except blocks that only redirect.
std::vector<const NginxDirective*> servers_in(const std::vector<NginxDirective>& directives) {
  auto servers = all_servers_in(directives);
  std::erase_if(servers, [](const NginxDirective* server) { return only_redirects(*server); });
  return servers;
}

std::vector<const NginxDirective*> servers_for(const std::vector<NginxDirective>& directives,
                                               std::string_view host) {
  auto servers = servers_in(directives);
  auto named = servers;
  std::erase_if(named, [&](const NginxDirective* server) { return !names(*server, host); });
  if (!named.empty()) return named;
  if (servers.size() == 1 && has_no_name(*servers.front())) return servers;
  throw Error("has no server { } with the server_name " + std::string(host) +
              " that does more than redirect");
}

bool listens_on(const NginxDirective& server, unsigned port) {
  constexpr unsigned kDefaultPort = 80;
  const auto has_port = [&](const NginxDirective& each) {
    const auto listen = listen_of(each);
    return listen && listen->port == port;
  };
  const auto is_listen = [](const NginxDirective& each) { return listen_of(each).has_value(); };
  if (std::ranges::none_of(server.block, is_listen)) return port == kDefaultPort;
  return std::ranges::any_of(server.block, has_port);
}

struct Insertion {
  std::size_t at;
  std::string text;
};

// An inserted line is indented like the preceding line, unless the preceding line is longer than
// kLongestLine characters. The limit kLongestLine keeps the run time linear in the length of the
// file.
constexpr std::size_t kLongestLine = 1000;

std::string indent_of(std::string_view text, std::size_t at) {
  const std::size_t from = at - std::min(at, kLongestLine);
  const std::size_t newline = text.substr(from, at - from).rfind('\n');
  if (newline == std::string_view::npos && from > 0) return {};
  const std::size_t line = from + newline + 1;  // npos + 1 is 0
  const std::size_t first = text.find_first_not_of(" \t", line);
  return std::string(text.substr(line, std::min(first, at) - line));
}

// Returns where to insert "line" as a new line, and the text to insert. "at" is the position after
// a directive or a "{". If the same line contains a comment after this position, the new line is
// inserted after the comment.
Insertion line_behind(std::string_view text, std::size_t at, const std::string& line) {
  const std::size_t next = std::min(text.find_first_not_of(" \t\r", at), text.size());
  const bool ends_line = next == text.size() || text[next] == '\n' || text[next] == '#';
  if (!ends_line) return {at, "\n" + line + "\n"};
  const std::size_t end = text.find('\n', at);
  if (end == std::string_view::npos) return {text.size(), "\n" + line};
  return {end + 1, line + "\n"};
}

Insertion line_in_server(std::string_view text, const NginxDirective& server,
                         const std::string& directive) {
  const auto name = std::ranges::find_if(
      server.block, [](const NginxDirective& each) { return each.is("server_name"); });
  if (name != server.block.end()) {
    return line_behind(text, name->end, indent_of(text, name->begin) + directive);
  }
  return line_behind(text, server.end, indent_of(text, server.begin) + "    " + directive);
}

Insertion line_in_http(std::string_view text, const std::vector<NginxDirective>& directives,
                       const std::string& directive) {
  for (const NginxDirective& each : directives) {
    if (each.is("http") && each.close != 0) {
      return line_behind(text, each.end, indent_of(text, each.begin) + "    " + directive);
    }
  }
  return {0, directive + "\n"};
}

}  // namespace

std::vector<NginxDirective> parse_nginx(std::string_view text) { return Parser(text).block(0); }

bool includes(const std::vector<NginxDirective>& directives, std::string_view file) {
  bool found = false;
  visit(directives, [&](const NginxDirective& each) { found |= is_include(each, file); });
  return found;
}

std::vector<std::string> included(const std::vector<NginxDirective>& directives) {
  std::vector<std::string> patterns;
  visit(directives, [&](const NginxDirective& each) {
    if (each.is("include") && each.words.size() == 2) patterns.push_back(each.words[1]);
  });
  return patterns;
}

bool serves(const std::vector<NginxDirective>& directives, std::string_view host) {
  return std::ranges::any_of(servers_in(directives),
                             [&](const NginxDirective* server) { return names(*server, host); });
}

bool has_server_line(const std::vector<NginxDirective>& directives, const NginxIncludes& lines,
                     unsigned port) {
  const auto has_line = [&](const NginxDirective* server) {
    return includes(server->block, lines.server);
  };
  if (std::ranges::none_of(all_servers_in(directives), has_line))
    return includes(directives, lines.server);
  return std::ranges::any_of(servers_in(directives), [&](const NginxDirective* server) {
    return has_line(server) && listens_on(*server, port);
  });
}

bool lacks_server_line(const std::vector<NginxDirective>& directives, const NginxIncludes& lines,
                       std::string_view host, unsigned port) {
  return std::ranges::any_of(servers_in(directives), [&](const NginxDirective* server) {
    return names(*server, host) && listens_on(*server, port) &&
           !includes(server->block, lines.server);
  });
}

std::vector<NginxListen> listens(const std::vector<NginxDirective>& directives,
                                 const NginxIncludes& lines, std::string_view host) {
  std::vector<NginxListen> found;
  std::set<NginxListen> known;
  for (const NginxDirective* server : servers_in(directives)) {
    if (!names(*server, host) && !includes(server->block, lines.server)) continue;
    for (const NginxDirective& each : server->block) {
      const auto listen = listen_of(each);
      if (listen && known.insert(*listen).second) found.push_back(*listen);
    }
  }
  return found;
}

std::string with_includes(std::string_view text, const NginxIncludes& lines, std::string_view host,
                          bool adds_upstream) {
  const auto directives = parse_nginx(text);
  std::vector<Insertion> insertions;
  if (adds_upstream && !includes(directives, lines.upstream)) {
    insertions.push_back(line_in_http(text, directives, "include " + lines.upstream + ";"));
  }
  for (const NginxDirective* server : servers_for(directives, host)) {
    if (includes(server->block, lines.server)) continue;
    insertions.push_back(line_in_server(text, *server, "include " + lines.server + ";"));
  }
  std::ranges::stable_sort(insertions, {}, &Insertion::at);
  std::string result;
  std::size_t copied = 0;
  for (const Insertion& each : insertions) {
    result.append(text.substr(copied, each.at - copied)).append(each.text);
    copied = each.at;
  }
  return result.append(text.substr(copied));
}

std::string without_includes(std::string_view text, const NginxIncludes& lines) {
  const auto directives = parse_nginx(text);
  std::vector<const NginxDirective*> found;
  visit(directives, [&](const NginxDirective& each) {
    if (is_include(each, lines.upstream) || is_include(each, lines.server)) found.push_back(&each);
  });
  std::string result;
  std::size_t copied = 0;
  for (const NginxDirective* directive : found) {
    std::size_t begin = directive->begin;
    while (begin > copied && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    std::size_t end = directive->end;
    const std::size_t next = std::min(text.find_first_not_of(" \t\r", end), text.size());
    const bool starts_line = begin == 0 || text[begin - 1] == '\n';
    if (starts_line && (next == text.size() || text[next] == '\n')) {
      end = std::min(next + 1, text.size());
    } else {
      begin = directive->begin;
    }
    result.append(text.substr(copied, begin - copied));
    copied = end;
  }
  return result.append(text.substr(copied));
}

}  // namespace setup
