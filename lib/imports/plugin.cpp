#include "imports/plugin.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parse.h"
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

// The time at which the clocks of "zone" show "shown": the second time in an hour that is repeated,
// and the time before the change in an hour that is skipped.
base::Time moment_of(base::Time shown, const base::Zone& zone) {
  const base::Time guess = shown - zone.stretch_at(shown).offset;
  return shown - zone.stretch_at(guess).offset;
}

}  // namespace

std::span<const Plugin* const> plugins() {
  static constexpr std::array kPlugins = {&ratepress::kPlugin,        &wp_postratings::kPlugin,
                                          &kk_star_ratings::kPlugin,  &yasr::kPlugin,
                                          &shuriken_reviews::kPlugin, &wp_ulike::kPlugin,
                                          &rest_likes::kPlugin};
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
  return VoteMeaning{model::Category::scale, *thousandths};
}

tl::expected<TotalMeaning, Reason> scale_sums(std::int64_t votes, double sum, double highest) {
  constexpr double kRounding = 1e-6;  // error of a float sum of votes
  const double mean = sum / static_cast<double>(votes);
  if (votes < 1 || votes > kMaxVotes || !(highest > 0) || sum < 0 ||
      mean > highest * (1 + kRounding))
    return because(kNoSums);
  TotalMeaning meaning{model::Category::scale, {}};
  meaning.sums.sum = std::min(std::llround(sum * 1000 / highest), 1000LL * votes);
  const double lower = std::min(std::floor(mean + kRounding), highest);
  const double upper = std::min(lower + 1, highest);
  const std::int64_t above =
      std::clamp<std::int64_t>(std::llround(sum - lower * static_cast<double>(votes)), 0, votes);
  const auto bin = [&](double value) {
    return model::bin_of(model::Category::scale,
                         static_cast<model::Thousandths>(std::lround(value * 1000 / highest)));
  };
  meaning.sums.bins[bin(lower)] += votes - above;
  meaning.sums.bins[bin(upper)] += above;
  return meaning;
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
