#include "imports/object_votes.h"

#include <algorithm>
#include <cmath>

namespace imports {
namespace {

void add(model::Totals& sums, const VoteMeaning& meaning) {
  sums.sum += meaning.value;
  ++sums.bins[model::bin_of(meaning.category, meaning.value)];
}

void add(model::Totals& sums, const model::Totals& more) {
  sums.sum += more.sum;
  for (std::size_t i = 0; i < sums.bins.size(); ++i) sums.bins[i] += more.bins[i];
}

}  // namespace

void ObjectVotes::add(const CountedVote& vote) {
  if (!counts_once_ || !vote.voter) return count(vote);
  const auto [known, is_new] = once_.emplace(std::pair(*vote.voter, vote.meaning.value), vote);
  if (!is_new && known->second.rated_at < vote.rated_at) known->second = vote;
}

void ObjectVotes::settle() {
  for (const auto& [voter_and_value, vote] : once_) count(vote);
  once_.clear();
}

void ObjectVotes::count(const CountedVote& vote) {
  ++figures_.votes;
  figures_.sum += vote.meaning.share;
  if (!vote.voter || !vote.rated_at) return add_to_sums(vote);
  const auto [newest, is_first] = attributed_.emplace(*vote.voter, vote);
  if (is_first) return;
  if (*newest->second.rated_at < *vote.rated_at) {
    add_to_sums(newest->second);
    newest->second = vote;
  } else {
    add_to_sums(vote);
  }
}

void ObjectVotes::add_to_sums(const CountedVote& vote) {
  if (!vote.rated_at) return imports::add(undated_, vote.meaning);
  model::Totals& day = dated_[zones_.day_of(*vote.rated_at)];
  imports::add(day, vote.meaning);
  day.last_rated_at = std::max(day.last_rated_at.value_or(*vote.rated_at), *vote.rated_at);
}

tl::expected<void, Reason> ObjectVotes::complete(const Figures& shown, double steps,
                                                 double rounding) {
  if (shown.votes < figures_.votes) return because(kFewerShown);
  const Figures missing{shown.votes - figures_.votes, shown.sum - figures_.sum};
  if (missing.votes > 0) return add_sums(missing, steps);
  const double tolerance = rounding / steps + 1e-6 * static_cast<double>(shown.votes);
  if (std::abs(missing.sum) > tolerance) return because(kOtherSum);
  return {};
}

tl::expected<void, Reason> ObjectVotes::add_sums(const Figures& figures, double steps) {
  if (figures.votes == 0) return {};
  auto sums = sums_of(category_, figures, steps);
  if (!sums) return tl::unexpected(sums.error());
  imports::add(undated_, *sums);
  figures_.votes += figures.votes;
  figures_.sum += figures.sum;
  return {};
}

}  // namespace imports
