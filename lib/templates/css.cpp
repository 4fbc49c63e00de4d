#include <algorithm>
#include <array>

#include "base/text.h"
#include "templates/template_check.h"

namespace templates {
namespace {

// DESIGN. The CSS is parsed only as far as necessary to find selectors, blocks and functions. Only
// selectors are changed, and declarations are copied. Escapes and characters with a meaning in HTML
// are rejected, because they could hide selectors, blocks or functions. Selectors, blocks and
// functions are located in a copy of the CSS in which comments and strings are replaced.

constexpr std::array<std::string_view, 3> kAtRules = {"media", "supports", "container"};

// The allowed CSS functions, which cannot load or execute anything.
constexpr std::array<std::string_view, 56> kFunctions = {
    // values
    "var", "env", "calc", "min", "max", "clamp", "round", "abs", "attr",
    // colours
    "rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color-mix", "light-dark",
    "linear-gradient", "radial-gradient", "conic-gradient",
    // shapes and effects
    "polygon", "circle", "ellipse", "inset", "path", "translate", "translatex", "translatey",
    "scale", "scalex", "scaley", "rotate", "skew", "matrix", "blur", "brightness", "contrast",
    "drop-shadow", "grayscale", "opacity", "saturate", "cubic-bezier", "steps",
    // selectors
    "not", "is", "where", "has", "dir", "lang", "nth-child", "nth-last-child", "nth-of-type",
    "nth-last-of-type"};

constexpr int kMaxCssDepth = 4;
constexpr std::string_view kCssSpaces = " \t\r\n";
constexpr std::string_view kCombinators = " \t\r\n>+~";

using Text = tl::expected<std::string, std::string>;

tl::unexpected<std::string> refuse(std::string_view what) {
  constexpr std::size_t kShown = 80;
  return tl::unexpected(std::string(what.substr(0, kShown)).append(" is not allowed."));
}

bool is_name(char c) {
  return base::is_letter_or_digit(c) || c == '-' || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// A part of a template's CSS. "text" is the original CSS. "mask" is a copy in which each character
// in a string is replaced by kStringMark. Each position in "mask" corresponds to the same position
// in "text".
struct Piece {
  std::string_view text, mask;

  [[nodiscard]] Piece part(std::size_t begin, std::size_t length = std::string_view::npos) const {
    return {text.substr(begin, length), mask.substr(begin, length)};
  }
  [[nodiscard]] Piece trimmed() const {
    const std::size_t begin = std::min(mask.find_first_not_of(kCssSpaces), mask.size());
    return part(begin, mask.find_last_not_of(kCssSpaces) + 1 - begin);
  }
};

// kStringMark is a control character that cannot be part of CSS syntax.
constexpr char kStringMark = '\x01';

// Appends "css" to both "text" and "mask". Replaces each comment with a space. In "mask", also
// replaces each character inside a CSS string with kStringMark. Returns an error message, or an
// empty string if no error occurs.
std::string_view separate_strings(std::string_view css, std::string& text, std::string& mask) {
  while (!css.empty()) {
    std::size_t length = 1;
    if (css.starts_with("/*")) {
      const std::size_t end = css.find("*/", 2);
      if (end == std::string_view::npos) return "A comment without its end";
      css.remove_prefix(end + 2);
      text += ' ';
      mask += ' ';
      continue;
    }
    const bool is_string = css.front() == '"' || css.front() == '\'';
    if (is_string) {
      length = css.find_first_of(std::string("\n\r") + css.front(), 1);
      if (length == std::string_view::npos || css[length++] != css.front()) {
        return "A string that does not end on its line";
      }
    }
    text += css.substr(0, length);
    mask.append(length, is_string ? kStringMark : css.front());
    css.remove_prefix(length);
  }
  return {};
}

// Returns a message about the first invalid bracket or function in "mask", or an empty string if
// "mask" is valid.
std::string bad_nesting(std::string_view mask) {
  constexpr std::string_view kOpening = "([{";
  constexpr std::string_view kClosing = ")]}";
  std::string open;  // the expected closing brackets
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const char c = mask[i];
    const bool is_in_value = !open.empty() && open.back() != '}';
    if (is_in_value && (c == '{' || c == ';' || c == '@')) return std::string(1, c) + " here";
    if (kClosing.find(c) != std::string_view::npos) {
      if (open.empty() || open.back() != c) return std::string(1, c) + " without its start";
      open.pop_back();
    }
    const std::size_t bracket = kOpening.find(c);
    if (bracket != std::string_view::npos) open += kClosing[bracket];
    if (c != '(') continue;
    std::size_t start = i;
    while (start > 0 && is_name(mask[start - 1])) --start;
    const std::string name = base::to_lower(mask.substr(start, i - start));
    const bool is_word = name.empty() || name == "and" || name == "or";
    if (!is_word && std::ranges::find(kFunctions, name) == kFunctions.end()) return name + "()";
  }
  return open.empty() ? "" : "A bracket without its end";
}

// --- Selectors -----------------------------------------------------------------------------------

// Returns the position of the first character in "mask" that is one of the characters in "ends" and
// is not inside brackets.
std::size_t length_until(std::string_view mask, std::string_view ends) {
  int depth = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const char c = mask[i];
    if (depth == 0 && ends.find(c) != std::string_view::npos) return i;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
  }
  return mask.size();
}

// Returns the length of the anchor at the beginning of "compound", or 0 if "compound" has no
// anchor. A compound is a part of a selector between combinators. The anchor is "&" or the
// attribute selector [data-template="..."], which selects the root element of the widget.
std::size_t anchor_length(std::string_view compound) {
  if (compound.starts_with('&')) return 1;
  if (!compound.starts_with("[data-template=")) return 0;
  const std::size_t end = compound.find_first_of("[]", 1);
  return compound[end] == ']' ? end + 1 : 0;
}

// Returns whether the part "rest" of a compound is invalid. "rest" is the compound without the
// anchor at its beginning, and must not contain another anchor. If "rest" follows an anchor, "rest"
// must begin with ".", ":", "#" or "[", because otherwise browsers would ignore the whole rule.
bool misplaces_anchor(std::string_view rest, bool follows_anchor) {
  return rest.find('&') != std::string_view::npos ||
         rest.find("data-template") != std::string_view::npos ||
         (follows_anchor && !rest.empty() && rest.find_first_of(".:#[") != 0);
}

Text scope_selector(Piece selector, const std::string& anchor) {
  selector = selector.trimmed();
  const auto refused = refuse(selector.text.empty() ? "A rule without a selector" : selector.text);
  std::string scoped;
  bool has_anchor = false;
  bool was_anchor = false;
  do {
    const std::size_t start =
        std::min(selector.mask.find_first_not_of(kCombinators), selector.mask.size());
    const std::string_view between = selector.mask.substr(0, start);
    const std::size_t sign = between.find_last_of(">+~");
    const char combinator = sign == std::string_view::npos ? ' ' : between[sign];
    selector = selector.part(start);
    const Piece compound = selector.part(0, length_until(selector.mask, kCombinators));
    selector = selector.part(compound.mask.size());
    const std::size_t length = anchor_length(compound.mask);
    // The selector must not select a sibling of the widget, because a sibling is outside of the
    // widget.
    const bool is_beside = was_anchor && combinator != ' ' && combinator != '>';
    was_anchor = length > 0;
    if (compound.mask.empty() || is_beside || (was_anchor && has_anchor) ||
        (scoped.empty() && combinator != ' ') ||
        misplaces_anchor(compound.mask.substr(length), was_anchor)) {
      return refused;
    }
    has_anchor = has_anchor || was_anchor;
    if (combinator != ' ') scoped.append(" ").append(1, combinator);
    if (!scoped.empty()) scoped += ' ';
    scoped.append(was_anchor ? anchor : "").append(compound.text.substr(length));
  } while (!selector.mask.empty());
  return has_anchor ? scoped : anchor + " " + scoped;
}

Text scope_selectors(Piece selectors, const std::string& anchor) {
  std::string scoped;
  while (true) {
    const std::size_t length = length_until(selectors.mask, ",");
    auto one = scope_selector(selectors.part(0, length), anchor);
    if (!one) return one;
    scoped += *one;
    if (length == selectors.mask.size()) return scoped;
    scoped += ",";
    selectors = selectors.part(length + 1);
  }
}

// --- Rules ---------------------------------------------------------------------------------------

Text check_declarations(Piece block) {
  std::string declarations;
  while (!block.mask.empty()) {
    const std::size_t length = std::min(block.mask.find(';'), block.mask.size());
    const Piece declaration = block.part(0, length).trimmed();
    block = block.part(std::min(length + 1, block.mask.size()));
    if (declaration.mask.empty()) continue;
    const std::size_t colon = declaration.mask.find(':');
    const bool is_plain = declaration.mask.find_first_of("@{}") == std::string_view::npos;
    if (!is_plain || colon == std::string_view::npos) return refuse(declaration.text);
    const std::string name = base::to_lower(declaration.part(0, colon).trimmed().mask);
    const std::string value = base::to_lower(declaration.part(colon + 1).trimmed().mask);
    // Reject "position: fixed" and similar values, because the element could cover the page outside
    // of the widget.
    const bool leaves = name == "position" && !value.starts_with("relative") &&
                        !value.starts_with("absolute") && !value.starts_with("static");
    if (leaves || name.empty() || !std::ranges::all_of(name, is_name)) {
      return refuse(declaration.text);
    }
    declarations.append(declaration.text).append(";");
  }
  return declarations;
}

// Returns the position of the brace that closes the current block. The text "mask" must begin
// inside this block.
std::size_t block_length(std::string_view mask) {
  std::size_t i = 0;
  for (int depth = 1; depth > 0; ++i) depth += mask[i] == '{' ? 1 : mask[i] == '}' ? -1 : 0;
  return i - 1;
}

Text scope_rules(Piece css, const std::string& anchor, int depth) {
  std::string scoped;
  for (css = css.trimmed(); !css.mask.empty(); css = css.trimmed()) {
    const std::size_t brace = css.mask.find_first_of("{};");
    if (brace == std::string_view::npos || css.mask[brace] != '{') {
      return refuse(css.part(0, std::min(brace, css.mask.size() - 1) + 1).text);
    }
    const Piece prelude = css.part(0, brace).trimmed();
    const Piece inside = css.part(brace + 1, block_length(css.mask.substr(brace + 1)));
    css = css.part(brace + inside.mask.size() + 2);
    if (prelude.mask.find('@', 1) != std::string_view::npos) return refuse(prelude.text);
    const bool is_at_rule = prelude.mask.starts_with('@');
    if (is_at_rule) {
      const auto* const end =
          std::find_if_not(prelude.mask.begin() + 1, prelude.mask.end(), is_name);
      const std::string name = base::to_lower({prelude.mask.begin() + 1, end});
      const bool is_known = std::ranges::find(kAtRules, name) != kAtRules.end();
      if (depth == kMaxCssDepth || !is_known) return refuse("@" + name);
    }
    auto head = is_at_rule ? Text(prelude.text) : scope_selectors(prelude, anchor);
    if (!head) return head;
    auto rest = is_at_rule ? scope_rules(inside, anchor, depth + 1) : check_declarations(inside);
    if (!rest) return rest;
    scoped.append(*head).append("{").append(*rest).append("}\n");
  }
  return scoped;
}

}  // namespace

Text scope_css(std::string_view css, std::string_view slug) {
  for (const char c : css) {
    const bool is_control =
        static_cast<unsigned char>(c) < 0x20 && kCssSpaces.find(c) == std::string_view::npos;
    if (c == '\\' || c == '<' || c == '\x7F' || is_control) {
      return refuse(is_control ? std::string_view("A control character") : std::string_view(&c, 1));
    }
  }
  std::string text;
  std::string mask;
  if (const auto bad = separate_strings(css, text, mask); !bad.empty()) return refuse(bad);
  if (const auto bad = bad_nesting(mask); !bad.empty()) return refuse(bad);
  return scope_rules({text, mask}, "[data-template=\"" + std::string(slug) + "\"]", 0);
}

}  // namespace templates
