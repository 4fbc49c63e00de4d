#include "votes/vote_store.h"

#include "votes/counters.h"

namespace votes {

using model::Category;
using model::VoterId;

VoteStore::VoteStore(const std::string& table_prefix)
    : read_ratings_("SELECT object_id, object_type, category, value, rated_at FROM " +
                    table_prefix +
                    "ratingd_votes WHERE voter = ?"
                    " ORDER BY rated_at DESC, object_id DESC, object_type DESC, category DESC"
                    " LIMIT ? OFFSET ?"),
      count_ratings_("SELECT COUNT(*) FROM " + table_prefix + "ratingd_votes WHERE voter = ?"),
      delete_counters_("DELETE FROM " + table_prefix +
                       "ratingd_counters WHERE counter < ? ORDER BY counter LIMIT 500") {}

std::vector<model::Rating> VoteStore::ratings_of(db::Connection& connection, VoterId voter,
                                                 std::int64_t offset, std::int64_t limit) const {
  std::vector<model::Rating> ratings;
  db::Rows row = connection.prepare(read_ratings_).bind(voter).bind(limit).bind(offset).query();
  while (row.next()) {
    ratings.push_back(
        {{{row.unsigned_integer(1), row.text(2)}, static_cast<Category>(row.integer(3)), voter},
         static_cast<model::Thousandths>(row.integer(4)),
         row.time(5)});
  }
  return ratings;
}

std::int64_t VoteStore::count_ratings_of(db::Connection& connection, VoterId voter) const {
  db::Rows row = connection.prepare(count_ratings_).bind(voter).query();
  return row.next() ? row.integer(1) : 0;
}

void VoteStore::delete_old_counters(db::Connection& connection, base::Time before) const {
  connection.prepare(delete_counters_).bind(first_counter_until(before)).execute();
}

}  // namespace votes
