#include "templates/html_tags.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace templates {
namespace {

constexpr std::string_view kHtmlSpaces = "\t\n\f\r ";
constexpr std::string_view kEndsOfTagName = "\t\n\f\r />";
constexpr std::string_view kEndsOfAttributeName = "\t\n\f\r />=";
constexpr std::string_view kEndsOfBareValue = "\t\n\f\r >";

bool is_listed(std::string_view name) {
  return std::ranges::find(kElements, name) != kElements.end() ||
         std::ranges::find(kShapes, name) != kShapes.end();
}

// Parses tags according to the HTML standard (13.2.5, "Tokenization"). Every HTML parser finds the
// same tags, because elements with special rules for their content, such as <script>, are not
// accepted.
class TagScanner {
 public:
  explicit TagScanner(std::string_view html) : html_(html) {}

  std::optional<std::string> scan() {
    while (!refusal_ && (at_ = html_.find('<', at_)) != std::string_view::npos) {
      ++at_;
      read_tag();
    }
    return refusal_;
  }

 private:
  void refuse(std::string what) {
    if (!refusal_) refusal_ = std::move(what);
  }

  // Returns the next character, or NUL at the end of the text.
  [[nodiscard]] char next() const { return at_ < html_.size() ? html_[at_] : '\0'; }

  void read_tag() {
    if (++tags_ > kMaxTags) {
      return refuse("it may have up to " + std::to_string(kMaxTags) + " tags");
    }
    if (next() == '!' || next() == '?') return refuse("comments and the like are not allowed");
    const bool is_end = next() == '/';
    if (is_end) ++at_;
    if (!base::is_letter(next())) return refuse("a < that begins no tag must be written as &lt;");
    const std::size_t end = std::min(html_.find_first_of(kEndsOfTagName, at_), html_.size());
    const std::string_view written = html_.substr(at_, end - at_);
    const std::string name = base::to_lower(written);
    at_ = end;
    if (!is_listed(name)) {
      constexpr std::size_t kShown = 40;
      return refuse("the element " + std::string(written.substr(0, kShown)) + " is not allowed");
    }
    const bool is_self_closing = read_attributes();
    if (is_end) {
      close(name);
    } else {
      open(name, is_self_closing);
    }
  }

  // Reads the attributes of a tag and the end of the tag. Returns true if the tag ends with "/>".
  bool read_attributes() {
    for (unsigned attributes = 0; !refusal_;) {
      at_ = std::min(html_.find_first_not_of(kHtmlSpaces, at_), html_.size());
      if (at_ == html_.size()) {
        refuse("a tag is without >");
      } else if (html_.substr(at_, 2) == "/>") {
        at_ += 2;
        return true;
      } else if (html_[at_] == '>') {
        ++at_;
        return false;
      } else if (html_[at_] == '/') {
        ++at_;
      } else if (++attributes > kMaxAttributes) {
        refuse("an element may have up to " + std::to_string(kMaxAttributes) + " attributes");
      } else {
        skip_attribute();
      }
    }
    return false;
  }

  void skip_attribute() {
    at_ = html_.find_first_of(kEndsOfAttributeName, at_ + 1);  // the name may start with '='
    const std::size_t equals = html_.find_first_not_of(kHtmlSpaces, at_);
    if (equals == std::string_view::npos || html_[equals] != '=') return;
    at_ = html_.find_first_not_of(kHtmlSpaces, equals + 1);
    if (next() == '"' || next() == '\'') {
      at_ = html_.find(next(), at_ + 1);
      if (at_ != std::string_view::npos) ++at_;
    } else {
      at_ = html_.find_first_of(kEndsOfBareValue, at_);
    }
  }

  void open(const std::string& name, bool is_self_closing) {
    if (name == "p" || name == "div") end_paragraph();
    if (open_.size() == kMaxDepth) {
      return refuse("elements may be nested up to " + std::to_string(kMaxDepth) + " deep");
    }
    if (name == "input") return;
    if (!is_self_closing) {
      open_.push_back(name);
    } else if (name != "svg" && std::ranges::find(kShapes, name) == kShapes.end()) {
      refuse("/> does not end the element " + name);  // browsers would not close the element
    }
  }

  void close(const std::string& name) {
    if (name != "p") end_paragraph();
    if (open_.empty() || open_.back() != name) {
      return refuse("</" + name + "> does not end the element that was opened last");
    }
    open_.pop_back();
  }

  // Closes the innermost open element if it is a <p> element, which needs no end tag.
  void end_paragraph() {
    if (!open_.empty() && open_.back() == "p") open_.pop_back();
  }

  const std::string_view html_;
  std::size_t at_ = 0;
  unsigned tags_ = 0;
  std::vector<std::string> open_;
  std::optional<std::string> refusal_;
};

}  // namespace

std::optional<std::string> refuse_tags(std::string_view html) { return TagScanner(html).scan(); }

}  // namespace templates
