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

// A vote that the plugin counts.
struct CountedVote {
  VoteMeaning meaning;
  std::optional<model::VoterId> voter;  // empty if the plugin does not store who voted
  std::optional<base::Time> rated_at;   // empty if unknown
  base::Time created_at;                // must not be after rated_at
  std::size_t query = 0;                // the index of the plugin's query
  std::uint64_t row = 0;

  bool operator==(const CountedVote&) const = default;
};

// DESIGN. Decides which votes on an object in one category become ratings, and which become sums.
// No vote that the plugin counts is lost. Each voter's newest vote is attributed to this voter and
// becomes a rating. All other votes become sums. If a vote's day is known, the vote is added to
// this day's sums. Votes that the plugin counts but does not store as rows become sums, too.
class ObjectVotes {
 public:
  using Voters = std::unordered_map<model::VoterId, CountedVote>;

  // "zones" must outlive this object. If "counts_once" is true, a voter's equal votes count only
  // once.
  ObjectVotes(model::Category category, const base::ZoneHistory& zones, bool counts_once = false)
      : category_(category), zones_(zones), counts_once_(counts_once) {}

  void add(const CountedVote& vote);
  // Decides which votes become ratings and which become sums. Call this function once, after all
  // calls of add() and before any other function.
  void settle();
  // Compares the votes with "shown", the figures that the plugin shows, and adds the missing votes
  // to the sums. If the shown figures do not match the votes, returns the reason. After an error,
  // no votes are added.
  [[nodiscard]] tl::expected<void, Reason> complete(const Figures& shown, double steps,
                                                    double rounding);
  // Adds to the sums the votes that the plugin does not store as rows. Returns the same exceptions
  // as complete().
  [[nodiscard]] tl::expected<void, Reason> add_sums(const Figures& figures, double steps);

  [[nodiscard]] const Voters& attributed() const { return attributed_; }
  [[nodiscard]] const std::map<base::Day, model::Totals>& dated() const { return dated_; }
  [[nodiscard]] const model::Totals& undated() const { return undated_; }
  // Returns the figures for all votes, whether or not they are attributed to a voter.
  [[nodiscard]] const Figures& figures() const { return figures_; }

 private:
  void count(const CountedVote& vote);
  void add_to_sums(const CountedVote& vote);

  const model::Category category_;
  const base::ZoneHistory& zones_;
  const bool counts_once_;
  Voters attributed_;
  // The newest vote for each pair of voter and value. This map is used only if equal votes count
  // once.
  std::map<std::pair<model::VoterId, model::Thousandths>, CountedVote> once_;
  std::map<base::Day, model::Totals> dated_;
  model::Totals undated_;
  Figures figures_;
};

inline constexpr Reason kFewerShown =
    Reason("the plugin shows fewer votes than it stores, and all stored votes are imported");
inline constexpr Reason kLostVotes = Reason(
    "the plugin has deleted votes since the last import, so the imported totals remain unchanged");
inline constexpr Reason kOtherSum =
    Reason("the plugin shows an average that differs from the average of its stored votes");

}  // namespace imports
