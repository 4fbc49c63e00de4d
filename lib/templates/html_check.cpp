#include <gumbo.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "base/text.h"
#include "model/decimal.h"
#include "templates/html_tags.h"
#include "templates/template_check.h"

namespace templates {
namespace {

using model::Category;

using Names = std::span<const std::string_view>;
constexpr std::array<std::string_view, 11> kAttributes = {
    "class",      "title",      "role",      "dir",        "lang",        "tabindex",
    "data-value", "data-count", "data-stat", "data-scale", "data-message"};
constexpr std::array<std::string_view, 1> kButtonAttributes = {"type"};
constexpr std::array<std::string_view, 5> kInputAttributes = {"type", "min", "max", "step",
                                                              "value"};
constexpr std::array<std::string_view, 3> kMeterAttributes = {"min", "max", "value"};
constexpr std::array<std::string_view, 16> kSvgAttributes = {
    "viewBox",         "width",     "height",    "fill", "stroke", "stroke-width", "stroke-linecap",
    "stroke-linejoin", "fill-rule", "focusable", "d",    "cx",     "cy",           "r",
    "transform",       "opacity"};
// The allowed attributes that browsers parse as CSS colours. Browsers also accept url() in these
// attributes.
constexpr std::array<std::string_view, 2> kPaints = {"fill", "stroke"};
constexpr std::array<std::string_view, 5> kRequiredValues = {"OBJECT_ID", "OBJECT_TYPE", "CATEGORY",
                                                             "TEMPLATE", "USER_RATING"};

struct DestroyOutput {
  void operator()(GumboOutput* output) const {
    gumbo_destroy_output(&kGumboDefaultOptions, output);
  }
};

bool contains(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view text_in(const GumboStringPiece& piece) { return {piece.data, piece.length}; }

std::span<GumboNode* const> children_of(const GumboElement& element) {
  return {reinterpret_cast<GumboNode* const*>(element.children.data), element.children.length};
}

std::span<GumboAttribute* const> attributes_of(const GumboElement& element) {
  return {reinterpret_cast<GumboAttribute* const*>(element.attributes.data),
          element.attributes.length};
}

// Returns the value of an attribute, or an empty string if the attribute is missing.
std::string_view attribute(const GumboElement& element, const char* name) {
  const GumboAttribute* found = gumbo_get_attribute(&element.attributes, name);
  return found == nullptr ? std::string_view() : std::string_view(found->value);
}

bool has(const GumboElement& element, const char* name) {
  return gumbo_get_attribute(&element.attributes, name) != nullptr;
}

// Returns the name of an element as written in the HTML, because the Gumbo parser does not know all
// element names.
std::string name_of(const GumboElement& element) {
  GumboStringPiece piece = element.original_tag;
  gumbo_tag_from_original_text(&piece);
  constexpr std::size_t kShown = 40;
  return std::string(text_in(piece).substr(0, kShown));
}

// Returns whether the HTML contains the element's own end tag. If an element such as <p> has no end
// tag, the Gumbo parser closes the element at the end tag of its parent.
bool has_end_tag(const GumboElement& element) {
  return base::to_lower(text_in(element.original_end_tag)) ==
         "</" + base::to_lower(name_of(element)) + ">";
}

bool has_value(Category category, std::string_view text) {
  if (category == Category::binary) return text == "0" || text == "1";
  if (category == Category::bipolar) return text == "-1" || text == "0" || text == "1";
  const auto value = model::parse_decimal(text);
  return value && model::thousandths_of(*value, model::decimal_of(1)).has_value();
}

bool has_count(Category category, std::string_view name) {
  const bool is_of_both = name == "positive" || name == "negative";
  const bool is_of_bipolar = name == "neutral" || name == "score";
  return (is_of_both && category != Category::scale) ||
         (is_of_bipolar && category == Category::bipolar);
}

// Returns whether "stat" consists of "prefix" and a number from 1 to 5.
bool is_of_step(std::string_view stat, std::string_view prefix) {
  return stat.size() == prefix.size() + 1 && stat.starts_with(prefix) && stat.back() >= '1' &&
         stat.back() <= '5';
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t i = text.find(part); i != std::string_view::npos; i = text.find(part, i + 1)) {
    ++found;
  }
  return found;
}

// Checks the tree of elements, which is at most kMaxDepth deep. Stops at the first error, which
// refusal() returns.
class Checker {
 public:
  explicit Checker(Category category) : category_(category) {}

  void check_root(const GumboElement& fragment) {
    const GumboElement* root = nullptr;
    for (const GumboNode* child : children_of(fragment)) {
      if (child->type == GUMBO_NODE_WHITESPACE) continue;
      if (child->type != GUMBO_NODE_ELEMENT || root != nullptr) {
        return refuse("there must be one outermost element and nothing beside it");
      }
      root = &child->v.element;
    }
    if (root == nullptr) return refuse("there is no element");
    root_ = root;
    for (const std::string_view name : kRequiredValues) {
      const Value& value = *find_value(name);
      if (!has(*root, value.attribute.data())) {
        return refuse("the outermost element must have " + std::string(value.attribute) + "=\"{{" +
                      std::string(name) + "}}\"");
      }
    }
    check_element(*root);
    if (controls_ == 0) refuse("there is no button or slider with data-value");
  }

  // markers() returns the number of markers in allowed positions, and end_tags() returns the number
  // of end tags that match a start tag.
  [[nodiscard]] std::size_t markers() const { return markers_; }
  [[nodiscard]] std::size_t end_tags() const { return end_tags_; }
  [[nodiscard]] const std::optional<std::string>& refusal() const { return refusal_; }

 private:
  void refuse(std::string what) {
    if (!refusal_) refusal_ = std::move(what);
  }

  void check_element(const GumboElement& element) {
    const bool is_svg = element.tag_namespace == GUMBO_NAMESPACE_SVG;
    const bool is_allowed =
        is_svg ? element.tag == GUMBO_TAG_SVG || contains(kShapes, name_of(element))
               : element.tag_namespace == GUMBO_NAMESPACE_HTML &&
                     contains(kElements, gumbo_normalized_tagname(element.tag));
    if (!is_allowed) return refuse("the element " + name_of(element) + " is not allowed");
    if (has_end_tag(element)) ++end_tags_;
    for (const GumboAttribute* one : attributes_of(element)) check_attribute(element, *one);
    if (element.tag == GUMBO_TAG_BUTTON) check_button(element);
    if (element.tag == GUMBO_TAG_INPUT) check_slider(element);
    const bool has_share = is_of_step(attribute(element, "data-stat"), "share_");
    if (element.tag == GUMBO_TAG_METER || has_share) check_meter(element);
    check_control(element);
    check_numbers(element);
    check_children(element);
  }

  [[nodiscard]] bool allows(const GumboElement& element, std::string_view name) const {
    if (contains(kAttributes, name) || name.starts_with("aria-")) return true;
    if (element.tag_namespace == GUMBO_NAMESPACE_SVG) return contains(kSvgAttributes, name);
    if (element.tag == GUMBO_TAG_BUTTON) return contains(kButtonAttributes, name);
    if (element.tag == GUMBO_TAG_METER) return contains(kMeterAttributes, name);
    return element.tag == GUMBO_TAG_INPUT && contains(kInputAttributes, name);
  }

  void check_attribute(const GumboElement& element, const GumboAttribute& one) {
    const std::string_view name = one.name;
    check_attribute_value(name, one.value);
    const auto markers = read_markers(one.value);
    if (!markers) return refuse(markers.error());
    markers_ += markers->size();
    const std::string_view written = text_in(one.original_value);
    if (!markers->empty() && !written.starts_with('"') && !written.starts_with('\'')) {
      return refuse("the value of " + std::string(name) + " must be in quotes");
    }
    for (const Marker& marker : *markers) {
      if (!may_stand_in(element, marker, one)) {
        return refuse(std::string(marker.whole) + " may not stand in " + std::string(name));
      }
    }
    const bool is_about_widget = !markers->empty() &&
                                 markers->front().kind == Marker::Kind::value &&
                                 find_value(markers->front().name)->kind == ValueKind::root;
    if (!is_about_widget && !allows(element, name)) {
      refuse("the attribute " + std::string(name) + " is not allowed here");
    }
  }

  void check_attribute_value(std::string_view name, std::string_view value) {
    // Browsers do not escape "<" when they serialize an attribute. If the resulting HTML is parsed
    // again in a different context, the "<" can begin a tag.
    if (value.find('<') != std::string_view::npos) refuse("an attribute may not hold <");
    if (contains(kPaints, name) && value.find('(') != std::string_view::npos) {
      refuse(std::string(name) + " must be a colour by its name or number");
    }
    if (name == "tabindex" && value != "0" && value != "-1") refuse("tabindex must be 0 or -1");
  }

  [[nodiscard]] bool may_stand_in(const GumboElement& element, const Marker& marker,
                                  const GumboAttribute& one) const {
    if (marker.kind != Marker::Kind::value) return false;
    const std::string_view name = one.name;
    const bool is_all = marker.whole == std::string_view(one.value);
    const Value& value = *find_value(marker.name);
    switch (value.kind) {
      case ValueKind::root:
        return is_all && name == value.attribute && &element == root_;
      case ValueKind::label:
        return name == "aria-label" || name == "title";
      case ValueKind::average:
        return is_all && element.tag == GUMBO_TAG_INPUT &&
               (name == "value" || name == "data-value");
      case ValueKind::share:
        return element.tag == GUMBO_TAG_METER && name == "value";
      case ValueKind::number:
        break;
    }
    return false;
  }

  void check_button(const GumboElement& element) {
    if (attribute(element, "type") != "button") refuse("a button must have type=\"button\"");
    const bool is_radio = attribute(element, "role") == "radio" && has(element, "aria-checked");
    if (!has(element, "aria-pressed") && !is_radio) {
      refuse("a button must have aria-pressed, or role=\"radio\" and aria-checked");
    }
  }

  void check_slider(const GumboElement& element) {
    if (attribute(element, "type") != "range" || category_ != Category::scale) {
      refuse("an input must have type=\"range\", in a template of category scale");
    }
    if (attribute(element, "min") != "0" || attribute(element, "max") != "1") {
      refuse("a slider must have min=\"0\" and max=\"1\"");
    }
    if (!has(element, "aria-label")) refuse("a slider must have aria-label");
  }

  void check_meter(const GumboElement& element) {
    if (element.tag != GUMBO_TAG_METER) return refuse("a share belongs into a meter");
    if (attribute(element, "min") != "0" || attribute(element, "max") != "1") {
      refuse("a meter must have min=\"0\" and max=\"1\"");
    }
    const std::string_view stat = attribute(element, "data-stat");
    if (!is_of_step(stat, "share_") ||
        attribute(element, "value") != "{{SHARE_" + std::string(1, stat.back()) + "}}") {
      refuse("a meter must have data-stat=\"share_1\" and value=\"{{SHARE_1}}\", or another step");
    }
    if (!has(element, "aria-label") && attribute(element, "aria-hidden") != "true") {
      refuse("a meter must have aria-label, or aria-hidden=\"true\"");
    }
    if (element.children.length != 0) refuse("a meter must be empty");
  }

  void check_control(const GumboElement& element) {
    if (!has(element, "data-value")) return;
    ++controls_;
    if (element.tag == GUMBO_TAG_INPUT) return;
    if (element.tag != GUMBO_TAG_BUTTON) refuse("data-value belongs to a button or a slider");
    if (!has_value(category_, attribute(element, "data-value"))) {
      refuse("data-value must be a value of category " + std::string(name_of(category_)));
    }
  }

  static std::string_view name_of(Category category) { return model::name_of(category); }
  static std::string name_of(const GumboElement& element) { return templates::name_of(element); }

  // Checks the elements with a data-count or data-stat attribute. The script ratingd-widget.js
  // updates the text of these elements or, if the element is a meter, the meter's value.
  void check_numbers(const GumboElement& element) {
    if (!has(element, "data-count") && !has(element, "data-stat")) return;
    const std::string_view stat = attribute(element, "data-stat");
    const bool is_of_scale = is_of_step(stat, "step_") || is_of_step(stat, "share_");
    const bool is_known = has(element, "data-stat")
                              ? stat == "total" || stat == "votes" || stat == "average" ||
                                    stat == "own" || (is_of_scale && category_ == Category::scale)
                              : has_count(category_, attribute(element, "data-count"));
    if (!is_known) refuse("data-count or data-stat names no number of this category");
    if (element.tag == GUMBO_TAG_METER) return;
    if (element.children.length != 1 || children_of(element)[0]->type != GUMBO_NODE_TEXT) {
      refuse("an element with data-count or data-stat holds one marker and nothing else");
    }
  }

  void check_children(const GumboElement& element) {
    bool is_in_section = false;
    for (const GumboNode* child : children_of(element)) {
      if (child->type == GUMBO_NODE_ELEMENT) {
        check_element(child->v.element);
      } else if (child->type == GUMBO_NODE_TEXT) {
        check_text(element, child->v.text.text, is_in_section);
      } else if (child->type != GUMBO_NODE_WHITESPACE) {
        refuse("comments and the like are not allowed");
      }
    }
    if (is_in_section) refuse("{{#COUNTS}} is without {{/COUNTS}} in the same element");
  }

  void check_text(const GumboElement& element, std::string_view text, bool& is_in_section) {
    if (element.tag_namespace == GUMBO_NAMESPACE_SVG) return refuse("svg may not hold text");
    const auto markers = read_markers(text);
    if (!markers) return refuse(markers.error());
    markers_ += markers->size();
    if (markers->empty() && (has(element, "data-count") || has(element, "data-stat"))) {
      refuse("an element with data-count or data-stat holds one marker and nothing else");
    }
    for (const Marker& marker : *markers) {
      if (marker.kind == Marker::Kind::value) {
        check_text_value(element, text, marker);
      } else if (is_in_section == (marker.kind == Marker::Kind::section_start)) {
        refuse(std::string(marker.whole) + " does not match within its element");
      } else {
        is_in_section = !is_in_section;
      }
    }
  }

  void check_text_value(const GumboElement& element, std::string_view text, const Marker& marker) {
    const Value& value = *find_value(marker.name);
    if (value.kind == ValueKind::label) return;
    if (value.kind == ValueKind::root) {
      return refuse(std::string(marker.whole) + " belongs into " + std::string(value.attribute));
    }
    if (value.kind == ValueKind::share) {
      return refuse(std::string(marker.whole) + " belongs into the value of a meter");
    }
    const std::string_view scale = attribute(element, "data-scale");
    const bool is_said = attribute(element, value.attribute.data()) == value.stat &&
                         (value.scale.empty() || (scale.empty() ? "1" : scale) == value.scale);
    if (is_said && marker.whole == text) return;
    refuse(std::string(marker.whole) + " must be all of an element with " +
           std::string(value.attribute) + "=\"" + std::string(value.stat) + "\"" +
           (value.scale.empty() ? "" : " data-scale=\"" + std::string(value.scale) + "\""));
  }

  const Category category_;
  const GumboElement* root_ = nullptr;
  int controls_ = 0;
  std::size_t markers_ = 0;
  std::size_t end_tags_ = 0;
  std::optional<std::string> refusal_;
};

}  // namespace

std::optional<std::string> refuse_html(std::string_view html, Category category) {
  const auto markers = read_markers(html);
  if (!markers) return markers.error();
  if (html.find('\0') != std::string_view::npos) return "there is a NUL";
  if (auto refusal = refuse_tags(html)) return refusal;
  GumboOptions options = kGumboDefaultOptions;
  options.fragment_context = GUMBO_TAG_DIV;
  options.max_errors = 1;  // stop at the first error
  const std::unique_ptr<GumboOutput, DestroyOutput> output(
      gumbo_parse_with_options(&options, html.data(), html.size()));
  if (output->errors.length > 0) {
    return "it is not valid HTML: an element is not closed, or an attribute or a character "
           "reference is wrong";
  }
  Checker checker(category);
  checker.check_root(output->root->v.element);
  if (checker.refusal()) return checker.refusal();
  // The Gumbo parser ignores end tags without a start tag. On a page, an end tag without a start
  // tag would close an element outside of the widget.
  if (checker.end_tags() != count(html, "</")) {
    return "there is an end tag that ends nothing, or holds more than a name";
  }
  // The number of markers differs between the source text and the parsed HTML if a marker is
  // outside text and attributes, or is written with character references.
  if (checker.markers() != markers->size()) return "markers must stand in texts and attributes";
  return std::nullopt;
}

}  // namespace templates
