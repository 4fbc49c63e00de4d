#include "templates/render.h"

#include <ctemplate/template.h>
#include <ctemplate/template_dictionary.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include "model/rating.h"

namespace templates {
namespace {

using ctemplate::TemplateDictionary;

constexpr std::int64_t kOne = 10'000;  // averages are in ten-thousandths

// The ctemplate library escapes values only if this marker is the first marker in a template.
constexpr std::string_view kEscape = "{{%AUTOESCAPE context=\"HTML\"}}";

std::unique_ptr<ctemplate::Template> compile(std::string_view html) {
  const std::string text = std::string(kEscape).append(html);
  return std::unique_ptr<ctemplate::Template>(
      ctemplate::Template::StringToTemplate(text, ctemplate::DO_NOT_STRIP));
}

// Returns "number" / "unit", rounded to the nearest integer, with halves rounded up.
std::int64_t rounded(std::int64_t number, std::int64_t unit) {
  const std::int64_t doubled = 2 * number + unit;
  const std::int64_t quotient = doubled / (2 * unit);
  return doubled < 0 && doubled % (2 * unit) != 0 ? quotient - 1 : quotient;
}

// Divides "number" by 10^"places" and returns the result as text with exactly "places" decimals.
// "places" must be greater than 0.
std::string fixed(std::int64_t number, int places) {
  std::int64_t unit = 1;
  for (int i = 0; i < places; ++i) unit *= 10;
  const std::int64_t magnitude = number < 0 ? -number : number;
  // Adding "unit" preserves leading zeros: 0.050 becomes 1050, and the leading 1 is then replaced
  // with the decimal point.
  std::string fraction = std::to_string(unit + magnitude % unit);
  fraction.front() = '.';
  return (number < 0 ? "-" : "") + std::to_string(magnitude / unit) + fraction;
}

// Returns the average as text, in the same format as in ratingd-widget.js. Averages on smaller
// scales have more decimals.
std::string average_text(std::optional<std::int64_t> average, std::int64_t scale) {
  if (!average) return "–";
  if (scale >= 100) return std::to_string(rounded(*average * scale, kOne));
  if (scale >= 5) return fixed(rounded(*average * scale * 10, kOne), 1);
  return fixed(rounded(*average * scale * 100, kOne), 2);
}

// For each step from 1 to 5, sets the template values for the number of ratings and their share
// (docs/widgets.md, "Templates"). The script ratingd-widget.js computes the same numbers.
void set_steps(TemplateDictionary& values, const model::Totals& totals) {
  std::array<std::int64_t, 6> steps{};
  for (std::size_t bin = 0; bin < model::Totals::kBins; ++bin) {
    steps[std::max<std::size_t>(1, (bin + 1) / 2)] += totals.bins[bin];
  }
  const std::int64_t total = std::max<std::int64_t>(1, totals.total());
  for (std::size_t step = 1; step < steps.size(); ++step) {
    const std::string number = std::to_string(step);
    values.SetIntValue("STEP_" + number, static_cast<long>(steps[step]));
    values.SetValue("SHARE_" + number, fixed(rounded(steps[step] * 1000, total), 3));
  }
}

void set_numbers(TemplateDictionary& values, const model::Totals& totals) {
  values.SetIntValue("TOTAL", static_cast<long>(totals.total()));
  values.SetValue("VOTES", totals.total() == 1 ? "vote" : "votes");
  values.SetIntValue("POSITIVE", static_cast<long>(model::positive(totals)));
  values.SetIntValue("NEUTRAL", static_cast<long>(model::neutral(totals)));
  values.SetIntValue("NEGATIVE", static_cast<long>(model::negative(totals)));
  values.SetIntValue("SCORE", static_cast<long>(model::positive(totals) - model::negative(totals)));
  const auto mean = model::average(totals);
  values.SetValue("AVERAGE", average_text(mean, 1));
  values.SetValue("AVERAGE_5", average_text(mean, 5));
  values.SetValue("AVERAGE_10", average_text(mean, 10));
  values.SetValue("AVERAGE_100", average_text(mean, 100));
  set_steps(values, totals);
  values.SetValue("TENTHS", mean ? std::to_string(rounded(*mean * 10, kOne)) : "");
}

void set_labels(TemplateDictionary& values) {
  values.SetValue("LABEL_RATING", "Rating");
  values.SetValue("LABEL_LIKE", "Like");
  values.SetValue("LABEL_DISLIKE", "Dislike");
  values.SetValue("LABEL_VOTES", "votes");
  values.SetValue("LABEL_AVERAGE", "Average rating:");
  for (int step = 1; step <= 5; ++step) {
    const std::string below = std::to_string(step - 1);
    values.SetValue("LABEL_" + below + "_5", below + ".5 of 5");
    values.SetValue("LABEL_" + std::to_string(step), std::to_string(step) + " of 5");
  }
}

}  // namespace

bool can_render(std::string_view html) { return compile(html) != nullptr; }

std::string render(const model::Template& widget_template, const Widget& widget) {
  TemplateDictionary values("widget");
  values.SetValue("OBJECT_ID", widget.object_id);
  values.SetValue("OBJECT_TYPE", widget.object_type);
  values.SetValue("CATEGORY", std::string(name_of(widget_template.category)));
  values.SetValue("TEMPLATE", widget_template.slug);
  values.SetValue("USER_RATING", "");
  values.SetValue("OWN", "");
  values.SetValue("SIZE", std::string(widget.size));
  values.SetValue("COLOR_SCHEME", std::string(widget.color_scheme));
  set_numbers(values, widget.totals);
  set_labels(values);
  if (widget.shows_counts) values.ShowSection("COUNTS");

  const auto compiled = compile(widget_template.html);
  if (compiled == nullptr)
    throw std::runtime_error("template " + widget_template.slug + " is damaged");
  std::string html;
  compiled->Expand(&html, &values);
  return html;
}

}  // namespace templates
