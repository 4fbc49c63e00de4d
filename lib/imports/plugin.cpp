#include "imports/plugin.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/text.h"
#include "base/timestamp.h"

namespace imports {
namespace {

constexpr std::int64_t kEndOfNumbers = 1'000'000'000'000;
constexpr base::Time kFirst = base::Day(std::chrono::year(1971) / 1 / 1);

std::optional<base::Time> plausible(std::optional<base::Time> time) {
  return time && *time >= kFirst ? time : std::nullopt;
}

std::optional<base::Time> since_1970(std::string_view seconds) {
  const auto number = whole_number(seconds);
  constexpr std::int64_t kMost = 253'402'300'799;  // 9999-12-31 23:59:59
  if (!number || *number < 0 || *number > kMost) return std::nullopt;
  return base::Time(std::chrono::seconds(*number));
}

// Converts the local time "shown" in the time zone "zone" to UTC. If the clocks were set back and
// "shown" occurs twice, returns either of the two times. If the clocks were set forward and "shown"
// does not exist, returns a time near the clock change.
base::Time moment_of(base::Time shown, const base::Zone& zone) {
  const base::Time guess = shown - zone.stretch_at(shown).offset;
  return shown - zone.stretch_at(guess).offset;
}

}  // namespace

std::span<const Plugin* const> plugins() {
  static constexpr std::array kPlugins = {
      &ratepress::kPlugin,  &wp_postratings::kPlugin,   &kk_star_ratings::kPlugin,
      &yasr::kPlugin,       &shuriken_reviews::kPlugin, &wp_ulike::kPlugin,
      &rest_likes::kPlugin, &rate_my_post::kPlugin,     &site_reviews::kPlugin};
  return kPlugins;
}

std::string plugin_grants(const store::GrantNames& names, const Plugin& plugin) {
  return plugin_grants(names, plugin, names.workers) +
         plugin_grants(names, plugin, names.ratingctl);
}

std::string plugin_grants(const store::GrantNames& names, const Plugin& plugin,
                          const std::string& account) {
  std::vector<std::string_view> tables;
  for (const PluginTable& table : plugin.tables) tables.push_back(table.name);
  return store::read_grants(names, account, tables);
}

const Plugin* plugin_named(std::string_view name) {
  const auto found = std::ranges::find(plugins(), name, &Plugin::name);
  return found == plugins().end() ? nullptr : *found;
}

std::optional<base::Time> unix_time(std::string_view text, const base::Zone&) {
  return plausible(since_1970(text));
}

std::optional<base::Time> site_unix_time(std::string_view text, const base::Zone& site_zone) {
  const auto shown = plausible(since_1970(text));
  return shown ? std::optional(moment_of(*shown, site_zone)) : std::nullopt;
}

std::optional<base::Time> utc_time(std::string_view text, const base::Zone&) {
  return plausible(base::from_datetime(text));
}

std::optional<base::Time> site_time(std::string_view text, const base::Zone& site_zone) {
  const auto shown = plausible(base::from_datetime(text));
  return shown ? std::optional(moment_of(*shown, site_zone)) : std::nullopt;
}

tl::expected<VoteMeaning, Reason> scale_value(std::string_view value, const model::Decimal& lowest,
                                              const model::Decimal& highest) {
  const auto number = model::parse_decimal(value);
  if (!number) return because(kNoNumber);
  if (*number < lowest) return because(kOutOfRange);
  const auto thousandths = model::thousandths_of(*number, highest);
  if (!thousandths) return because(kOutOfRange);
  const auto as_double = [](const model::Decimal& decimal) {
    return base::parse_number<double>(model::to_text(decimal)).value_or(0);
  };
  return VoteMeaning{model::Category::scale, *thousandths, as_double(*number) / as_double(highest)};
}

tl::expected<TotalMeaning, Reason> scale_figures(std::optional<double> votes,
                                                 std::optional<double> sum, double highest) {
  if (!votes) return because(kNoNumber);
  if (*votes == 0) return TotalMeaning{model::Category::scale, {}};
  if (!sum) return because(kNoNumber);
  if (*votes < 1 || *votes > static_cast<double>(kMaxVotes) || !(highest > 0)) {
    return because(kNoSums);
  }
  return TotalMeaning{model::Category::scale, {static_cast<std::int64_t>(*votes), *sum / highest}};
}

tl::expected<model::Totals, Reason> sums_of(model::Category category, const Figures& figures,
                                            double steps) {
  constexpr double kRounding = 1e-6;  // the error in a floating-point sum of votes
  const auto votes = static_cast<double>(figures.votes);
  const double lowest = category == model::Category::bipolar ? -1 : 0;
  const double mean = figures.sum / votes;
  if (figures.votes < 1 || figures.votes > kMaxVotes || !(mean >= lowest - kRounding) ||
      mean > 1 + kRounding) {
    return because(kNoSums);
  }
  const std::int64_t least = static_cast<std::int64_t>(lowest) * 1000 * figures.votes;
  model::Totals sums;
  sums.sum =
      std::clamp<std::int64_t>(std::llround(figures.sum * 1000), least, 1000 * figures.votes);
  // Assume that each vote has one of the two values on the scale that are nearest to the mean.
  if (category == model::Category::bipolar) steps = 0.5;
  if (category == model::Category::binary) steps = 1;
  const double range = 1 - lowest;
  const double lower = std::min(std::floor((mean - lowest) * steps + kRounding), steps * range);
  const double upper = std::min(lower + 1, steps * range);
  const auto above = std::clamp<std::int64_t>(
      std::llround((figures.sum - lowest * votes) * steps - lower * votes), 0, figures.votes);
  const bool is_whole = std::abs((figures.sum - lowest * votes) * steps - lower * votes -
                                 static_cast<double>(above)) < 0.01;
  if (category != model::Category::scale && !is_whole) return because(kNoSums);
  const auto bin = [&](double step) {
    return model::bin_of(
        category, static_cast<model::Thousandths>(std::lround((step / steps + lowest) * 1000)));
  };
  sums.bins[bin(lower)] += figures.votes - above;
  sums.bins[bin(upper)] += above;
  return sums;
}

std::optional<double> php_number(std::string_view text) {
  if (text.size() > kMaxNumber) return std::nullopt;
  text = base::trim_like_php(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number = 0;
  const bool is_number = !text.empty() && text.find_first_of("0123456789") <= 2 &&
                         text.find_first_not_of("+-.0123456789") != 0;
  if (!is_number) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || std::abs(number) >= static_cast<double>(kEndOfNumbers)) {
    return std::nullopt;
  }
  return number;
}

std::optional<double> php_integer(std::string_view text) {
  const auto number = php_number(text);
  return number ? std::optional(std::trunc(*number)) : std::nullopt;
}

bool PluginContext::is_before(std::string_view other_version) const {
  std::string_view mine = version;
  while (!mine.empty() || !other_version.empty()) {
    const auto part = [](std::string_view& rest) {
      return php_integer(base::take_until(rest, '.')).value_or(0);
    };
    const double of_mine = part(mine);
    const double of_other = part(other_version);
    if (of_mine != of_other) return of_mine < of_other;
  }
  return false;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.size() > kMaxNumber) return std::nullopt;
  const auto number = base::parse_number<std::int64_t>(text);
  return number && std::abs(*number) < kEndOfNumbers ? number : std::nullopt;
}

std::optional<double> number(std::string_view text) {
  if (text.size() > kMaxNumber) return std::nullopt;
  const auto number = base::parse_number<double>(text);
  return number && std::abs(*number) < static_cast<double>(kEndOfNumbers) ? number : std::nullopt;
}

}  // namespace imports
