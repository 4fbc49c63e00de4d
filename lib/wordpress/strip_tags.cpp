#include "wordpress/strip_tags.h"

#include <algorithm>
#include <cstddef>

#include "base/bytes.h"

namespace wordpress {
namespace {

std::size_t find_ignoring_case(std::string_view text, std::string_view wanted, std::size_t from) {
  for (std::size_t i = from; i + wanted.size() <= text.size(); ++i) {
    if (base::equals_ignoring_case(text.substr(i, wanted.size()), wanted)) return i;
  }
  return std::string_view::npos;
}

// The length of a script or a style with its content at the start of "text"; 0 if there is none.
std::size_t length_of_element(std::string_view text) {
  for (const std::string_view name : {"script", "style"}) {
    if (!base::equals_ignoring_case(text.substr(0, name.size() + 1), "<" + std::string(name))) {
      continue;
    }
    const std::size_t tag_end = text.find('>');
    const std::string end_tag = "</" + std::string(name) + ">";
    const std::size_t end = tag_end == std::string_view::npos
                                ? std::string_view::npos
                                : find_ignoring_case(text, end_tag, tag_end + 1);
    if (end != std::string_view::npos) return end + end_tag.size();
  }
  return 0;
}

std::string without_scripts_and_styles(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = length_of_element(text);
    if (length == 0) result += text.front();
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

// PHP's strip_tags() without a list of allowed tags: the same state machine over bytes as in PHP
// (ext/standard/string.c, php_strip_tags_impl), including its apparent mistakes, because both must
// find the same user.
class TagStripper {
 public:
  explicit TagStripper(std::string_view text) : text_(text) {}

  std::string strip() {
    for (; at_ < text_.size(); ++at_) step();
    return std::move(result_);
  }

 private:
  enum class State { text, tag, php, declaration, comment };

  void step() {
    switch (state_) {
      case State::text:
        return in_text();
      case State::tag:
        return in_tag();
      case State::php:
        return in_php();
      case State::declaration:
        return in_declaration();
      case State::comment:
        return in_comment();
    }
  }

  void in_text() {
    const char c = text_[at_];
    if (c == '\0') return;
    if (c == '<' && !before_blank()) {
      last_ = '<';
      state_ = State::tag;
    } else if (c == '>' && depth_ > 0) {
      --depth_;
    } else {
      result_ += c;
    }
  }

  void in_tag() {
    const char c = text_[at_];
    if (c == '<') {
      if (quote_ == '\0' && !before_blank()) ++depth_;
    } else if (c == '>') {
      // "-->" does not end an XML declaration.
      if (!closes() || (is_xml_ && before(1) == '-')) return;
      is_xml_ = false;
      leave();
    } else if (is_quote(c)) {
      toggle_quote(c);
    } else if (c == '!' && before(1) == '<') {
      last_ = c;
      state_ = State::declaration;
    } else if (c == '?' && before(1) == '<') {
      brackets_ = 0;
      state_ = State::php;
    }
  }

  void in_php() {
    const char c = text_[at_];
    if ((c == '(' || c == ')') && !is_quote(last_)) {
      last_ = c;
      brackets_ += c == '(' ? 1 : -1;
    } else if (c == '>') {
      if (closes() && brackets_ == 0 && last_ != '"' && before(1) == '?') leave();
    } else if (is_quote(c) && before(1) != '\\') {
      if (last_ == c) {
        last_ = '\0';
      } else if (last_ != '\\') {
        last_ = c;
      }
      toggle_quote(c);
    } else if (follows("<?xm") && (c == 'l' || c == 'L')) {
      is_xml_ = true;
      state_ = State::tag;
    }
  }

  void in_declaration() {
    const char c = text_[at_];
    if (c == '>') {
      if (closes()) leave();
    } else if (is_quote(c) && before(1) != '\\') {
      toggle_quote(c);
    } else if (c == '-' && before(1) == '-' && before(2) == '!') {
      state_ = State::comment;
    } else if ((c == 'e' || c == 'E') && follows("doctyp")) {
      state_ = State::tag;
    }
  }

  void in_comment() {
    if (text_[at_] == '>' && quote_ == '\0' && before(1) == '-' && before(2) == '-') leave();
  }

  // Whether a ">" is the end of an element: not nested, not quoted.
  bool closes() {
    if (depth_ > 0) {
      --depth_;
      return false;
    }
    return quote_ == '\0';
  }

  void leave() {
    state_ = State::text;
    quote_ = '\0';
  }

  void toggle_quote(char c) {
    if (quote_ != '\0' && quote_ != c) return;
    quote_ = quote_ == '\0' ? c : '\0';
  }

  static bool is_quote(char c) { return c == '"' || c == '\''; }

  [[nodiscard]] char before(std::size_t count) const {
    return at_ < count ? '\0' : text_[at_ - count];
  }

  [[nodiscard]] bool before_blank() const {
    return at_ + 1 < text_.size() && base::kSpaces.find(text_[at_ + 1]) != std::string_view::npos;
  }

  // Never at the start of the text, as in PHP.
  [[nodiscard]] bool follows(std::string_view name) const {
    return at_ > name.size() &&
           base::equals_ignoring_case(text_.substr(at_ - name.size(), name.size()), name);
  }

  const std::string_view text_;
  std::string result_;
  std::size_t at_ = 0;
  State state_ = State::text;
  std::size_t depth_ = 0;  // of "<" within a tag
  int brackets_ = 0;       // open brackets within PHP code
  char quote_ = '\0';      // the open quote
  char last_ = '\0';       // the last character that changed the state of PHP code
  bool is_xml_ = false;
};

}  // namespace

std::string without_tags(std::string_view text) {
  return TagStripper(without_scripts_and_styles(text)).strip();
}

}  // namespace wordpress
