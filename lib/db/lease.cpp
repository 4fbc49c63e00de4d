#include "db/lease.h"

#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/crypto.h"
#include "db/endpoint.h"

namespace db {
namespace {

constexpr std::chrono::seconds kRenewal{3};
constexpr std::chrono::milliseconds kPoll{100};

constexpr std::string_view kFind =
    "SELECT owner <> 0 AND expires_at >= UTC_TIMESTAMP(6), generation"
    " FROM {prefix}ratingd_leases WHERE name = ?";
constexpr std::string_view kAdd =
    "INSERT INTO {prefix}ratingd_leases (name, owner, expires_at, generation)"
    " VALUES (?, 0, UTC_TIMESTAMP(6), 0) ON DUPLICATE KEY UPDATE name = name";
constexpr std::string_view kTake =
    "UPDATE {prefix}ratingd_leases SET owner = ?,"
    " expires_at = UTC_TIMESTAMP(6) + INTERVAL ? SECOND, generation = generation + 1"
    " WHERE name = ? AND (owner = 0 OR expires_at < UTC_TIMESTAMP(6))";
constexpr std::string_view kRenew =
    "UPDATE {prefix}ratingd_leases SET expires_at = UTC_TIMESTAMP(6) + INTERVAL ? SECOND,"
    " generation = generation + 1 WHERE name = ? AND owner = ?";
constexpr std::string_view kRelease =
    "UPDATE {prefix}ratingd_leases SET owner = 0, generation = generation + 1"
    " WHERE name = ? AND owner = ?";

}  // namespace

void Lease::create_table(Connection& connection) {
  connection.execute(
      "CREATE TABLE IF NOT EXISTS {prefix}ratingd_leases"
      " (name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,"
      " owner BIGINT UNSIGNED NOT NULL,"  // 0 if the lease is free
      " expires_at DATETIME(6) NOT NULL,"
      " generation BIGINT UNSIGNED NOT NULL,"  // the number of changes so far
      " PRIMARY KEY (name)) ENGINE=InnoDB");
}

Lease::Lease(Connection& connection, std::string name, std::chrono::seconds max_wait,
             const std::string& sentence)
    : connection_(connection), name_(std::move(name)), owner_(base::random_u64() | 1U) {
  const base::Stopwatch stopwatch;
  for (std::set<std::uint64_t> generations; !try_take(generations);) {
    const bool may_be_dead = max_wait.count() > 0 && generations.size() <= 1;
    if (stopwatch.elapsed() >= max_wait + (may_be_dead ? kDuration : std::chrono::seconds(0))) {
      throw Busy(sentence);
    }
    std::this_thread::sleep_for(kPoll);
  }
  renewing_ = std::thread([this] { keep_renewing(); });
  connection_.add_lease(*this);
}

Lease::~Lease() {
  {
    const base::MutexLock lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  renewing_.join();
  connection_.remove_lease(*this);
  if (release(connection_)) return;
  try {  // the session may be lost, and its transaction may still run and delay the release
    Connection other(with_timeout(connection_.endpoint(), kRenewal));
    release(other);
  } catch (const Failure&) {
    // The server cannot be reached, so the lease will expire.
  }
}

// Adds the lease's current generation number to "generations". Each renewal changes the generation
// number.
bool Lease::try_take(std::set<std::uint64_t>& generations) {
  try {
    Rows row = connection_.query(kFind, name_);
    const bool is_there = row.next();
    if (is_there) generations.insert(row.unsigned_integer(2));
    if (is_there && row.integer(1) != 0) return false;
    if (!is_there) connection_.execute(kAdd, name_);
    return connection_.execute(kTake, owner_, kDuration.count(), name_) > 0;
  } catch (const Conflict&) {
    return false;  // another session is taking it
  }
}

void Lease::confirm() {
  if (!renew(connection_)) throw LeaseLost(name_);
}

bool Lease::renew(Connection& connection) {
  return connection.execute(kRenew, kDuration.count(), name_, owner_) > 0;
}

// Returns false if the database fails.
bool Lease::release(Connection& connection) {
  try {
    connection.execute(kRelease, name_, owner_);
    return true;
  } catch (const Failure&) {
    return false;
  }
}

// Retries failed renewals. If all renewals fail, the lease expires.
void Lease::keep_renewing() {
  std::unique_ptr<Connection> session;
  while (!is_over_within(kRenewal)) {
    try {
      if (session == nullptr) {
        session = std::make_unique<Connection>(with_timeout(connection_.endpoint(), kRenewal));
      }
      renew(*session);
    } catch (const Conflict&) {
      // The holder's session is already renewing the lease in a transaction.
    } catch (const Failure&) {
      session.reset();
    }
  }
}

bool Lease::is_over_within(std::chrono::milliseconds duration) {
  const base::Stopwatch stopwatch;
  const base::MutexLock lock(mutex_);
  while (!is_over_ && stopwatch.elapsed() < duration) {
    over_.wait_for(mutex_, duration - stopwatch.elapsed());
  }
  return is_over_;
}

}  // namespace db
