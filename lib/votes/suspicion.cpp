#include "votes/suspicion.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

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
  std::size_t counted = 0;  // votes, of which at most kMostCounted are counted for each network
};

// The votes in the last "window" that came from a known network, counted by the properties that
// they have in common.
class Window {
 public:
  Window(std::span<const FirstVote> votes, base::Time now, std::chrono::minutes window,
         std::size_t threshold)
      : begin_(now - window), threshold_(threshold) {
    base::Time oldest = now;
    for (const FirstVote& vote : votes) {
      oldest = std::min(oldest, vote.cast_at);
      if (contains(vote)) add(vote);
    }
    // Of a large burst, only the newest votes are known. They cover a shorter time than the window.
    const auto known = votes.size() < kBurstVotes
                           ? base::Time::duration(window)
                           : std::min<base::Time::duration>(now - oldest, window);
    hours_ = std::max(std::chrono::duration<double, std::ratio<3600>>(known).count(), 1.0 / 3600);
    for (const auto& [network, count] : networks_) {
      if (count >= kCrowd) crowded_ += kMostCounted;
    }
  }

  [[nodiscard]] bool contains(const FirstVote& vote) const {
    return vote.cast_at > begin_ && !vote.network.empty();
  }

  // Returns the reasons why "vote" is suspected. REQUIRES: the window contains "vote".
  [[nodiscard]] Reasons reasons_for(const FirstVote& vote, const Usual& usual) const {
    Reasons reasons = 0;
    if (is_crowded(vote, usual)) reasons |= kFewNetworks;
    if (is_uniform(vote, usual)) reasons |= kOneAgent;
    return reasons;
  }

 private:
  static double as_double(std::size_t count) { return static_cast<double>(count); }
  // The user agent and the value as one number.
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

  // Returns whether "some" out of "all" votes or networks are enough for a burst. "share" is the
  // smallest share that is enough.
  [[nodiscard]] bool is_burst(std::size_t some, std::size_t all, double share,
                              const Usual& usual) const {
    return some >= threshold_ && as_double(some) >= share * as_double(all) &&
           as_double(all) / hours_ >= kUnusual * usual.votes_per_hour;
  }

  [[nodiscard]] bool is_crowded(const FirstVote& vote, const Usual& usual) const {
    const std::size_t count = networks_.at(vote.network);
    const double usual_share = share_of(usual.networks, vote.network);
    return count >= kCrowd &&
           as_double(count) >= kUnusualNetwork * usual_share * as_double(total_.votes) &&
           is_burst(crowded_, total_.counted, kCrowdedShare, usual);
  }

  [[nodiscard]] bool is_uniform(const FirstVote& vote, const Usual& usual) const {
    if (vote.agent == 0) return false;
    const double share = std::max(kAgentShare, kUnusualAgent * share_of(usual.agents, vote.agent));
    return is_burst(agents_and_values_.at(agent_and_value(vote)).size(), total_.networks, share,
                    usual);
  }

  const base::Time begin_;
  const std::size_t threshold_;
  double hours_ = 0;
  VoteCounts total_;
  std::size_t crowded_ = 0;  // the votes in total_.counted from networks with at least kCrowd votes
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
    const Window window(votes, now, span, fewest);
    for (std::size_t i = 0; i < votes.size(); ++i) {
      if (window.contains(votes[i])) reasons[i] |= window.reasons_for(votes[i], usual);
    }
  }
  return reasons;
}

}  // namespace votes
