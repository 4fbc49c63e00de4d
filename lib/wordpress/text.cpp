#include "wordpress/text.h"

#include "base/text.h"

namespace wordpress {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

bool contains(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

// Returns the length of "text" up to and including the first "end", or the full length if "text"
// does not contain "end".
std::size_t length_to(std::string_view end, std::string_view text) {
  const std::size_t found = text.find(end);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

// Returns the length of the tag at the start of "text". A ">" in quotes does not end the tag.
std::size_t length_of_tag(std::string_view text) {
  char quote = '\0';
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && c == '>') return i + 1;
    if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
  }
  return text.size();
}

// Returns the length of the markup at the start of "text". Markup is a comment, a tag, or a script
// or style with its content.
std::size_t length_of_markup(std::string_view text) {
  if (text.starts_with("<!--")) return length_to("-->", text);
  for (const std::string name : {"script", "style"}) {
    if (!base::equals_ignoring_case(text.substr(1, name.size()), name)) continue;
    const std::string lower = base::to_lower(text);
    const std::string end = "</" + name + ">";
    if (lower.find(end) != std::string::npos) return length_to(end, lower);
  }
  return length_of_tag(text);
}

bool begins_percent_sequence(std::string_view text) {
  return text.size() >= 3 && text[0] == '%' && contains(kHexDigits, text[1]) &&
         contains(kHexDigits, text[2]);
}

std::string without_percent_sequences(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const bool drops = begins_percent_sequence(text);
    if (!drops) result += text.front();
    text.remove_prefix(drops ? 3 : 1);
  }
  return result;
}

// Removes entities. An entity begins with "&", ends with the next ";", and contains at least one
// character in between.
std::string without_entities(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.front() == '&' ? text.find(';', 2) : std::string_view::npos;
    const bool drops =
        end != std::string_view::npos && text.substr(0, end).find('\n') == std::string_view::npos;
    if (!drops) result += text.front();
    text.remove_prefix(drops ? end + 1 : 1);
  }
  return result;
}

std::string with_single_blanks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!contains(base::kSpaces, c)) {
      result += c;
    } else if (!result.ends_with(' ')) {
      result += ' ';
    }
  }
  return result;
}

bool is_label(std::string_view text) {
  return !text.empty() && base::consists_of_letters_digits_and(text, "-") &&
         !text.starts_with('-') && !text.ends_with('-');
}

}  // namespace

std::string without_tags(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const bool is_markup =
        text.front() == '<' && (text.size() == 1 || !contains(base::kSpaces, text[1]));
    if (!is_markup && text.front() != '\0') result += text.front();
    text.remove_prefix(is_markup ? length_of_markup(text) : 1);
  }
  return result;
}

std::string normalized_login(std::string_view name) {
  // Like WordPress, trim the name before removing tags (class-wp-user.php, get_data_by).
  const std::string text = without_tags(base::trim_like_php(name));
  const std::string bare = without_entities(without_percent_sequences(base::trim_like_php(text)));
  return with_single_blanks(base::trim_like_php(bare));
}

bool is_email(std::string_view text) {
  const std::size_t at = text.find('@');
  if (text.size() < 6 || at == 0 || at == std::string_view::npos) return false;
  if (!base::consists_of_letters_digits_and(text.substr(0, at), "!#$%&'*+/=?^_`{|}~.-"))
    return false;
  std::string_view domain = text.substr(at + 1);
  const std::size_t first_dot = domain.find('.');
  for (std::size_t dot = first_dot; dot != std::string_view::npos; dot = domain.find('.')) {
    if (!is_label(domain.substr(0, dot))) return false;
    domain.remove_prefix(dot + 1);
  }
  return first_dot != std::string_view::npos && is_label(domain);
}

}  // namespace wordpress
