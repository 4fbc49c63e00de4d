#include "setup/shell.h"

#include "base/bytes.h"

namespace setup {

std::string shell_quoted(const std::string& word) {
  const bool is_plain = !word.empty() && base::consists_of_letters_digits_and(word, "/._-+@:=,%");
  return is_plain ? word : "'" + base::replace_all(word, "'", "'\\''") + "'";
}

}  // namespace setup
