#include "templates/css.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/bytes.h"

namespace templates {
namespace {

// DESIGN. The text is taken apart only as far as it must be to know where selectors, blocks and
// functions are; declarations stay as they are. All of that is unambiguous because what CSS could
// hide it in is refused: escapes, and characters that only matter where CSS is inside HTML.

constexpr std::array<std::string_view, 3> kAtRules = {"media", "supports", "container"};

// Nothing here loads anything or runs anything.
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

constexpr int kMaxDepth = 4;

using Text = tl::expected<std::string, std::string>;

tl::unexpected<std::string> refuse(std::string_view what) {
  constexpr std::size_t kShown = 80;
  return tl::unexpected(std::string(what.substr(0, kShown)).append(" is not allowed."));
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The length of the quoted string that "text" begins with; 0 if it does not end on its line.
std::size_t string_length(std::string_view text) {
  const std::size_t end = text.find_first_of(std::string("\n\r") + text.front(), 1);
  return end == std::string_view::npos || text[end] != text.front() ? 0 : end + 1;
}

// Without comments, each of which becomes a space.
Text without_comments(std::string_view css) {
  std::string text;
  while (!css.empty()) {
    std::size_t length = 1;
    if (css.front() == '"' || css.front() == '\'') {
      length = string_length(css);
      if (length == 0) return refuse("A string that does not end on its line");
    } else if (css.starts_with("/*")) {
      const std::size_t end = css.find("*/", 2);
      if (end == std::string_view::npos) return refuse("A comment without its end");
      text += ' ';
      css.remove_prefix(end + 2);
      continue;
    }
    text += css.substr(0, length);
    css.remove_prefix(length);
  }
  return text;
}

// Why the functions, brackets and characters of "text", a piece without blocks, may not be.
// Empty if they may.
std::string bad_piece(std::string_view text) {
  std::string open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') i += string_length(text.substr(i)) - 1;
    if (c == '@' || c == '{' || c == '}') return std::string(1, c) + " here";
    if (c == '[') open += ']';
    if (c == ')' || c == ']') {
      if (open.empty() || open.back() != c) return std::string(1, c) + " without its start";
      open.pop_back();
    }
    if (c != '(') continue;
    open += ')';
    std::size_t start = i;
    while (start > 0 && is_name(text[start - 1])) --start;
    const std::string name = base::to_lower(text.substr(start, i - start));
    const bool is_word = name.empty() || name == "and" || name == "or";
    if (!is_word && std::ranges::find(kFunctions, name) == kFunctions.end()) return name + "()";
  }
  return open.empty() ? std::string() : "A bracket without its end";
}

// --- Selectors
// ------------------------------------------------------------------------------------

// A part of a selector without combinators, and the combinator before it: ' ', '>', '+', '~', or
// '\0' for none.
struct Compound {
  char combinator;
  std::string_view text;
};

// The length of "text" up to the first character of "ends" that is outside brackets and strings.
std::size_t length_until(std::string_view text, std::string_view ends) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && ends.find(c) != std::string_view::npos) return i;
    if (c == '"' || c == '\'') i += string_length(text.substr(i)) - 1;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
  }
  return text.size();
}

std::vector<Compound> compounds_of(std::string_view selector) {
  std::vector<Compound> compounds;
  selector = trim(selector);
  while (!selector.empty()) {
    char combinator = compounds.empty() ? '\0' : ' ';
    while (!selector.empty() && (is_space(selector.front()) || selector.front() == '>' ||
                                 selector.front() == '+' || selector.front() == '~')) {
      if (!is_space(selector.front())) combinator = selector.front();
      selector.remove_prefix(1);
    }
    const std::size_t length = length_until(selector, " \t\r\n>+~");
    compounds.push_back({combinator, selector.substr(0, length)});
    selector.remove_prefix(length);
  }
  return compounds;
}

// The length of what stands for the widget at the start of "compound"; 0 if nothing does.
std::size_t anchor_length(std::string_view compound) {
  if (compound.starts_with('&')) return 1;
  if (!compound.starts_with("[data-template=")) return 0;
  return std::min(length_until(compound.substr(1), "]") + 2, compound.size());
}

// Whether "compound" speaks of the widget elsewhere than at its start, or joins to it what cannot
// follow it there: browsers would drop the whole rule.
bool misplaces_anchor(std::string_view compound) {
  const std::size_t length = anchor_length(compound);
  const std::string_view rest = compound.substr(length);
  if (length > 0 && !rest.empty() &&
      std::string_view(".:#[").find(rest.front()) == std::string_view::npos)
    return true;
  return rest.find('&') != std::string_view::npos ||
         rest.find("data-template") != std::string_view::npos;
}

Text scope_selector(std::string_view selector, const std::string& anchor) {
  const auto compounds = compounds_of(selector);
  if (compounds.empty()) return refuse("A rule without a selector");
  std::string scoped;
  int anchors = 0;
  bool was_anchor = false;
  for (const Compound& compound : compounds) {
    const std::size_t length = anchor_length(compound.text);
    if (compound.text.empty() || misplaces_anchor(compound.text)) return refuse(trim(selector));
    // The element beside a widget is not the widget's.
    if (was_anchor && compound.combinator != ' ' && compound.combinator != '>') {
      return refuse(trim(selector));
    }
    if (compound.combinator == '>' || compound.combinator == '+' || compound.combinator == '~') {
      scoped.append(" ").append(1, compound.combinator);
    }
    if (!scoped.empty()) scoped += ' ';
    was_anchor = length > 0;
    anchors += was_anchor ? 1 : 0;
    scoped.append(was_anchor ? anchor : "").append(compound.text.substr(length));
  }
  if (anchors > 1 || (anchors == 0 && compounds.front().combinator != '\0')) {
    return refuse(trim(selector));
  }
  return anchors == 1 ? scoped : anchor + " " + scoped;
}

Text scope_selectors(std::string_view selectors, const std::string& anchor) {
  if (std::string bad = bad_piece(selectors); !bad.empty()) return refuse(bad);
  std::string scoped;
  while (true) {
    const std::size_t length = length_until(selectors, ",");
    auto one = scope_selector(selectors.substr(0, length), anchor);
    if (!one) return one;
    scoped += *one;
    if (length == selectors.size()) return scoped;
    scoped += ",";
    selectors.remove_prefix(length + 1);
  }
}

// --- Rules
// ----------------------------------------------------------------------------------------

Text check_declarations(std::string_view block) {
  std::string declarations;
  while (!block.empty()) {
    const std::size_t length = length_until(block, ";");
    const std::string_view declaration = trim(block.substr(0, length));
    block.remove_prefix(std::min(length + 1, block.size()));
    if (declaration.empty()) continue;
    if (std::string bad = bad_piece(declaration); !bad.empty()) return refuse(bad);
    const std::size_t colon = declaration.find(':');
    if (colon == std::string_view::npos) return refuse(declaration);
    const std::string name = base::to_lower(trim(declaration.substr(0, colon)));
    const std::string value = base::to_lower(trim(declaration.substr(colon + 1)));
    // It would leave the widget, and may cover the page.
    const bool leaves = name == "position" && !value.starts_with("relative") &&
                        !value.starts_with("absolute") && !value.starts_with("static");
    if (leaves || name.empty() || !std::ranges::all_of(name, is_name)) return refuse(declaration);
    declarations.append(declaration).append(";");
  }
  return declarations;
}

// The length of "text" up to the brace that closes a block whose inside it begins with.
std::size_t block_length(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') i += string_length(text.substr(i)) - 1;
    if (c == '{') ++depth;
    if (c == '}' && depth-- == 0) return i;
  }
  return std::string_view::npos;
}

Text scope_rules(std::string_view css, const std::string& anchor, int depth);

// What stands before the brace, and inside of the braces.
Text scope_rule(std::string_view prelude, std::string_view block, const std::string& anchor,
                int depth) {
  const bool is_at_rule = prelude.starts_with('@');
  if (is_at_rule) {
    const std::string_view text = prelude.substr(1);
    std::size_t length = 0;
    while (length < text.size() && is_name(text[length])) ++length;
    const std::string name = base::to_lower(text.substr(0, length));
    if (depth == kMaxDepth || std::ranges::find(kAtRules, name) == kAtRules.end()) {
      return refuse("@" + name);
    }
    if (std::string bad = bad_piece(text); !bad.empty()) return refuse(bad);
  }
  auto head = is_at_rule ? Text(prelude) : scope_selectors(prelude, anchor);
  if (!head) return head;
  auto inside = is_at_rule ? scope_rules(block, anchor, depth + 1) : check_declarations(block);
  if (!inside) return inside;
  return *head + "{" + *inside + "}\n";
}

Text scope_rules(std::string_view css, const std::string& anchor, int depth) {
  std::string scoped;
  for (css = trim(css); !css.empty(); css = trim(css)) {
    const std::size_t brace = length_until(css, "{};");
    if (brace == css.size() || css[brace] != '{') return refuse(trim(css.substr(0, brace + 1)));
    const std::string_view prelude = trim(css.substr(0, brace));
    css.remove_prefix(brace + 1);
    const std::size_t length = block_length(css);
    if (length == std::string_view::npos) return refuse("{ without its }");
    auto rule = scope_rule(prelude, css.substr(0, length), anchor, depth);
    if (!rule) return rule;
    scoped += *rule;
    css.remove_prefix(length + 1);
  }
  return scoped;
}

}  // namespace

Text scope_css(std::string_view css, std::string_view slug) {
  for (const char c : css) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 && !is_space(c);
    if (c == '\\' || c == '<' || c == '\x7F' || is_control) {
      return refuse(is_control ? std::string_view("A control character") : std::string_view(&c, 1));
    }
  }
  auto text = without_comments(css);
  if (!text) return text;
  return scope_rules(*text, "[data-template=\"" + std::string(slug) + "\"]", 0);
}

}  // namespace templates
