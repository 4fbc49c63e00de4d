#include "votes/rating_loader.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/clock.h"

namespace votes {

using model::Object;
using model::OwnRating;
using model::OwnRatings;
using model::VoterId;

namespace {

// The maximum number of voters whose ratings are read by one SQL statement. The number is small
// because the database server opens the votes table separately for each voter in the statement.
constexpr std::size_t kListsAtOnce = 16;
constexpr VoterId kNobody = 0;

// The LIMIT in this SQL statement is OwnRatingsCache::kPerVoter + 1. If a voter's result reaches
// this LIMIT, the voter has too many ratings for the cache.
static_assert(OwnRatingsCache::kPerVoter == 100);
constexpr db::BulkStatement kReadList(
    {"",
     "(SELECT voter, object_id, object_type, category, value, rated_at FROM {prefix}ratingd_votes"
     " FORCE INDEX (by_voter) WHERE voter = ? LIMIT 101)",
     " UNION ALL ", ""});
// The index is forced because the database server may choose a slower index for a long list of
// voters and objects.
constexpr db::BulkStatement kReadByObject(
    {"SELECT voter, object_id, object_type, category, value, rated_at FROM {prefix}ratingd_votes"
     " FORCE INDEX (PRIMARY) WHERE ",
     "(object_id = ? AND object_type = ? AND category IN (0, 1, 2) AND voter = ?)", " OR ", ""});

OwnRating rating_in(const db::Rows& row) {
  return {static_cast<model::Thousandths>(row.integer(5)), row.time(6)};
}

}  // namespace

RatingLoader::RatingLoader(OwnRatingsCache& cache, db::Pool& sessions, unsigned most_readers,
                           runtime::Metrics* metrics)
    : cache_(cache), sessions_(sessions), most_readers_(most_readers), metrics_(metrics) {}

std::vector<OwnRatings> RatingLoader::read(VoterId voter, std::span<const Object> objects) {
  if (objects.empty()) return {};
  OwnRatingsCache::Token token;
  if (auto known = cache_.find(voter, objects, token)) {
    count(runtime::Count::voter_cache_hit);
    return std::move(*known);
  }
  count(runtime::Count::voter_cache_miss);
  sessions_.prepare_to_wait();
  Lookup lookup{.voter = voter,
                .objects = objects,
                .token = token,
                .reads_all = cache_.is_enabled() && !token.is_not_listed};
  Lookups lookups;
  lookups.reserve(db::BulkStatement::kMaxRows);  // no exception may occur once lookups are taken
  base::MutexLock lock(mutex_);
  waiting_.push_back(&lookup);
  waiting_rows_ += rows_of(lookup);
  for (await_turn(lookup); !lookup.is_answered; await_turn(lookup)) {
    take_waiting(lookups);
    answer(lookups);
  }
  if (lookup.failure) std::rethrow_exception(lookup.failure);
  return std::move(lookup.answer);
}

void RatingLoader::count(runtime::Count what) const {
  if (metrics_ != nullptr) metrics_->add(what);
}

std::size_t RatingLoader::rows_of(const Lookup& lookup) {
  return lookup.reads_all ? db::BulkStatement::kMaxRows / kListsAtOnce : lookup.objects.size();
}

// Blocks until another thread has answered the lookup, or until the calling thread may read from
// the database.
void RatingLoader::await_turn(Lookup& lookup) {
  const base::Stopwatch stopwatch;
  while (!lookup.is_answered && (lookup.is_taken || !may_read())) {
    if (lookup.is_taken) {  // the thread that has taken the lookup always answers it
      lookup.changed.wait(mutex_);
      continue;
    }
    const auto waited = stopwatch.elapsed();
    if (waited >= sessions_.max_wait()) {
      std::erase(waiting_, &lookup);
      waiting_rows_ -= rows_of(lookup);
      throw db::ConnectionLost(0, "own ratings are read too slowly");
    }
    lookup.changed.wait_for(mutex_, sessions_.max_wait() - waited);
  }
}

bool RatingLoader::may_read() const {
  if (readers_ == 0) return true;
  return readers_ < most_readers_ && waiting_rows_ > db::BulkStatement::kMaxRows;
}

// Takes as many lookups from the front of the queue as fit into one statement, but at least one.
void RatingLoader::take_waiting(Lookups& lookups) {
  lookups.clear();
  std::size_t rows = 0;
  while (!waiting_.empty()) {
    rows += rows_of(*waiting_.front());
    if (!lookups.empty() && rows > db::BulkStatement::kMaxRows) break;
    lookups.push_back(waiting_.front());
    lookups.back()->is_taken = true;
    waiting_rows_ -= rows_of(*waiting_.front());
    waiting_.pop_front();
  }
}

void RatingLoader::answer(const Lookups& lookups) {
  ++readers_;
  mutex_.unlock();
  const std::exception_ptr failure = read_all(lookups);
  mutex_.lock();
  --readers_;
  if (!waiting_.empty()) waiting_.front()->changed.notify_one();
  for (Lookup* lookup : lookups) {
    lookup->failure = failure;
    lookup->is_answered = true;
    // Notify the waiting caller while the mutex is locked, so that the caller cannot destroy the
    // lookup before the notification.
    lookup->changed.notify_one();
  }
}

std::exception_ptr RatingLoader::read_all(const Lookups& lookups) const {
  try {
    sessions_.with_session([&](db::Connection& connection) { read_into(connection, lookups); });
    return nullptr;
  } catch (...) {  // each waiting caller throws the exception
    return std::current_exception();
  }
}

// Reads all ratings by each voter. If a voter has too many ratings, reads only the voter's ratings
// for the requested objects. Fills the cache after each statement.
void RatingLoader::read_into(db::Connection& connection, const Lookups& lookups) const {
  std::set<VoterId> voters;
  for (const Lookup* lookup : lookups) {
    if (lookup->reads_all) voters.insert(lookup->voter);
  }
  const Lists lists = read_lists(connection, voters);
  Lookups others;
  for (Lookup* lookup : lookups) {
    const auto list = lists.find(lookup->voter);
    if (!lookup->reads_all || list->second.size() > OwnRatingsCache::kPerVoter) {
      others.push_back(lookup);
      continue;
    }
    cache_.fill(lookup->voter, list->second, lookup->token, connection.server_hash());
    answer_from(list->second, *lookup);
  }
  read_by_object(connection, others);
  if (!cache_.is_enabled()) return;
  for (const Lookup* lookup : others) {
    cache_.fill_not_listed(lookup->voter, lookup->token, connection.server_hash());
  }
}

void RatingLoader::answer_from(std::span<const RatingOfVoter> list, Lookup& lookup) const {
  lookup.answer.assign(lookup.objects.size(), {});  // clears the answer from an earlier attempt
  for (std::size_t i = 0; i < lookup.objects.size(); ++i) {
    const std::uint64_t object = cache_.hash_of(lookup.objects[i]);
    for (const RatingOfVoter& rating : list) {
      if (rating.object != object) continue;
      lookup.answer[i].at(static_cast<std::size_t>(rating.category)) = rating.rating;
    }
  }
}

RatingLoader::Lists RatingLoader::read_lists(db::Connection& connection,
                                             const std::set<VoterId>& voters) const {
  Lists lists;
  for (const VoterId voter : voters) lists[voter];
  const auto wanted = db::rows_of(voters);
  for (std::span rest(wanted); !rest.empty();) {
    const auto some = rest.first(std::min(rest.size(), kListsAtOnce));
    kReadList.query(
        connection, some,
        [](db::Statement& statement, VoterId voter, bool is_repetition) {
          statement.bind(is_repetition ? kNobody : voter);
        },
        [&](const db::Rows& row) {
          const std::uint64_t object = cache_.hash_of({row.unsigned_integer(2), row.text(3)});
          lists.at(row.unsigned_integer(1))
              .push_back({object, static_cast<model::Category>(row.integer(4)), rating_in(row)});
        });
    rest = rest.subspan(some.size());
  }
  return lists;
}

void RatingLoader::read_by_object(db::Connection& connection, const Lookups& lookups) const {
  struct Wanted {
    VoterId voter;
    const Object* object;
  };
  std::vector<Wanted> wanted;
  for (Lookup* lookup : lookups) {
    lookup->answer.assign(lookup->objects.size(), {});  // clears the answer from an earlier attempt
    for (const Object& object : lookup->objects) wanted.push_back({lookup->voter, &object});
  }
  kReadByObject.query(
      connection, wanted,
      [](db::Statement& statement, const Wanted& row, bool) {
        statement.bind(row.object->id).bind(row.object->type).bind(row.voter);
      },
      [&](const db::Rows& row) {
        const VoterId voter = row.unsigned_integer(1);
        const Object object{row.unsigned_integer(2), row.text(3)};
        for (Lookup* lookup : lookups) {
          if (lookup->voter != voter) continue;
          for (std::size_t i = 0; i < lookup->objects.size(); ++i) {
            if (lookup->objects[i] != object) continue;
            lookup->answer[i].at(static_cast<std::size_t>(row.integer(4))) = rating_in(row);
          }
        }
      });
}

}  // namespace votes
