#include "wordpress/php_tokens.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "config/config.h"

namespace wordpress {
namespace {

using Kind = PhpToken::Kind;

// The two- and three-character operators that appear in assignments and conditions. Each operator
// precedes its own prefixes: "===" comes before "==".
constexpr std::array<std::string_view, 9> kLongSymbols = {"===", "\?\?=", "==", "=>", "||",
                                                          "&&",  "::",    "->", ".="};

bool starts_name(char c) {
  return base::is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) { return starts_name(c) || base::is_digit(c); }

bool is_newline(char c) { return c == '\n' || c == '\r'; }

// Returns the number of octal or hexadecimal digits at the start of "text", up to "most".
std::size_t digits(std::string_view text, int base, std::size_t most) {
  const std::string_view allowed = base == 8 ? "01234567" : "0123456789abcdefABCDEF";
  text = text.substr(0, most);
  return std::min(text.find_first_not_of(allowed), text.size());
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<PhpToken> read() {
    skip_html();
    while (at_ < text_.size()) token();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  // Skips "count" bytes and counts the lines. As in PHP, a line ends with a line feed, a carriage
  // return or both.
  void skip(std::size_t count) {
    const std::size_t end = std::min(at_ + count, text_.size());
    for (; at_ < end; ++at_) {
      if (text_[at_] == '\n' || (text_[at_] == '\r' && peek(1) != '\n')) ++line_;
    }
  }

  [[noreturn]] void fail_unclosed(const char* what, unsigned line) const {
    throw config::Error(file_ + ":" + std::to_string(line) + ": the " + what +
                        " that begins here has no end");
  }

  void add(Kind kind, std::string text, unsigned line) {
    tokens_.push_back({kind, std::move(text), line});
  }

  void skip_html() {
    while (at_ < text_.size()) {
      skip(std::min(rest().find("<?"), rest().size()));
      if (base::equals_ignoring_case(rest().substr(0, 5), "<?php")) return skip(5);
      if (rest().starts_with("<?=")) {
        add(Kind::name, "echo", line_);
        return skip(3);
      }
      skip(2);
    }
  }

  void token() {
    const char c = peek(0);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') return skip(1);
    if (c == '#' || rest().starts_with("//")) return line_comment();
    if (rest().starts_with("/*")) return block_comment();
    if (rest().starts_with("?>")) {
      add(Kind::symbol, ";", line_);
      skip(2);
      return skip_html();
    }
    if (c == '\'') return single_quoted();
    if (c == '"') return double_quoted();
    if (c == '`') return backquoted();
    if (rest().starts_with("<<<") && heredoc()) return;
    if (base::is_digit(c)) return number();
    if (starts_name(c) || (c == '\\' && starts_name(peek(1)))) return name();
    if (c == '$' && starts_name(peek(1))) return variable();
    symbol();
  }

  // Skips to the end of the line, or to "?>".
  void line_comment() {
    std::size_t end = at_;
    while (end < text_.size() && !is_newline(text_[end]) && text_.substr(end, 2) != "?>") ++end;
    skip(end - at_);
  }

  void block_comment() {
    const auto end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) fail_unclosed("comment", line_);
    skip(end + 2 - at_);
  }

  void single_quoted() {
    const unsigned line = line_;
    std::string value;
    std::size_t i = at_ + 1;
    for (; i < text_.size() && text_[i] != '\''; ++i) {
      const char next = i + 1 < text_.size() ? text_[i + 1] : '\0';
      if (text_[i] == '\\' && (next == '\'' || next == '\\')) ++i;
      value += text_[i];
    }
    if (i >= text_.size()) fail_unclosed("string", line);
    skip(i + 1 - at_);
    add(Kind::string, std::move(value), line);
  }

  void double_quoted() {
    const unsigned line = line_;
    std::string value;
    bool computed = false;
    skip(1);
    while (peek(0) != '"') {
      if (at_ >= text_.size()) fail_unclosed("string", line);
      if (rest().starts_with("{$") || rest().starts_with("${")) {
        computed = true;
        interpolation(line);
      } else if (peek(0) == '\\') {
        computed |= !escape(value);
      } else {
        computed |= peek(0) == '$' && starts_name(peek(1));
        value += peek(0);
        skip(1);
      }
    }
    skip(1);
    add(computed ? Kind::computed : Kind::string, computed ? "" : std::move(value), line);
  }

  // Skips an expression such as {$a["b"]} or ${a} within a string. Quotation marks in the
  // expression do not end the string.
  void interpolation(unsigned line) {
    std::size_t depth = 0;
    if (peek(0) == '$') skip(1);
    do {
      if (at_ >= text_.size()) fail_unclosed("string", line);
      if (peek(0) == '{') ++depth;
      if (peek(0) == '}') --depth;
      skip(1);
    } while (depth > 0);
  }

  // Reads an escape sequence in a double-quoted string. Returns false for "\u{...}", which is not
  // evaluated.
  bool escape(std::string& value) {
    constexpr std::string_view kLetters = "ntrvef\\$\"";
    constexpr std::string_view kMeanings = "\n\t\r\v\033\f\\$\"";
    const std::string_view after = rest().substr(1);
    const char letter = peek(1);
    std::size_t used = 1;
    if (const auto index = kLetters.find(letter); index != std::string_view::npos) {
      value += kMeanings[index];
    } else if (const auto octal = digits(after, 8, 3); octal > 0) {
      value += static_cast<char>(std::stoi(std::string(after.substr(0, octal)), nullptr, 8));
      used = octal;
    } else if (const auto hex = letter == 'x' ? digits(after.substr(1), 16, 2) : 0; hex > 0) {
      value += static_cast<char>(std::stoi(std::string(after.substr(1, hex)), nullptr, 16));
      used = 1 + hex;
    } else {
      value += '\\';  // not an escape sequence
      used = 0;
    }
    const bool known = !after.starts_with("u{");
    skip(1 + used);
    return known;
  }

  void backquoted() {
    const unsigned line = line_;
    skip(1);
    while (peek(0) != '`') {
      if (at_ >= text_.size()) fail_unclosed("command", line);
      skip(peek(0) == '\\' ? 2 : 1);
    }
    skip(1);
    add(Kind::computed, "", line);
  }

  // Returns the label of a heredoc that begins with <<<LABEL, <<<"LABEL" or <<<'LABEL' at the end
  // of a line. Returns an empty string if the text is not a heredoc.
  [[nodiscard]] std::string_view heredoc_label() const {
    std::size_t begin = std::min(text_.find_first_not_of(" \t", at_ + 3), text_.size());
    const bool is_quoted = begin < text_.size() && (text_[begin] == '\'' || text_[begin] == '"');
    if (is_quoted) ++begin;
    if (begin == text_.size() || !starts_name(text_[begin])) return {};
    std::size_t end = begin;
    while (end < text_.size() && continues_name(text_[end])) ++end;
    const std::string_view after = text_.substr(end);
    const bool has_end = !is_quoted || after.starts_with(text_[begin - 1]);
    const std::string_view line_end = after.substr(is_quoted && has_end ? 1 : 0);
    if (!has_end || line_end.empty() || !is_newline(line_end.front())) return {};
    return text_.substr(begin, end - begin);
  }

  // Skips a heredoc, including its closing label. Returns false if the text is not a heredoc.
  bool heredoc() {
    const unsigned line = line_;
    const std::string_view label = heredoc_label();
    if (label.empty()) return false;
    for (;;) {
      const auto newline = rest().find_first_of("\r\n");
      if (newline == std::string_view::npos) fail_unclosed("string", line);
      skip(newline + 1);
      skip(std::min(rest().find_first_not_of(" \t"), rest().size()));
      if (rest().starts_with(label) && !continues_name(peek(label.size()))) break;
    }
    skip(label.size());
    add(Kind::computed, "", line);
    return true;
  }

  void number() {
    std::size_t length = 1;
    while (continues_name(peek(length)) ||
           (peek(length) == '.' && base::is_digit(peek(length + 1)))) {
      ++length;
    }
    const std::string_view digits_only = rest().substr(0, length);
    const bool decimal =
        std::ranges::all_of(digits_only, base::is_digit) && (length == 1 || digits_only[0] != '0');
    add(decimal ? Kind::integer : Kind::computed, std::string(digits_only), line_);
    skip(length);
  }

  void name() {
    if (peek(0) == '\\') skip(1);
    std::size_t length = 1;
    while (continues_name(peek(length)) ||
           (peek(length) == '\\' && starts_name(peek(length + 1)))) {
      ++length;
    }
    add(Kind::name, std::string(rest().substr(0, length)), line_);
    skip(length);
  }

  void variable() {
    std::size_t length = 2;
    while (continues_name(peek(length))) ++length;
    add(Kind::variable, std::string(rest().substr(0, length)), line_);
    skip(length);
  }

  void symbol() {
    const auto* const longer = std::ranges::find_if(
        kLongSymbols, [this](std::string_view symbol) { return rest().starts_with(symbol); });
    const std::size_t length = longer == kLongSymbols.end() ? 1 : longer->size();
    add(Kind::symbol, std::string(rest().substr(0, length)), line_);
    skip(length);
  }

  const std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  unsigned line_ = 1;
  std::vector<PhpToken> tokens_;
};

}  // namespace

bool PhpToken::is_name(std::string_view name) const {
  return kind == Kind::name && base::equals_ignoring_case(text, name);
}

std::vector<PhpToken> php_tokens(std::string_view text, const std::string& file) {
  return Lexer(text, file).read();
}

}  // namespace wordpress
