#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/zone.h"
#include "imports/plugin.h"
#include "model/rating.h"

namespace imports {

// A vote counted by the plugin.
struct CountedVote {
  VoteMeaning meaning;
  std::optional<model::VoterId> voter;  // empty if the plugin does not store who voted
  std::optional<base::Time> rated_at;   // empty if unknown
  base::Time created_at;                // must not be after rated_at
  std::size_t query = 0;                // the index of the plugin's query
  std::uint64_t row = 0;

  bool operator==(const CountedVote&) const = default;
};

// DESIGN. Decides which of a plugin's votes on one object in one category are imported as
// individual ratings, and which votes are only counted in sums. The newest vote of each known voter
// becomes a rating. All other votes are counted only in sums, including votes that the plugin
// counts but does not store as rows. If the day of a vote is known, the vote is counted in the sums
// for that day.
class ObjectVotes {
 public:
  using Voters = std::unordered_map<model::VoterId, CountedVote>;

  // "zones" must outlive this object. If "counts_once" is true, identical votes by the same voter
  // count as one vote.
  ObjectVotes(model::Category category, const base::ZoneHistory& zones, bool counts_once = false)
      : category_(category), zones_(zones), counts_once_(counts_once) {}

  void add(const CountedVote& vote);
  // Decides which votes become ratings and which are counted only in sums. Call this function once,
  // after all calls to add() and before any other function.
  void settle();
  // If the plugin shows more votes than add() has received, adds the missing votes to the sums. If
  // the figures shown by the plugin contradict the votes, returns an error and adds no votes.
  [[nodiscard]] tl::expected<void, Reason> complete(const Figures& shown, double steps,
                                                    double rounding);
  // Adds votes that the plugin counts but does not store as rows. Returns an error with the reason
  // if the number and the sum in "figures" contradict each other, for example if the sum is too
  // large for the number of votes.
  [[nodiscard]] tl::expected<void, Reason> add_sums(const Figures& figures, double steps);

  [[nodiscard]] const Voters& attributed() const { return attributed_; }
  [[nodiscard]] const std::map<base::Day, model::Totals>& dated() const { return dated_; }
  [[nodiscard]] const model::Totals& undated() const { return undated_; }
  // Returns the number and the sum of all votes, including votes without a known voter.
  [[nodiscard]] const Figures& figures() const { return figures_; }

 private:
  void count(const CountedVote& vote);
  void add_to_sums(const CountedVote& vote);

  const model::Category category_;
  const base::ZoneHistory& zones_;
  const bool counts_once_;
  Voters attributed_;
  // If "counts_once_" is true, contains the newest vote for each voter and value.
  std::map<std::pair<model::VoterId, model::Thousandths>, CountedVote> once_;
  std::map<base::Day, model::Totals> dated_;
  model::Totals undated_;
  Figures figures_;
};

inline constexpr Reason kFewerShown =
    Reason("the plugin shows fewer votes than it stores, and all stored votes are imported");
inline constexpr Reason kLostVotes = Reason(
    "the plugin has deleted votes since the last import, so the import keeps the earlier totals");
inline constexpr Reason kMerged = Reason("the object was merged with another object");
inline constexpr Reason kOtherSum =
    Reason("the plugin shows an average that differs from the average of its stored votes");

}  // namespace imports
