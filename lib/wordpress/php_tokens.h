#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wordpress {

// A token in PHP text. Whitespace, comments and text outside <?php ... ?> are skipped. A closing
// tag is returned as the symbol ";", because a closing tag ends a statement.
struct PhpToken {
  enum class Kind {
    name,      // identifier or keyword, as written, without a leading backslash
    variable,  // with its '$'
    string,    // "text" is the value of the literal
    integer,   // decimal; "text" is the number as written
    symbol,    // an operator or a bracket
    computed,  // a literal whose value only PHP knows: "a $b", heredoc, 0x10
  };
  Kind kind;
  std::string text;
  unsigned line;  // the first line is 1

  [[nodiscard]] bool is_symbol(std::string_view symbol) const {
    return kind == Kind::symbol && text == symbol;
  }
  // Returns whether the token is "name", regardless of case. PHP ignores the case of function names
  // and keywords.
  [[nodiscard]] bool is_name(std::string_view name) const;
};

// Returns the tokens in "text". Throws Error on an unterminated string or comment. The error
// message contains "file" and the line number where the string or comment begins.
[[nodiscard]] std::vector<PhpToken> php_tokens(std::string_view text, const std::string& file);

}  // namespace wordpress
