// Measures how many votes in simulated traffic are held by the rule in lib/votes/suspicion.h.
// Prints one line for each trace.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "base/zone.h"
#include "model/settings.h"
#include "votes/suspicion.h"

namespace {

using namespace std::chrono_literals;
using votes::FirstVote;
using votes::Usual;

constexpr base::Time kYesterday = base::Day(std::chrono::year(2026) / 11 / 20);
constexpr base::Time kToday = kYesterday + 24h;
constexpr base::Time kAttack = kToday + 11h;
constexpr int kObjects = 2000;
constexpr int kVotesPerDay = 6000;
const int kDefaultThreshold = model::Settings().hold_threshold;

// Returns a distribution of the numbers 0, 1, 2 ... with the frequencies 1, 1/2, 1/3 ...
std::discrete_distribution<int> power_law(int count) {
  std::vector<double> weights;
  for (int i = 1; i <= count; ++i) weights.push_back(1.0 / i);
  return {weights.begin(), weights.end()};
}

struct Cast {
  int object = 0;
  FirstVote vote;
  bool is_stuffed = false;
  bool is_watched = false;  // an honest vote that the trace measures
  bool is_held_at_once = false;
  bool is_held = false;
};

// Generates traffic. The same seed produces the same traffic.
class Traffic {
 public:
  explicit Traffic(unsigned seed) : random_(seed) {}

  // Returns the vote of an honest visitor. Three in ten visitors share the address of a provider or
  // an office. A quarter of the visitors use the most frequent user agent.
  FirstVote visitor(base::Time at, double positive = 0.85) {
    const std::string network = chance(0.3) ? "shared" + std::to_string(shared_network_(random_))
                                            : "own" + std::to_string(below(200'000));
    return {at, network, agent(), chance(positive) ? 1000 : 0};
  }

  // Adds the votes of a whole day. There are nine times as many votes in the afternoon as at night.
  void add_day(base::Time midnight, std::vector<Cast>& casts) {
    for (int i = 0; i < kVotesPerDay;) {
      const auto at = midnight + fraction() * 24h;
      const double hour = std::chrono::duration<double, std::ratio<3600>>(at - midnight).count();
      if (!chance(0.5 + 0.4 * std::sin((hour - 9) / 24 * 2 * M_PI))) continue;
      casts.push_back({.object = object_(random_), .vote = visitor(cast_time(at))});
      ++i;
    }
  }

  template <typename Duration>
  base::Time within(base::Time begin, Duration length) {
    return cast_time(begin + fraction() * length);
  }
  std::uint16_t agent() { return static_cast<std::uint16_t>(1 + agent_(random_)); }
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  bool chance(double probability) { return fraction() < probability; }
  double fraction() { return std::uniform_real_distribution<double>(0, 1)(random_); }

 private:
  template <typename TimePoint>
  static base::Time cast_time(TimePoint time) {
    return std::chrono::time_point_cast<std::chrono::microseconds>(time);
  }

  std::mt19937 random_;
  std::discrete_distribution<int> object_ = power_law(kObjects);
  std::discrete_distribution<int> shared_network_ = power_law(500);
  std::discrete_distribution<int> agent_ = power_law(30);
};

// Describes the usual traffic, as measured on the previous day.
struct History {
  std::map<int, int> votes;  // by object
  Usual usual;               // without the rate
};

History history_of(const std::vector<Cast>& casts) {
  History history;
  const double share = 1.0 / static_cast<double>(casts.size());
  for (const Cast& cast : casts) {
    ++history.votes[cast.object];
    history.usual.networks[cast.vote.network] += share;
    history.usual.agents[cast.vote.agent] += share;
  }
  return history;
}

// Casts the votes in "casts" one after the other. For each vote, applies the rule for suspicious
// votes to this vote and the earlier votes.
void play(std::vector<Cast>& casts, History& history) {
  std::sort(casts.begin(), casts.end(),
            [](const Cast& a, const Cast& b) { return a.vote.cast_at < b.vote.cast_at; });
  struct Shown {
    std::vector<Cast*> casts;
    std::vector<FirstVote> votes;  // the votes of "casts"
  };
  std::map<int, Shown> recent;
  for (Cast& cast : casts) {
    Shown& shown = recent[cast.object];
    shown.casts.push_back(&cast);
    shown.votes.push_back(cast.vote);
    const base::Time now = cast.vote.cast_at;
    const auto is_old = [&](const Cast* one) { return one->vote.cast_at <= now - 1h; };
    const auto first = std::ranges::find_if_not(shown.casts, is_old);
    const auto most = static_cast<std::ptrdiff_t>(votes::kBurstVotes);
    const auto excess = std::max(first - shown.casts.begin(), std::ssize(shown.casts) - most);
    shown.casts.erase(shown.casts.begin(), shown.casts.begin() + excess);
    shown.votes.erase(shown.votes.begin(), shown.votes.begin() + excess);
    if (shown.casts.size() < static_cast<std::size_t>(kDefaultThreshold))
      continue;  // the rule would find nothing

    history.usual.votes_per_hour =
        std::max(history.votes[cast.object], kVotesPerDay / kObjects) / 24.0;
    const auto reasons = find_burst(shown.votes, now, history.usual, kDefaultThreshold);
    cast.is_held_at_once = reasons.back() != 0;
    for (std::size_t i = 0; i < shown.casts.size(); ++i) {
      if (reasons[i] != 0) shown.casts[i]->is_held = true;
    }
  }
}

double percent(std::ptrdiff_t part, std::ptrdiff_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Contains the percentages of held votes.
struct Held {
  double stuffed_at_once = 0, stuffed = 0;
  double honest = 0;   // of the whole day
  double watched = 0;  // among the votes that the trace is about
};

Held count(const std::vector<Cast>& casts) {
  const auto share = [&](auto is_meant, bool Cast::*is_held) {
    const auto is_both = [&](const Cast& cast) { return is_meant(cast) && cast.*is_held; };
    return percent(std::count_if(casts.begin(), casts.end(), is_both),
                   std::count_if(casts.begin(), casts.end(), is_meant));
  };
  const auto is_stuffed = [](const Cast& cast) { return cast.is_stuffed; };
  return {share(is_stuffed, &Cast::is_held_at_once), share(is_stuffed, &Cast::is_held),
          share([](const Cast& cast) { return !cast.is_stuffed; }, &Cast::is_held),
          share([](const Cast& cast) { return cast.is_watched; }, &Cast::is_held)};
}

// Adds the votes of an event, such as an attack, to the ordinary votes of a day.
using Event = std::function<void(Traffic&, std::vector<Cast>&)>;

// Simulates the event with several random seeds, and returns the worst value of each percentage.
Held judge(const std::string& name, const Event& event) {
  Held worst{100, 100, 0, 0};
  for (const unsigned seed : {1U, 2U}) {
    Traffic traffic(seed);
    std::vector<Cast> yesterday, today;
    traffic.add_day(kYesterday, yesterday);
    traffic.add_day(kToday, today);
    event(traffic, today);
    History history = history_of(yesterday);
    play(today, history);
    const Held held = count(today);
    worst = {std::min(worst.stuffed_at_once, held.stuffed_at_once),
             std::min(worst.stuffed, held.stuffed), std::max(worst.honest, held.honest),
             std::max(worst.watched, held.watched)};
  }
  std::printf("%-44s %9.1f %8.1f %8.2f %8.2f\n", name.c_str(), worst.stuffed_at_once, worst.stuffed,
              worst.honest, worst.watched);
  return worst;
}

enum class Attacker {
  few_networks,  // as few networks as max_new_voters_per_address_per_object allows; all user agents
  networks,      // twice as many
  one_agent,     // its own agent, from everywhere
  clever,        // from everywhere, with the most frequent agent of honest visitors
  context,       // from everywhere, with all agents; only the value is the same
};

Event stuff(Attacker attacker, int votes, std::chrono::minutes length, int object) {
  return [=](Traffic& traffic, std::vector<Cast>& casts) {
    for (Cast& cast : casts) {  // the honest votes on the same object during the attack
      const auto since = cast.vote.cast_at - kAttack;
      cast.is_watched = cast.object == object && since >= 0s && since < length;
    }
    for (int i = 0; i < votes; ++i) {
      FirstVote vote = traffic.visitor(traffic.within(kAttack, length));
      vote.value = 0;
      if (attacker == Attacker::few_networks || attacker == Attacker::networks) {
        const int networks = std::max(3, votes / (attacker == Attacker::networks ? 50 : 100));
        vote.network = "attacker" + std::to_string(traffic.below(networks));
      } else {
        vote.network = "bot" + std::to_string(traffic.below(1'000'000));
        if (attacker == Attacker::clever) vote.agent = 1;
        if (attacker == Attacker::one_agent) vote.agent = 60'000;
      }
      casts.push_back({.object = object, .vote = vote, .is_stuffed = true});
    }
  };
}

constexpr std::uint16_t kApp = 50'000;

// Within hours, thousands of visitors rate a post, and most ratings are good. "through_app" is the
// fraction of votes cast through an app, which has a single user agent.
Event go_viral(int object, int votes, double positive, double through_app = 0) {
  return [=](Traffic& traffic, std::vector<Cast>& casts) {
    for (int i = 0; i < votes; ++i) {
      const double early = traffic.fraction() * traffic.fraction();  // most votes come early
      FirstVote vote = traffic.visitor(kAttack, positive);
      vote.cast_at += std::chrono::duration_cast<std::chrono::seconds>(early * 4h);
      if (traffic.chance(through_app)) vote.agent = kApp;
      casts.push_back({.object = object, .vote = vote, .is_watched = true});
    }
  };
}

// All pupils in a school class rate ten posts from the same address and with the same browser. The
// pupils rate each post within a minute.
Event visit_class(int pupils) {
  return [=](Traffic& traffic, std::vector<Cast>& casts) {
    for (int post = 0; post < 10; ++post) {
      for (int i = 0; i < pupils; ++i) {
        FirstVote vote = traffic.visitor(traffic.within(kAttack + post * 1min, 1min));
        vote.network = "school";
        vote.agent = 40'000;
        casts.push_back({.object = 500 + post, .vote = vote, .is_watched = true});
      }
    }
  };
}

// Within ten minutes, thirty readers give a post a good rating. Each reader has a different
// network, and 80% of the readers use one app.
void add_readers(Traffic& traffic, int object, std::vector<Cast>& casts) {
  for (int i = 0; i < 30; ++i) {
    FirstVote vote = traffic.visitor(traffic.within(kAttack, 10min), 1);
    vote.network = "reader" + std::to_string(i);
    vote.agent = i < 24 ? kApp : traffic.agent();
    casts.push_back({.object = object, .vote = vote, .is_watched = true});
  }
}

// Simulates an attacker who wants ratingd to hold the votes of honest visitors. The function
// "honest" adds the honest votes. "networks" is the number of the attacker's networks, and "votes"
// is the number of votes from each network.
template <typename Honest>
Event frame(const Honest& honest, int networks, int votes, std::uint16_t agent) {
  return [=](Traffic& traffic, std::vector<Cast>& casts) {
    honest(traffic, casts);
    for (int i = 0; i < networks * votes; ++i) {
      FirstVote vote = traffic.visitor(traffic.within(kAttack, 10min), 1);
      vote.network = "attacker" + std::to_string(i % networks);
      vote.agent = agent;
      casts.push_back({.object = 500, .vote = vote, .is_stuffed = true});
    }
  };
}

constexpr int kQuietObject = 700;  // rated once a day
constexpr int kTopObject = 0;      // the most popular

class SuspicionTraces : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::printf("%-44s %9s %8s %8s %8s\n", "held in per cent, worst of 2 seeds", "at once",
                "stuffed", "honest", "watched");
  }
};

TEST_F(SuspicionTraces, OrdinaryTrafficIsCounted) {
  EXPECT_LE(judge("ordinary day", [](Traffic&, std::vector<Cast>&) {}).honest, 0.1);
}

struct Burst {
  const char* name;
  Attacker attacker;
  int least;  // the number of votes; fewer votes come from too few networks
};
constexpr Burst kBursts[] = {{"few networks", Attacker::few_networks, 5000},
                             {"one agent", Attacker::one_agent, 50},
                             {"commonest agent", Attacker::clever, 50}};

TEST_F(SuspicionTraces, StuffedVotesOnAQuietObjectAreHeld) {
  for (const auto& [name, attacker, least] : kBursts) {
    for (const int votes : {50, 500, 5000}) {
      for (const auto length : {10min, 60min}) {
        if (votes == 5000 && length == 60min) continue;  // this combination would only take longer
        const Held held = judge(std::string(name) + ", " + std::to_string(votes) + " in " +
                                    std::to_string(length.count()) + " min",
                                stuff(attacker, votes, length, kQuietObject));
        if (votes >= least) {
          EXPECT_GE(held.stuffed, 95) << name << votes;
        }
        EXPECT_LE(held.honest, 1) << name << votes;
      }
    }
  }
}

TEST_F(SuspicionTraces, StuffedVotesOnTheTopObjectAreHeld) {
  for (const auto& [name, attacker, least] : kBursts) {
    for (const int votes : {50, 500, 5000}) {
      const Held held = judge(std::string("top object: ") + name + ", " + std::to_string(votes),
                              stuff(attacker, votes, 10min, kTopObject));
      if (votes > 50 && votes >= least) {
        EXPECT_GE(held.stuffed, 95) << name << votes;
      }
      EXPECT_LE(held.honest, 1) << name << votes;
    }
  }
}

// Not all votes are held, because the rule reads only the newest 256 votes, and sometimes too few
// of them come from the same network.
TEST_F(SuspicionTraces, MostStuffedVotesFromAHundredNetworksAreHeld) {
  EXPECT_GE(
      judge("100 networks, 5000 in 10 min", stuff(Attacker::networks, 5000, 10min, kQuietObject))
          .stuffed,
      80);
}

// This test documents attacks that the rule does not detect.
TEST_F(SuspicionTraces, BurstsThatLookLikeOpinionAreCounted) {
  EXPECT_EQ(judge("many networks, many agents, 500 in 10 min",
                  stuff(Attacker::context, 500, 10min, kQuietObject))
                .stuffed,
            0);
}

// Votes from a small number of networks are limited by the max_new_voters_per_address_per_object
// setting.
TEST_F(SuspicionTraces, BurstsFromFewerNetworksThanHalfTheThresholdAreCounted) {
  for (const int votes : {100, 500, 1500}) {
    EXPECT_EQ(judge("100 votes from each of " + std::to_string(votes / 100) + " networks",
                    stuff(Attacker::few_networks, votes, 10min, kQuietObject))
                  .stuffed,
              0);
  }
}

TEST_F(SuspicionTraces, AttackerWithFewNetworksCannotHoldVotesOfOthers) {
  const auto readers = [](Traffic& traffic, std::vector<Cast>& casts) {
    add_readers(traffic, 500, casts);
  };
  for (const auto& [networks, votes] : {std::pair(1, 25), {1, 100}, {5, 100}, {15, 100}}) {
    const std::string attacker = ", " + std::to_string(networks) + " x " + std::to_string(votes);
    EXPECT_EQ(judge("30 readers" + attacker, frame(readers, networks, votes, kApp)).watched, 0);
    EXPECT_EQ(
        judge("class of 30" + attacker, frame(visit_class(30), networks, votes, 40'000)).watched,
        0);
  }
}

// An attacker with many networks can cause an honest vote to be held if the honest vote comes from
// a network with many votes, or has the same user agent and value as the attacker's votes.
TEST_F(SuspicionTraces, AttackerWithManyNetworksHoldsVotesThatLookAlike) {
  const auto readers = [](Traffic& traffic, std::vector<Cast>& casts) {
    add_readers(traffic, 500, casts);
  };
  EXPECT_EQ(judge("30 readers, 40 x 1", frame(readers, 40, 1, kApp)).watched, 80);
  EXPECT_EQ(judge("30 readers, 40 x 1, another agent", frame(readers, 40, 1, 60'000)).watched, 0);
  EXPECT_GT(judge("class of 30, 25 x 3", frame(visit_class(30), 25, 3, 60'000)).watched, 0);
}

TEST_F(SuspicionTraces, ViralPostIsCounted) {
  for (const int votes : {500, 5000}) {
    const std::string name = "viral post, " + std::to_string(votes) + " votes, ";
    EXPECT_LE(judge(name + "92 % positive", go_viral(kQuietObject, votes, 0.92)).watched, 1);
    EXPECT_LE(judge(name + "all positive", go_viral(kQuietObject, votes, 1)).watched, 1);
    EXPECT_LE(judge(name + "40 % by one app", go_viral(kQuietObject, votes, 0.92, 0.4)).watched, 1);
  }
}

TEST_F(SuspicionTraces, ClassBehindOneAddressIsCounted) {
  EXPECT_EQ(judge("class of 30 behind one address", visit_class(30)).watched, 0);
  EXPECT_EQ(judge("hall of 90 behind one address", visit_class(90)).watched, 0);
}

}  // namespace
