#include "votes/suspicion.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace votes {
namespace {

constexpr double kUnusual = 3;  // times the usual rate
constexpr std::size_t kFewestVotes = 10;
constexpr std::size_t kCrowd = 3;        // votes from one network that make it crowded
constexpr std::size_t kMostCounted = 2;  // votes from one network that are counted
constexpr double kCrowdedShare = 0.5;
constexpr double kUnusualNetwork = 3;  // times its usual share
constexpr double kAgentShare = 0.6;
constexpr double kUnusualAgent = 1.5;

template <typename Key>
double share_of(const std::map<Key, double>& shares, const Key& key) {
  const auto found = shares.find(key);
  return found == shares.end() ? 0 : found->second;
}

struct VoteCounts {
  std::size_t votes = 0;
  std::size_t networks = 0;
  std::size_t counted = 0;  // the number of votes, with at most kMostCounted for each network
};

// Counts the votes from each network in a time window, and the networks for each combination of
// user agent and value. Ignores votes from unknown networks.
class Window {
 public:
  Window(std::span<const FirstVote> votes, base::Time now, std::chrono::minutes window,
         const Usual& usual, std::size_t threshold)
      : begin_(now - window), usual_(usual), threshold_(threshold) {
    base::Time oldest = now;
    for (const FirstVote& vote : votes) {
      oldest = std::min(oldest, vote.cast_at);
      if (contains(vote)) add(vote);
    }
    // If "votes" contains kBurstVotes votes or more, older votes may be missing, so compute the
    // votes per hour since the oldest vote in "votes".
    const auto known = votes.size() < kBurstVotes
                           ? base::Time::duration(window)
                           : std::min<base::Time::duration>(now - oldest, window);
    hours_ = std::max(std::chrono::duration<double, std::ratio<3600>>(known).count(), 1.0 / 3600);
    for (const auto& [network, count] : networks_) {
      if (count >= kCrowd) crowded_ += kMostCounted;
    }
    is_crowd_ = is_burst(crowded_, total_.counted, kCrowdedShare);
  }

  [[nodiscard]] bool contains(const FirstVote& vote) const {
    return vote.cast_at > begin_ && !vote.network.empty();
  }

  // Returns the reasons why "vote" is suspected. "vote" must be in the time window.
  [[nodiscard]] Reasons reasons_for(const FirstVote& vote) const {
    Reasons reasons = 0;
    if (is_crowd_ && is_crowded(vote)) reasons |= kFewNetworks;
    if (is_uniform(vote)) reasons |= kOneAgent;
    return reasons;
  }

 private:
  static double as_double(std::size_t count) { return static_cast<double>(count); }
  // Returns a number that identifies the vote's user agent and value.
  static std::int64_t agent_and_value(const FirstVote& vote) {
    return std::int64_t{vote.agent} * 10'000 + vote.value;
  }

  void add(const FirstVote& vote) {
    ++total_.votes;
    const std::size_t count = ++networks_[vote.network];
    if (count == 1) ++total_.networks;
    if (count <= kMostCounted) ++total_.counted;
    if (vote.agent != 0) agents_and_values_[agent_and_value(vote)].insert(vote.network);
  }

  // Returns whether a group of similar votes is a burst. "some" is the number of similar votes, or
  // the number of networks that sent similar votes. "all" is the total number of votes, or the
  // total number of networks, in the time window. In a burst, "some" divided by "all" is at least
  // "share".
  [[nodiscard]] bool is_burst(std::size_t some, std::size_t all, double share) const {
    return some >= threshold_ && as_double(some) >= share * as_double(all) &&
           as_double(all) / hours_ >= kUnusual * usual_.votes_per_hour;
  }

  [[nodiscard]] bool is_crowded(const FirstVote& vote) const {
    const std::size_t count = networks_.at(vote.network);
    const double usual = share_of(usual_.networks, vote.network) * as_double(total_.votes);
    return count >= kCrowd && as_double(count) >= kUnusualNetwork * usual;
  }

  [[nodiscard]] bool is_uniform(const FirstVote& vote) const {
    if (vote.agent == 0) return false;
    const std::size_t similar = agents_and_values_.at(agent_and_value(vote)).size();
    const double share = std::max(kAgentShare, kUnusualAgent * share_of(usual_.agents, vote.agent));
    return is_burst(similar, total_.networks, share);
  }

  const base::Time begin_;
  const Usual& usual_;
  const std::size_t threshold_;
  double hours_ = 0;
  VoteCounts total_;
  std::size_t crowded_ = 0;  // the votes in total_.counted from networks with at least kCrowd votes
  bool is_crowd_ = false;    // crowded networks sent so many votes that their votes are a burst
  std::unordered_map<std::string_view, std::size_t> networks_;
  std::unordered_map<std::int64_t, std::unordered_set<std::string_view>> agents_and_values_;
};

}  // namespace

std::string network_in(std::string address) {
  constexpr std::size_t kHalfOfIpv6 = 9;
  if (address.starts_with('6')) address.resize(std::min(address.size(), kHalfOfIpv6));
  return address;
}

std::vector<std::string_view> names_of(Reasons reasons) {
  std::vector<std::string_view> names;
  if ((reasons & kFewNetworks) != 0) names.emplace_back("few_networks");
  if ((reasons & kOneAgent) != 0) names.emplace_back("one_agent");
  return names;
}

std::optional<Reasons> reason_named(std::string_view name) {
  for (const Reasons reason : {kFewNetworks, kOneAgent}) {
    if (names_of(reason).front() == name) return reason;
  }
  return std::nullopt;
}

std::vector<Reasons> find_burst(std::span<const FirstVote> votes, base::Time now,
                                const Usual& usual, int threshold) {
  std::vector<Reasons> reasons(votes.size(), 0);
  const auto fewest = std::max(kFewestVotes, static_cast<std::size_t>(std::max(threshold, 0)));
  for (const std::chrono::minutes span :
       {std::chrono::minutes(10), std::chrono::minutes(kBurstWindow)}) {
    const Window window(votes, now, span, usual, fewest);
    for (std::size_t i = 0; i < votes.size(); ++i) {
      if (window.contains(votes[i])) reasons[i] |= window.reasons_for(votes[i]);
    }
  }
  return reasons;
}

// --- BurstWatch ----------------------------------------------------------------------------------

namespace {

using model::Category;
using model::RatingKey;

constexpr std::chrono::minutes kUsualTtl{1};
constexpr std::chrono::days kSettled{1};  // newer votes may be part of a burst themselves
constexpr int kUsualDays = 7;
constexpr double kHoursOfDay = 24;

template <typename Key>
void make_shares(std::map<Key, double>& counts) {
  double total = 0;
  for (const auto& [key, count] : counts) total += count;
  for (auto& [key, count] : counts) count /= total;
}

}  // namespace

std::map<RatingKey, Reasons> BurstWatch::judge(db::Connection& connection,
                                               const base::ZoneHistory& zones,
                                               const Candidates& candidates) {
  // Forget the votes found by the previous call, because this call can find these votes again if
  // they are still counted.
  counted_.clear();
  std::map<RatingKey, Reasons> suspected;
  std::vector<Judged> of_object;
  const auto& votes = candidates.votes;
  for (auto vote = votes.begin(); vote != votes.end(); ++vote) {
    of_object.push_back(vote);
    const auto next = std::next(vote);
    const bool is_last = next == votes.end() || next->first.object != vote->first.object ||
                         next->first.category != vote->first.category;
    if (!is_last) continue;
    judge_object(connection, zones, of_object, candidates.threshold, suspected);
    of_object.clear();
  }
  return suspected;
}

std::map<RatingKey, Reasons> BurstWatch::take_counted() { return std::exchange(counted_, {}); }

// All votes in "judged" must be for the same object and category.
void BurstWatch::judge_object(db::Connection& connection, const base::ZoneHistory& zones,
                              std::span<const Judged> judged, int threshold,
                              std::map<RatingKey, Reasons>& suspected) {
  base::Time now{};
  for (const Judged& judged_vote : judged) now = std::max(now, judged_vote->second.vote.cast_at);
  const RatingKey& key = judged.front()->first;
  auto recent = read_recent(connection, key, now);
  const std::vector<Judged> first_votes = apply_changes(judged, recent);
  const std::size_t count = recent.size() + first_votes.size();
  if (count < static_cast<std::size_t>(threshold)) return;

  std::vector<FirstVote> votes;
  votes.reserve(count);
  for (const Stored& stored : recent) votes.push_back(stored.vote);
  for (const Judged& first_vote : first_votes) votes.push_back(first_vote->second.vote);
  const auto reasons = find_burst(votes, now, usual(connection, zones, key, now), threshold);
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i] == 0) continue;
    if (i >= recent.size()) {
      suspected[first_votes[i - recent.size()]->first] = reasons[i];
    } else if (recent[i].may_be_held) {
      note_counted(connection, recent[i], reasons[i]);
    }
  }
}

// Replaces the stored votes in "recent" by their changes in "judged", and returns the first votes
// in "judged". Ignores changes of votes that are not in "recent", because these votes were released
// or are older than kBurstWindow.
std::vector<BurstWatch::Judged> BurstWatch::apply_changes(std::span<const Judged> judged,
                                                          std::vector<Stored>& recent) {
  std::vector<Judged> first_votes;
  for (const Judged& one : judged) {
    const auto& [key, candidate] = *one;
    if (!candidate.is_change) {
      first_votes.push_back(one);
      continue;
    }
    const auto stored = std::ranges::find(recent, key, &Stored::key);
    if (stored == recent.end()) continue;
    stored->vote.value = candidate.vote.value;
    stored->vote.network = candidate.vote.network;
  }
  return first_votes;
}

// Records all ratings that were first cast in the same vote as "stored", including the ratings for
// facets of the object.
void BurstWatch::note_counted(db::Connection& connection, const Stored& stored, Reasons reasons) {
  // The other ratings in the vote were recorded together with this rating.
  const auto known = counted_.find(stored.key);
  if (known != counted_.end() && (known->second & reasons) == reasons) return;
  const auto& [object, category, voter] = stored.key;
  db::Rows row = connection.query(
      "SELECT object_type FROM {prefix}ratingd_votes FORCE INDEX (by_voter) WHERE voter = ?"
      " AND rated_at >= ? AND created_at = ? AND held = 0 AND agent <> 0 AND object_id = ?"
      " AND category = ?",
      voter, stored.vote.cast_at, stored.vote.cast_at, object.id, category);
  while (row.next()) counted_[{{object.id, row.text(1)}, category, voter}] |= reasons;
}

std::vector<BurstWatch::Stored> BurstWatch::read_recent(db::Connection& connection,
                                                        const RatingKey& key,
                                                        base::Time now) const {
  const base::Time since = now - kBurstWindow;
  std::vector<Stored> recent;
  db::Rows row = connection.query(
      "SELECT voter, value, created_at, address, agent, held"
      " FROM {prefix}ratingd_votes FORCE INDEX (by_object) WHERE object_id = ?"
      " AND object_type = ? AND category = ? AND rated_at > ? ORDER BY rated_at DESC LIMIT ?",
      key.object.id, key.object.type, key.category, since, std::int64_t{kBurstVotes});
  while (row.next()) {
    Stored stored;
    stored.key = {key.object, key.category, row.unsigned_integer(1)};
    stored.vote.value = static_cast<model::Thousandths>(row.integer(2));
    stored.vote.cast_at = row.time(3);
    stored.vote.network = network_in(row.text(4));
    stored.vote.agent = static_cast<std::uint16_t>(row.integer(5));
    const bool is_held = row.integer(6) != 0;
    stored.may_be_held = !is_held && stored.vote.agent != 0;
    // Ignore a counted vote with an address but no user agent, because it was released, was cast by
    // an administrator, or was cast before suspicious votes were held.
    const bool is_settled = !is_held && stored.vote.agent == 0 && !stored.vote.network.empty();
    if (stored.vote.cast_at > since && !is_settled) recent.push_back(std::move(stored));
  }
  return recent;
}

const Usual& BurstWatch::usual(db::Connection& connection, const base::ZoneHistory& zones,
                               const RatingKey& key, base::Time now) {
  const base::Day today = zones.day_of(now);
  if (std::chrono::abs(now - usual_since_) >= kUsualTtl) {  // the clock may have been set back
    read_shares(connection, now);
    read_means(connection, today - std::chrono::days(1));
    usual_since_ = now;
  }
  usual_.votes_per_hour = std::max(means_.at(static_cast<std::size_t>(key.category)),
                                   votes_per_hour(connection, key, today));
  return usual_;
}

// Reads the share of the site's votes that usually comes from each network and each user agent. The
// network shares ignore votes from unknown networks, and the user agent shares ignore votes with
// unknown user agents.
void BurstWatch::read_shares(db::Connection& connection, base::Time now) {
  usual_.networks.clear();
  usual_.agents.clear();
  db::Rows row = connection.query(
      "SELECT address, agent FROM {prefix}ratingd_votes FORCE INDEX (by_time)"
      " WHERE held = 0 AND rated_at < ? ORDER BY rated_at DESC LIMIT 2000",
      now - kSettled);
  while (row.next()) {
    const std::string network = network_in(row.text(1));
    const auto agent = static_cast<std::uint16_t>(row.integer(2));
    if (!network.empty()) ++usual_.networks[network];
    if (agent != 0) ++usual_.agents[agent];
  }
  make_shares(usual_.networks);
  make_shares(usual_.agents);
}

void BurstWatch::read_means(db::Connection& connection, base::Day day) {
  for (const Category category : model::kCategories) {
    // Read only a sample of the objects, because reading all objects would take too long on a large
    // site.
    db::Rows row = connection.query(
        "SELECT COALESCE(SUM(total), 0), COUNT(*) FROM (SELECT total FROM {prefix}ratingd_daily"
        " WHERE day = ? AND category = ? LIMIT 2000) sample",
        day, category);
    const bool has_votes = row.next() && row.integer(2) > 0;
    means_.at(static_cast<std::size_t>(category)) =
        has_votes ? static_cast<double>(row.integer(1)) / static_cast<double>(row.integer(2)) /
                        kHoursOfDay
                  : 0;
  }
}

// Returns the average number of votes per hour on the days before "today", for the object and
// category in "key".
double BurstWatch::votes_per_hour(db::Connection& connection, const RatingKey& key,
                                  base::Day today) const {
  db::Statement& statement = connection.prepare(
      "SELECT COALESCE(SUM(total), 0) FROM {prefix}ratingd_daily FORCE INDEX (PRIMARY)"
      " WHERE day IN (?,?,?,?,?,?,?) AND category = ? AND object_type = ? AND object_id = ?");
  for (int days = 1; days <= kUsualDays; ++days) {
    statement.bind(today - std::chrono::days(days));
  }
  statement.bind(key.category, key.object.type, key.object.id);
  db::Rows row = statement.query();
  return row.next() ? static_cast<double>(row.integer(1)) / (kUsualDays * kHoursOfDay) : 0;
}

}  // namespace votes
