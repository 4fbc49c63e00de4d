#include "store/vote_batch.h"

#include <algorithm>
#include <cassert>
#include <chrono>

#include "db/transaction.h"
#include "store/rules.h"

namespace store {
namespace {

using model::Category;
using model::Object;
using model::RatingKey;
using model::VoterId;

// The oldest day and time the database can hold: stands for "never".
constexpr base::Day kNever = std::chrono::year(1000) / std::chrono::January / 1;

std::int64_t number_of(Category category) { return static_cast<std::int64_t>(category); }

void add_value(model::Totals& totals, Category category, model::Thousandths value,
               std::int64_t sign) {
  totals.sum += sign * value;
  totals.bins[bin_of(category, value)] += sign;
}

// The keys of a map or the elements of a set, as the rows of a statement.
template <typename Container>
auto rows_of(const Container& container) {
  return std::vector(container.begin(), container.end());
}

template <typename Row>
std::span<const Row> span_of(const std::vector<Row>& rows) {
  return rows;
}

template <typename Value>
std::vector<Value> sorted_unique(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

void bind_voter(db::Statement& statement, VoterId voter, bool) { statement.bind(voter); }

RatingKey key_of(const Ballot& ballot, VoterId voter) {
  return {ballot.key.object, ballot.key.category, voter};
}

}  // namespace

VoteBatch::VoteBatch(db::Connection& connection, const VoteStatements& statements,
                     const base::Zone& zone, WriterId writer)
    : connection_(connection), statements_(statements), zone_(zone), writer_(writer) {}

void VoteBatch::run(std::span<const Ballot> ballots, const IsWanted& is_wanted,
                    std::uint64_t sequence, std::vector<Receipt>& receipts) {
  db::Transaction transaction(connection_);
  resolve_voters(ballots);
  lock_voters(ballots);
  read_votes(ballots);

  receipts.assign(ballots.size(), {});
  for (std::size_t i = 0; i < ballots.size(); ++i) {
    if (is_wanted(i)) receipts[i] = decide(ballots[i], voters_[i]);
  }
  if (has_changes()) {
    write_votes();
    write_totals();
    write_daily();
    write_site_daily();
    write_users();
    write_user_daily();
    write_voters();
    write_sequence(sequence);
  }
  read_stats(ballots, receipts);
  transaction.commit();
}

// Who each ballot counts for: a fingerprint that is known already names its voter.
void VoteBatch::resolve_voters(std::span<const Ballot> ballots) {
  std::map<std::string, const Ballot*> claims;
  for (const Ballot& ballot : ballots) {
    if (!ballot.fingerprint.empty()) claims.emplace(ballot.fingerprint, &ballot);
  }
  const auto bind_claim = [](db::Statement& statement, const auto& claim, bool) {
    statement.bind(claim.first).bind(claim.second->key.voter).bind(claim.second->received_at);
  };
  const auto rows = rows_of(claims);
  statements_.claim_fingerprints.execute(connection_, span_of(rows), bind_claim);

  std::map<std::string, VoterId> known;
  std::map<std::string, const Ballot*> outdated;
  statements_.read_fingerprints.query(
      connection_, span_of(rows),
      [](db::Statement& statement, const auto& claim, bool) { statement.bind(claim.first); },
      [&](const db::Rows& row) {
        const std::string fingerprint = row.text(1);
        const Ballot& ballot = *claims.at(fingerprint);
        const bool is_outdated = row.time(3) < ballot.fingerprint_since;
        if (is_outdated) outdated.emplace(fingerprint, &ballot);
        known[fingerprint] = is_outdated ? ballot.key.voter : row.unsigned_integer(2);
      });
  const auto renewals = rows_of(outdated);
  statements_.renew_fingerprints.execute(connection_, span_of(renewals), bind_claim);
  for (const Ballot& ballot : ballots) {
    voters_.push_back(ballot.fingerprint.empty() ? ballot.key.voter : known.at(ballot.fingerprint));
  }
}

void VoteBatch::lock_voters(std::span<const Ballot> ballots) {
  std::vector<VoterId> voters = voters_;
  for (const Ballot& ballot : ballots) {
    if (!ballot.carried_from) continue;
    assert(model::is_anonymous(*ballot.carried_from) && !model::is_anonymous(ballot.key.voter));
    assert(ballot.fingerprint.empty());
    voters.push_back(*ballot.carried_from);
  }
  voters = sorted_unique(std::move(voters));
  statements_.lock_voters.execute(
      connection_, span_of(voters),
      [](db::Statement& statement, VoterId voter, bool) { statement.bind(voter).bind(kNever); });
  statements_.read_voters.query(connection_, span_of(voters), bind_voter, [&](const db::Rows& row) {
    last_days_[row.unsigned_integer(1)] = row.day(2);
  });
}

void VoteBatch::read_votes(std::span<const Ballot> ballots) {
  std::vector<VoterKey> keys;
  for (std::size_t i = 0; i < ballots.size(); ++i) {
    const Object& object = ballots[i].key.object;
    keys.push_back({object, voters_[i]});
    if (ballots[i].carried_from) keys.push_back({object, *ballots[i].carried_from});
  }
  keys = sorted_unique(std::move(keys));
  statements_.read_votes.query(
      connection_, span_of(keys),
      [](db::Statement& statement, const VoterKey& key, bool) {
        statement.bind(key.object.id).bind(key.object.type).bind(key.voter);
      },
      [&](const db::Rows& row) {
        const RatingKey key{{row.unsigned_integer(1), row.text(2)},
                            static_cast<Category>(row.integer(3)),
                            row.unsigned_integer(4)};
        votes_[key] = {static_cast<model::Thousandths>(row.integer(5)), row.time(6)};
      });
}

Receipt VoteBatch::decide(const Ballot& ballot, VoterId voter) {
  const RatingKey key = key_of(ballot, voter);
  std::optional<OwnRating> earlier = rating_of(key);
  if (!earlier && ballot.carried_from) earlier = rating_of(key_of(ballot, *ballot.carried_from));

  Receipt receipt;
  receipt.voter = voter;
  if (earlier) receipt.previous = earlier->value;
  if (const auto refusal = find_refusal(ballot, earlier)) {
    receipt.outcome = refusal->outcome;
    receipt.retry_after = refusal->retry_after;
  } else {
    receipt.outcome = carry_out(ballot, key, earlier);
  }
  receipt.own = own_ratings(key.object, voter);
  return receipt;
}

// "earlier" is the voter's rating or, if there is none, the carried one.
Receipt::Outcome VoteBatch::carry_out(const Ballot& ballot, const RatingKey& key,
                                      const std::optional<OwnRating>& earlier) {
  if (ballot.carried_from) withdraw(key_of(ballot, *ballot.carried_from));
  if (ballot.value) return set(ballot, key, earlier);
  withdraw(key);
  return earlier ? Receipt::Outcome::withdrawn : Receipt::Outcome::nothing_stored;
}

Receipt::Outcome VoteBatch::set(const Ballot& ballot, const RatingKey& key,
                                const std::optional<OwnRating>& earlier) {
  const std::optional<OwnRating> own = rating_of(key);
  OwnRating rating{*ballot.value, ballot.received_at};
  if (own && own->value == rating.value) return Receipt::Outcome::unchanged;
  if (own) count(key, *own, -1);
  if (earlier) {
    // An equal carried rating is not given anew. For others, two requests of one voter may be
    // stored in another order than they were received in.
    const bool is_taken_over = earlier->value == rating.value;
    rating.rated_at =
        is_taken_over ? earlier->rated_at : std::max(rating.rated_at, earlier->rated_at);
  }
  count(key, rating, +1);
  note_activity(key, rating.rated_at);
  votes_[key] = rating;
  saved_[key] = {rating, ballot.address};
  deleted_.erase(key);
  return Receipt::Outcome::stored;
}

// Takes the rating with this key away, if there is one.
void VoteBatch::withdraw(const RatingKey& key) {
  const auto found = votes_.find(key);
  if (found == votes_.end()) return;
  count(key, found->second, -1);
  base::Time& newest = withdrawn_[{key.object, key.category}];
  newest = std::max(newest, found->second.rated_at);
  votes_.erase(found);
  saved_.erase(key);
  deleted_.insert(key);
}

// Adds ("sign" +1) or takes away (-1) one rating in all sums.
void VoteBatch::count(const RatingKey& key, const OwnRating& rating, std::int64_t sign) {
  const auto& [object, category, voter] = key;
  const base::Day day = zone_.day_of(rating.rated_at);

  add_value(totals_[{object, category}], category, rating.value, sign);
  add_value(site_daily_[{day, category, object.type}], category, rating.value, sign);

  DailySums& daily = daily_[{category, day, object.type, object.id}];
  daily.total += sign;
  daily.sum += sign * rating.value;
  if (rating.value > 0) daily.positive += sign;
  const bool is_negative = rating.value < 0 || (category == Category::binary && rating.value == 0);
  if (is_negative) daily.negative += sign;

  if (!model::is_anonymous(voter)) {
    UserSums& user = users_[{voter, category}];
    user.total += sign;
    user.sum += sign * rating.value;
    user.first_active_at =
        std::min(user.first_active_at.value_or(rating.rated_at), rating.rated_at);
    user.last_active_at = std::max(user.last_active_at, rating.rated_at);
    DailySums& user_daily = user_daily_[{day, voter, category, object.type}];
    user_daily.total += sign;
    user_daily.sum += sign * rating.value;
  }
}

void VoteBatch::note_activity(const RatingKey& key, base::Time at) {
  auto& last_rated_at = totals_[{key.object, key.category}].last_rated_at;
  last_rated_at = std::max(last_rated_at.value_or(at), at);

  base::Day& last_day = last_days_.at(key.voter);
  const base::Day day = zone_.day_of(at);
  if (day <= last_day) return;
  ++reach_[{day, last_day}];
  last_day = day;
  active_[key.voter] = day;
}

std::optional<OwnRating> VoteBatch::rating_of(const RatingKey& key) const {
  const auto found = votes_.find(key);
  if (found == votes_.end()) return std::nullopt;
  return found->second;
}

OwnRatings VoteBatch::own_ratings(const Object& object, VoterId voter) const {
  OwnRatings own;
  for (const Category category : model::kCategories) {
    own[static_cast<std::size_t>(category)] = rating_of({object, category, voter});
  }
  return own;
}

void VoteBatch::write_votes() {
  const auto rows = rows_of(saved_);
  statements_.save_votes.execute(connection_, span_of(rows),
                                 [](db::Statement& statement, const auto& row, bool) {
                                   const auto& [key, saved] = row;
                                   statement.bind(key.object.id)
                                       .bind(key.object.type)
                                       .bind(number_of(key.category))
                                       .bind(key.voter)
                                       .bind(std::int64_t{saved.rating.value})
                                       .bind(saved.rating.rated_at)
                                       .bind(saved.rating.rated_at)
                                       .bind(saved.address);
                                 });
  for (const RatingKey& key : deleted_) {
    connection_.prepare(statements_.delete_vote)
        .bind(key.object.id)
        .bind(key.object.type)
        .bind(number_of(key.category))
        .bind(key.voter)
        .execute();
  }
}

void VoteBatch::write_totals() {
  const auto rows = rows_of(totals_);
  statements_.add_totals.execute(
      connection_, span_of(rows), [](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.object.id).bind(key.object.type).bind(number_of(key.category));
        statement.bind(factor * sums.sum);
        for (const std::int64_t bin : sums.bins) statement.bind(factor * bin);
        statement.bind(sums.last_rated_at.value_or(base::Time(kNever))).bind(factor);
      });
  for (const auto& [key, rated_at] : withdrawn_) {
    db::Statement& statement = connection_.prepare(statements_.refresh_last_rated_at);
    for (int i = 0; i < 2; ++i) {
      statement.bind(key.object.id).bind(key.object.type).bind(number_of(key.category));
    }
    statement.bind(rated_at).execute();
  }
}

void VoteBatch::write_daily() {
  const auto rows = rows_of(daily_);
  statements_.add_daily.execute(
      connection_, span_of(rows), [](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.day).bind(number_of(key.category)).bind(key.object_type);
        statement.bind(key.object_id).bind(factor * sums.total).bind(factor * sums.sum);
        statement.bind(factor * sums.positive).bind(factor * sums.negative);
      });
}

void VoteBatch::write_site_daily() {
  const auto rows = rows_of(site_daily_);
  statements_.add_site_daily.execute(
      connection_, span_of(rows), [&](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.day).bind(number_of(key.category)).bind(key.object_type);
        statement.bind(std::int64_t{writer_.slot}).bind(factor * sums.sum);
        for (const std::int64_t bin : sums.bins) statement.bind(factor * bin);
      });
}

void VoteBatch::write_users() {
  const auto rows = rows_of(users_);
  statements_.add_users.execute(connection_, span_of(rows),
                                [](db::Statement& statement, const auto& row, bool repetition) {
                                  const auto& [key, sums] = row;
                                  const std::int64_t factor = repetition ? 0 : 1;
                                  statement.bind(key.user_id).bind(number_of(key.category));
                                  statement.bind(factor * sums.total).bind(factor * sums.sum);
                                  statement.bind(*sums.first_active_at).bind(sums.last_active_at);
                                });
}

void VoteBatch::write_user_daily() {
  const auto rows = rows_of(user_daily_);
  statements_.add_user_daily.execute(
      connection_, span_of(rows), [](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.day).bind(key.user_id).bind(number_of(key.category));
        statement.bind(key.object_type).bind(factor * sums.total).bind(factor * sums.sum);
      });
}

void VoteBatch::write_voters() {
  const auto voters = rows_of(active_);
  statements_.save_voters.execute(connection_, span_of(voters),
                                  [](db::Statement& statement, const auto& row, bool) {
                                    statement.bind(row.first).bind(row.second);
                                  });
  const auto reach = rows_of(reach_);
  statements_.add_reach.execute(
      connection_, span_of(reach), [&](db::Statement& statement, const auto& row, bool repetition) {
        statement.bind(row.first.day).bind(row.first.previous_day);
        statement.bind(std::int64_t{writer_.slot}).bind(repetition ? 0 : row.second);
      });
}

void VoteBatch::write_sequence(std::uint64_t sequence) {
  connection_.prepare(statements_.save_sequence).bind(writer_.id).bind(sequence).execute();
}

void VoteBatch::read_stats(std::span<const Ballot> ballots, std::vector<Receipt>& receipts) {
  std::vector<Object> objects;
  for (const Ballot& ballot : ballots) objects.push_back(ballot.key.object);
  objects = sorted_unique(std::move(objects));

  const auto stats = statements_.rollups.read_stats(connection_, objects);
  for (std::size_t i = 0; i < ballots.size(); ++i) {
    receipts[i].stats = stats.at(ballots[i].key.object);
  }
}

}  // namespace store
