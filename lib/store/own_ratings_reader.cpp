#include "store/own_ratings_reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/stopwatch.h"

namespace store {

using model::Object;
using model::VoterId;

OwnRatingsReader::OwnRatingsReader(db::Pool& sessions, const std::string& table_prefix)
    : sessions_(sessions),
      statement_({"SELECT voter, object_id, object_type, category, value, rated_at FROM " +
                      table_prefix + "ratingd_votes FORCE INDEX (PRIMARY) WHERE ",
                  "(object_id = ? AND object_type = ? AND category IN (0, 1, 2) AND voter = ?)",
                  " OR ", ""}) {}

std::map<Object, OwnRatings> OwnRatingsReader::read(VoterId voter,
                                                    std::span<const Object> objects) {
  Question question{.voter = voter, .objects = objects};
  Questions questions;
  {
    const base::MutexLock lock(mutex_);
    waiting_.push_back(&question);
    await_turn(question);
    if (!question.is_answered) questions = take_with(question);
  }
  if (!questions.empty()) answer(questions);
  if (question.failure) std::rethrow_exception(question.failure);
  return std::move(question.answer);
}

// Returns when the question is answered or its caller may read.
void OwnRatingsReader::await_turn(Question& question) {
  const base::Stopwatch stopwatch;
  while (!question.is_answered && (question.is_taken || is_reading_)) {
    if (question.is_taken) {  // whoever took it gives an answer in any case
      question.changed.wait(mutex_);
      continue;
    }
    const auto waited = stopwatch.elapsed();
    if (waited >= db::Pool::kPatience) {
      std::erase(waiting_, &question);
      throw db::ConnectionLost(0, "own ratings are read too slowly");
    }
    question.changed.wait_for(mutex_, db::Pool::kPatience - waited);
  }
}

// This question and those that wait, in their order, as many as one statement bears.
OwnRatingsReader::Questions OwnRatingsReader::take_with(Question& first) {
  Questions questions;
  questions.reserve(waiting_.size());  // from here on nothing fails: who is taken is answered
  std::erase(waiting_, &first);
  questions.push_back(&first);
  std::size_t rows = first.objects.size();
  while (!waiting_.empty()) {
    rows += waiting_.front()->objects.size();
    if (rows > db::BulkStatement::kMaxRows) break;
    questions.push_back(waiting_.front());
    waiting_.pop_front();
  }
  for (Question* question : questions) question->is_taken = true;
  is_reading_ = true;
  return questions;
}

void OwnRatingsReader::answer(const Questions& questions) {
  std::exception_ptr failure;
  try {
    sessions_.with_session([&](db::Connection& connection) { ask(connection, questions); });
  } catch (...) {
    failure = std::current_exception();
  }
  const base::MutexLock lock(mutex_);
  is_reading_ = false;
  if (!waiting_.empty()) waiting_.front()->changed.notify_one();
  for (Question* question : questions) {
    question->failure = failure;
    question->is_answered = true;
    question->changed.notify_one();  // under the lock: it goes with its caller's frame
  }
}

void OwnRatingsReader::ask(db::Connection& connection, const Questions& questions) const {
  struct Wanted {
    VoterId voter;
    const Object* object;
  };
  std::vector<Wanted> wanted;
  wanted.reserve(db::BulkStatement::kMaxRows);
  for (const Question* question : questions) {
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
