#include "analytics/materialized_users.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "analytics/top_n.h"
#include "base/timestamp.h"
#include "db/transaction.h"

namespace analytics {
namespace {

using model::Category;

constexpr auto kOfAllDays = static_cast<std::int64_t>(NamedPeriod::all);
constexpr std::int64_t kLastPart = std::numeric_limits<std::uint16_t>::max();

// No row may exceed a packet of the server.
constexpr std::int64_t kUsersOfPart = 10'000, kUsersOfDay = 500'000;

// Calls "use(id, one, other)" for each user of a part.
template <typename Use>
void for_users(std::string_view data, const Use& use) {
  std::uint64_t id = 0;
  for (Unpacker unpacker(data); !unpacker.is_at_end();) {
    id += unpacker.number();
    const std::int64_t one = unpacker.signed_number();
    const std::int64_t other = unpacker.signed_number();
    use(id, one, other);
  }
}

void add_totals(std::vector<ListPart>& parts, Category category, const std::string& type,
                const SumsById& of_type) {
  const auto place = static_cast<std::size_t>(category);
  std::vector<std::uint64_t> ids;
  for (const auto& [id, sums] : of_type) {
    if (sums[place].total != 0 || sums[place].sum != 0) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  PackedUserList users({.list = ListKind::user_totals, .category = category, .object_type = type});
  for (const std::uint64_t id : ids) {
    const Sums& sums = (*of_type.find(id))[place];
    users.add(id, sums.total, sums.sum);
  }
  users.finish(parts);
}

// Some users' sums in a category; "sign" is 1, or -1 to subtract them.
struct Part {
  ListKind list;
  Category category;
  std::int64_t sign;
  std::string data;
};

struct User {
  std::uint64_t id;
  std::int64_t total;  // of the filter's days
  base::Time first_rated_at, last_rated_at;
};

// All users in the order of their ids.
std::optional<std::vector<User>> read_times(db::Connection& connection) {
  std::optional<std::vector<User>> users;
  db::Rows row = connection.query(
      "SELECT data FROM {prefix}ratingd_kept_lists FORCE INDEX (PRIMARY) WHERE period = ?"
      " AND list = ? ORDER BY category, object_type, part",
      kOfAllDays, ListKind::user_times);
  while (row.next()) {
    if (!users) users.emplace();
    for_users(row.text(1), [&](std::uint64_t id, std::int64_t begin, std::int64_t duration) {
      const base::Time first{std::chrono::microseconds(begin)};
      users->push_back({id, 0, first, first + std::chrono::microseconds(duration)});
    });
  }
  return users;
}

// Sets the totals of users: those of all days list nearly all users, those of a day few.
void add_up(std::vector<User>& users, const std::vector<Part>& parts) {
  CountsById of_days;
  for (const Part& part : parts) {
    if (part.list == ListKind::user_days) {
      for_users(part.data, [&](std::uint64_t id, std::int64_t total, std::int64_t) {
        of_days[id] += part.sign * total;
      });
      continue;
    }
    auto user = users.begin();
    for_users(part.data, [&](std::uint64_t id, std::int64_t total, std::int64_t) {
      while (user != users.end() && user->id < id) ++user;
      if (user != users.end() && user->id == id) user->total += total;
    });
  }
  for (User& user : users) {
    if (const std::int64_t* const total = of_days.find(user.id)) user.total += *total;
  }
}

// Sets the sums of these users.
void fill_in(std::vector<UserSums>& users, const std::vector<Part>& parts) {
  ById<UserSums*> by_id;
  for (UserSums& user : users) {
    user.by_category = {};
    by_id[user.user_id] = &user;
  }
  for (const Part& part : parts) {
    for_users(part.data, [&](std::uint64_t id, std::int64_t total, std::int64_t sum) {
      UserSums* const* const user = by_id.find(id);
      if (user == nullptr) return;
      Sums& one = (*user)->by_category[static_cast<std::size_t>(part.category)];
      one.total += part.sign * total;
      one.sum += part.sign * sum;
    });
  }
}

// The types of the lists, or only that of the filter.
std::vector<std::string> types_of(db::Connection& connection, Category category,
                                  const RatingFilter& filter) {
  if (filter.object_type) return {*filter.object_type};
  return connection
      .query(
          "SELECT DISTINCT object_type FROM {prefix}ratingd_kept_lists WHERE period = ?"
          " AND list = ? AND category = ?",
          kOfAllDays, ListKind::user_totals, category)
      .all(db::text_in);
}

// The parts that the sums of the filter's days are made of; "all" are the days of the lists.
std::vector<Part> read_parts(db::Connection& connection, const DayRange& all,
                             const RatingFilter& filter) {
  const std::int64_t first = std::max<std::int64_t>((filter.days.first - all.first).count(), 0);
  const std::int64_t last = (std::min(filter.days.last, all.last) - all.first).count();
  const std::int64_t end = all.length();
  std::vector<Part> parts;
  for (const Category category : model::kCategories) {
    if (filter.category && *filter.category != category) continue;
    for (const std::string& type : types_of(connection, category, filter)) {
      const auto read = [&](ListKind list, std::int64_t begin, std::int64_t back,
                            std::int64_t sign) {
        if (begin > back) return;
        db::Rows row = connection.query(
            "SELECT data FROM {prefix}ratingd_kept_lists WHERE period = ? AND list = ?"
            " AND category = ? AND object_type = ? AND part BETWEEN ? AND ?",
            kOfAllDays, list, category, type, begin, back);
        while (row.next()) {
          parts.push_back({list, category, sign, row.text(1)});
        }
      };
      if (2 * (last - first + 1) <= end) {
        read(ListKind::user_days, first, last, 1);
        continue;
      }
      read(ListKind::user_totals, 0, kLastPart, 1);
      read(ListKind::user_days, 0, first - 1, -1);
      read(ListKind::user_days, last + 1, end - 1, -1);
    }
  }
  return parts;
}

}  // namespace

void PackedUsers::finish(std::vector<ListPart>& parts, ListPart name) {
  name.entries = entries_;
  name.data = packer_.bytes();
  parts.push_back(std::move(name));
  *this = {};
}

void PackedUserList::add(std::uint64_t id, std::int64_t one, std::int64_t other) {
  if (part_.entries() == kUsersOfPart) {
    part_.finish(parts_, name_);
    ++name_.part;
  }
  part_.add(id, one, other);
}

void PackedUserList::finish(std::vector<ListPart>& parts) {
  part_.finish(parts_, name_);
  std::move(parts_.begin(), parts_.end(), std::back_inserter(parts));
}

UserDays add_user_days(std::vector<ListPart>& parts, db::Connection& connection,
                       const DayRange& days) {
  UserDays found;
  SumsByTypeAndId& sums = found.sums;
  std::vector<ListPart> user_days;
  std::map<std::pair<Category, std::string>, PackedUsers> of_day;
  std::int64_t most_users = 0;
  std::int64_t part = 0;
  const auto finish_day = [&] {
    for (auto& [kind, users] : of_day) {
      most_users = std::max(most_users, users.entries());
      users.finish(user_days, {.list = ListKind::user_days,
                               .category = kind.first,
                               .object_type = kind.second,
                               .part = part});
    }
    of_day.clear();
  };
  // In the order of the primary key.
  db::Rows row =
      connection.stream("SELECT DATEDIFF(day, '" + base::to_date(days.first) +
                        "'), user_id, category, object_type, total, sum"
                        " FROM {prefix}ratingd_user_daily FORCE INDEX (PRIMARY)"
                        " WHERE day BETWEEN '" +
                        base::to_date(days.first) + "' AND '" + base::to_date(days.last) +
                        "' ORDER BY day, user_id, category, object_type");
  while (row.next()) {
    const std::int64_t day = row.integer(1);
    if (day != part) finish_day();
    part = day;
    const std::uint64_t id = row.unsigned_integer(2);
    const auto category = static_cast<Category>(row.integer(3));
    const std::string type = row.text(4);
    const std::int64_t total = row.integer(5);
    const std::int64_t sum = row.integer(6);
    if (total == 0 && sum == 0) continue;
    Sums& one = sums[type][id][static_cast<std::size_t>(category)];
    one.total += total;
    one.sum += sum;
    if (sums.size() <= kListTypes) of_day[{category, type}].add(id, total, sum);
  }
  finish_day();
  found.are_listed =
      sums.size() <= kListTypes && most_users <= kUsersOfDay && days.length() <= kLastPart;
  if (!found.are_listed) return found;
  for (const auto& [type, of_type] : sums) {
    for (const Category category : model::kCategories) add_totals(parts, category, type, of_type);
  }
  std::move(user_days.begin(), user_days.end(), std::back_inserter(parts));
  return found;
}

std::optional<Materialized<Slice<UserSums>>> list_materialized_users(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit) {
  const db::Transaction snapshot = db::one_snapshot(connection);
  Materialized<Slice<UserSums>> found{};
  DayRange all;
  {
    db::Rows row = connection.query(
        "SELECT first_day, last_day, as_of FROM {prefix}ratingd_kept_periods WHERE period = ?"
        " AND zone = ? AND is_kept = 1",
        kOfAllDays, zone);
    if (!row.next()) return std::nullopt;
    all = {row.day(1), row.day(2)};
    found.as_of = row.time(3);
  }
  auto users = read_times(connection);
  if (!users) return std::nullopt;
  const std::vector<Part> parts = read_parts(connection, all, filter);
  add_up(*users, parts);
  TopN<UserSums, UserComesBefore> best(static_cast<std::size_t>(offset + limit), order);
  for (const User& user : *users) {
    if (user.total <= 0) continue;
    UserSums sums{user.id, {}, user.first_rated_at, user.last_rated_at};
    sums.by_category.front().total = user.total;  // for the order
    best.add(sums);
    ++found.value.total;
  }
  std::vector<UserSums>& page = found.value.items;
  page = best.sorted();
  page.erase(page.begin(), page.begin() + std::min(offset, std::ssize(page)));
  fill_in(page, parts);
  return found;
}

}  // namespace analytics
