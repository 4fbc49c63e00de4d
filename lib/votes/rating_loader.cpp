#include "votes/rating_loader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/stopwatch.h"

namespace votes {

using model::Object;
using model::VoterId;

RatingLoader::RatingLoader(db::Pool& sessions, unsigned most_readers,
                           const std::string& table_prefix)
    : sessions_(sessions),
      most_readers_(most_readers),
      // With many pairs the server may choose a slower index.
      statement_({"SELECT voter, object_id, object_type, category, value, rated_at FROM " +
                      table_prefix + "ratingd_votes FORCE INDEX (PRIMARY) WHERE ",
                  "(object_id = ? AND object_type = ? AND category IN (0, 1, 2) AND voter = ?)",
                  " OR ", ""}) {}

std::map<Object, model::OwnRatings> RatingLoader::read(VoterId voter,
                                                       std::span<const Object> objects) {
  if (objects.empty()) return {};
  sessions_.prepare_to_wait();
  Lookup lookup{.voter = voter, .objects = objects};
  Lookups lookups;
  lookups.reserve(db::BulkStatement::kMaxRows);  // no exception between taking and answering
  base::MutexLock lock(mutex_);
  waiting_.push_back(&lookup);
  waiting_rows_ += objects.size();
  for (await_turn(lookup); !lookup.is_answered; await_turn(lookup)) {
    take_waiting(lookups);
    answer(lookups);
  }
  if (lookup.failure) std::rethrow_exception(lookup.failure);
  return std::move(lookup.answer);
}

// Returns when the lookup is answered or its caller may read.
void RatingLoader::await_turn(Lookup& lookup) {
  const base::Stopwatch stopwatch;
  while (!lookup.is_answered && (lookup.is_taken || !may_read())) {
    if (lookup.is_taken) {  // the thread that took it always answers
      lookup.changed.wait(mutex_);
      continue;
    }
    const auto waited = stopwatch.elapsed();
    if (waited >= sessions_.max_wait()) {
      std::erase(waiting_, &lookup);
      waiting_rows_ -= lookup.objects.size();
      throw db::ConnectionLost(0, "own ratings are read too slowly");
    }
    lookup.changed.wait_for(mutex_, sessions_.max_wait() - waited);
  }
}

bool RatingLoader::may_read() const {
  if (readers_ == 0) return true;
  return readers_ < most_readers_ && waiting_rows_ > db::BulkStatement::kMaxRows;
}

// Takes waiting lookups in their order: as many as fit into one statement, but at least one.
void RatingLoader::take_waiting(Lookups& lookups) {
  lookups.clear();
  std::size_t rows = 0;
  while (!waiting_.empty()) {
    rows += waiting_.front()->objects.size();
    if (!lookups.empty() && rows > db::BulkStatement::kMaxRows) break;
    lookups.push_back(waiting_.front());
    lookups.back()->is_taken = true;
    waiting_rows_ -= waiting_.front()->objects.size();
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
    lookup->changed.notify_one();  // under the lock: the lookup ends with the frame of its caller
  }
}

std::exception_ptr RatingLoader::read_all(const Lookups& lookups) const {
  try {
    sessions_.with_session([&](db::Connection& connection) { read_into(connection, lookups); });
    return nullptr;
  } catch (...) {  // each waiting caller throws it
    return std::current_exception();
  }
}

void RatingLoader::read_into(db::Connection& connection, const Lookups& lookups) const {
  struct Wanted {
    VoterId voter;
    const Object* object;
  };
  std::vector<Wanted> wanted;
  wanted.reserve(db::BulkStatement::kMaxRows);
  for (Lookup* lookup : lookups) {
    lookup->answer.clear();  // of an earlier attempt
    for (const Object& object : lookup->objects) wanted.push_back({lookup->voter, &object});
  }
  statement_.query(
      connection, db::span_of(wanted),
      [](db::Statement& statement, const Wanted& row, bool) {
        statement.bind(row.object->id).bind(row.object->type).bind(row.voter);
      },
      [&](const db::Rows& row) {
        const VoterId voter = row.unsigned_integer(1);
        const Object object{row.unsigned_integer(2), row.text(3)};
        const model::OwnRating own{static_cast<model::Thousandths>(row.integer(5)), row.time(6)};
        for (Lookup* lookup : lookups) {
          if (lookup->voter != voter || std::ranges::count(lookup->objects, object) == 0) {
            continue;
          }
          lookup->answer[object].at(static_cast<std::size_t>(row.integer(4))) = own;
        }
      });
}

}  // namespace votes
