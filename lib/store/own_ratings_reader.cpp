#include "store/own_ratings_reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/stopwatch.h"

namespace store {

using model::Object;
using model::VoterId;

OwnRatingsReader::OwnRatingsReader(db::Pool& sessions, unsigned most_readers,
                                   const std::string& table_prefix)
    : sessions_(sessions),
      most_readers_(most_readers),
      // The key is all that is asked by; with many pairs the server may think otherwise.
      statement_({"SELECT voter, object_id, object_type, category, value, rated_at FROM " +
                      table_prefix + "ratingd_votes FORCE INDEX (PRIMARY) WHERE ",
                  "(object_id = ? AND object_type = ? AND category IN (0, 1, 2) AND voter = ?)",
                  " OR ", ""}) {}

std::map<Object, OwnRatings> OwnRatingsReader::read(VoterId voter,
                                                    std::span<const Object> objects) {
  if (objects.empty()) return {};
  Question question{.voter = voter, .objects = objects};
  Questions questions;
  questions.reserve(db::BulkStatement::kMaxRows);  // so that who is taken is answered
  base::MutexLock lock(mutex_);
  waiting_.push_back(&question);
  waiting_rows_ += objects.size();
  for (await_turn(question); !question.is_answered; await_turn(question)) {
    take_waiting(questions);
    answer(questions);
  }
  if (question.failure) std::rethrow_exception(question.failure);
  return std::move(question.answer);
}

// Returns when the question is answered or its caller may read.
void OwnRatingsReader::await_turn(Question& question) {
  const base::Stopwatch stopwatch;
  while (!question.is_answered && (question.is_taken || !may_read())) {
    if (question.is_taken) {  // whoever took it gives an answer in any case
      question.changed.wait(mutex_);
      continue;
    }
    const auto waited = stopwatch.elapsed();
    if (waited >= db::Pool::kPatience) {
      std::erase(waiting_, &question);
      waiting_rows_ -= question.objects.size();
      throw db::ConnectionLost(0, "own ratings are read too slowly");
    }
    question.changed.wait_for(mutex_, db::Pool::kPatience - waited);
  }
}

bool OwnRatingsReader::may_read() const {
  if (readers_ == 0) return true;
  return readers_ < most_readers_ && waiting_rows_ > db::BulkStatement::kMaxRows;
}

// Those who wait, in their order, as many as one statement bears, and one in any case.
void OwnRatingsReader::take_waiting(Questions& questions) {
  questions.clear();
  std::size_t rows = 0;
  while (!waiting_.empty()) {
    rows += waiting_.front()->objects.size();
    if (!questions.empty() && rows > db::BulkStatement::kMaxRows) break;
    questions.push_back(waiting_.front());
    questions.back()->is_taken = true;
    waiting_rows_ -= waiting_.front()->objects.size();
    waiting_.pop_front();
  }
}

void OwnRatingsReader::answer(const Questions& questions) {
  ++readers_;
  mutex_.unlock();
  const std::exception_ptr failure = ask_all(questions);
  mutex_.lock();
  --readers_;
  if (!waiting_.empty()) waiting_.front()->changed.notify_one();
  for (Question* question : questions) {
    question->failure = failure;
    question->is_answered = true;
    question->changed.notify_one();  // under the lock: it goes with its caller's frame
  }
}

std::exception_ptr OwnRatingsReader::ask_all(const Questions& questions) const {
  try {
    sessions_.with_session([&](db::Connection& connection) { ask(connection, questions); });
    return nullptr;
  } catch (...) {  // whatever it is, all who asked are told
    return std::current_exception();
  }
}

void OwnRatingsReader::ask(db::Connection& connection, const Questions& questions) const {
  struct Wanted {
    VoterId voter;
    const Object* object;
  };
  std::vector<Wanted> wanted;
  wanted.reserve(db::BulkStatement::kMaxRows);
  for (Question* question : questions) {
    question->answer.clear();  // of an attempt before
    for (const Object& object : question->objects) wanted.push_back({question->voter, &object});
  }
  statement_.query(
      connection, db::span_of(wanted),
      [](db::Statement& statement, const Wanted& row, bool) {
        statement.bind(row.object->id).bind(row.object->type).bind(row.voter);
      },
      [&](const db::Rows& row) {
        const VoterId voter = row.unsigned_integer(1);
        const Object object{row.unsigned_integer(2), row.text(3)};
        const OwnRating own{static_cast<model::Thousandths>(row.integer(5)), row.time(6)};
        for (Question* question : questions) {
          if (question->voter != voter || std::ranges::count(question->objects, object) == 0) {
            continue;
          }
          question->answer[object].at(static_cast<std::size_t>(row.integer(4))) = own;
        }
      });
}

}  // namespace store
