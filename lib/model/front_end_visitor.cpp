#include "model/front_end_visitor.h"

#include "base/text.h"

namespace model {

bool is_issuer(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIssuerBytes &&
         base::consists_of_letters_digits_and(text, "_.-");
}

bool is_subject(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSubjectBytes && base::is_utf8(text);
}

}  // namespace model
