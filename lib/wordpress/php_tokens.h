#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wordpress {

// A token of PHP text. Blanks, comments and the text outside <?php ... ?> are skipped; a closing
// tag is returned as ";", which it implies.
struct PhpToken {
  enum class Kind {
    name,      // identifier or keyword, as written, without a leading backslash
    variable,  // with its '$'
    string,    // text: what PHP makes of the literal
    integer,   // decimal; text: as written
    symbol,    // an operator or a bracket
    computed,  // a literal whose value only PHP knows: "a $b", heredoc, 0x10
  };
  Kind kind;
  std::string text;
  unsigned line;  // counts from 1

  [[nodiscard]] bool is_symbol(std::string_view symbol) const {
    return kind == Kind::symbol && text == symbol;
  }
  // Names of PHP's functions and keywords are equal in any case.
  [[nodiscard]] bool is_name(std::string_view name) const;
};

// Errors: Error - a string or a comment has no end; it names "file" and the line of its start.
[[nodiscard]] std::vector<PhpToken> php_tokens(std::string_view text, const std::string& file);

}  // namespace wordpress
