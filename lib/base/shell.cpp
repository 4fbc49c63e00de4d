#include "base/shell.h"

#include "base/bytes.h"

namespace base {

std::string shell_quoted(const std::string& word) {
  const bool is_plain = !word.empty() && consists_of_letters_digits_and(word, "/._-+@:=,%");
  return is_plain ? word : "'" + replace_all(word, "'", "'\\''") + "'";
}

}  // namespace base
