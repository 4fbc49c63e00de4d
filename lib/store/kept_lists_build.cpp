#include "store/kept_lists_build.h"

#include <functional>
#include <tuple>
#include <utility>

#include "base/timestamp.h"
#include "store/best.h"
#include "store/packed.h"
#include "store/rollup_store.h"

namespace store {
namespace {

using model::Category;
using model::kCategories;
using SumsByCategory = std::array<Sums, kCategories.size()>;

// Of "objects", so that no row of the table gets too long for a packet of the server.
constexpr std::int64_t kEntriesOfPart = 10'000;

constexpr std::int64_t kBytesOfGroups = std::int64_t{64} << 20U;

std::int64_t total_of(const SumsByCategory& sums) {
  std::int64_t total = 0;
  for (const Sums& one : sums) total += one.total;
  return total;
}

void add_by_category(Packer& packer, const SumsByCategory& sums) {
  for (const Sums& one : sums) {
    packer.add_signed(one.total);
    packer.add_signed(one.sum);
  }
}

// " WHERE ... " for a rollup by days. Nothing is bound: streams take no parameters.
std::string on_days(const RatingFilter& filter) {
  const std::string categories = " WHERE category IN (0, 1, 2)";
  if (filter.is_all) return categories;
  return categories + " AND day BETWEEN '" + base::to_date(filter.days.first) + "' AND '" +
         base::to_date(filter.days.last) + "'";
}

// --- Objects
// --------------------------------------------------------------------------------------

// The list "objects" of one category, which gets its objects in the order of type and id.
class ObjectsList {
 public:
  explicit ObjectsList(Category category) : category_(category) {}

  void add(const model::Object& object, const Sums& sums) {
    if (entries_of_part_ == kEntriesOfPart) begin_part();
    if (entries_of_part_ == 0 || type_ != object.type) {
      packer_.add(std::uint64_t{0});
      packer_.add(std::string_view(object.type));
      type_ = object.type;
      last_id_ = 0;
    }
    packer_.add(object.id - last_id_);
    packer_.add_signed(sums.total);
    packer_.add_signed(sums.sum);
    packer_.add_signed(sums.positive);
    packer_.add_signed(sums.negative);
    last_id_ = object.id;
    ++entries_of_part_;
    ++entries_;
  }

  void finish(std::vector<KeptPart>& parts) {
    begin_part();
    for (KeptPart& part : parts_) {
      part.entries = entries_;
      parts.push_back(std::move(part));
    }
  }

 private:
  void begin_part() {
    KeptPart part{.list = KeptList::objects, .category = category_, .data = packer_.bytes()};
    part.part = static_cast<std::int64_t>(parts_.size());
    parts_.push_back(std::move(part));
    packer_ = {};
    entries_of_part_ = 0;
  }

  const Category category_;
  std::vector<KeptPart> parts_;
  Packer packer_;  // of the part that grows
  std::string type_;
  std::uint64_t last_id_ = 0;
  std::int64_t entries_of_part_ = 0, entries_ = 0;
};

bool has_more_ratings(const ObjectSums& a, const ObjectSums& b) {
  return std::tuple(-total_of(a.by_category), a.object.id) <
         std::tuple(-total_of(b.by_category), b.object.id);
}

// What all categories have to say of the objects of each type.
class Overviews {
 public:
  explicit Overviews(const std::vector<std::string>& types) {
    for (const std::string& type : types) {
      best_.emplace(type, Best<ObjectSums, Before>(kKeptEntries, has_more_ratings));
    }
  }

  void add(const ObjectSums& object) {
    ++objects_[object.object.type];
    const auto best = best_.find(object.object.type);
    if (best != best_.end()) best->second.add(object);
  }

  void finish(std::vector<KeptPart>& parts) const {
    Packer counts;
    for (const auto& [type, objects] : objects_) {
      counts.add(std::string_view(type));
      counts.add_signed(objects);
    }
    parts.push_back({.list = KeptList::types,
                     .entries = static_cast<std::int64_t>(objects_.size()),
                     .data = counts.bytes()});
    for (const auto& [type, best] : best_) {
      const auto counted = objects_.find(type);
      if (counted == objects_.end()) continue;
      Packer packer;
      for (const ObjectSums& object : best.sorted()) {
        packer.add(object.object.id);
        add_by_category(packer, object.by_category);
      }
      parts.push_back({.list = KeptList::overview,
                       .object_type = type,
                       .entries = counted->second,
                       .data = packer.bytes()});
    }
  }

 private:
  using Before = bool (*)(const ObjectSums&, const ObjectSums&);
  std::map<std::string, Best<ObjectSums, Before>> best_;
  std::map<std::string, std::int64_t> objects_;
};

std::string select_objects(const std::string& prefix, const RatingFilter& filter) {
  const std::string order = " ORDER BY object_type, object_id, category";
  if (filter.is_all) {
    return "SELECT object_type, object_id, category, bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + "
           "bin6 + bin7 + bin8 + bin9 + bin10, sum, bin10, bin0 FROM " +
           prefix + "ratingd_totals" + on_days(filter) + order;
  }
  return "SELECT object_type, object_id, category, CAST(SUM(total) AS SIGNED),"
         " CAST(SUM(sum) AS SIGNED), CAST(SUM(positive) AS SIGNED), CAST(SUM(negative) AS SIGNED)"
         " FROM " +
         prefix + "ratingd_daily" + on_days(filter) + " GROUP BY object_type, object_id, category" +
         order;
}

void build_objects(db::Connection& connection, const std::string& prefix,
                   const RatingFilter& filter, const std::vector<std::string>& types,
                   std::vector<KeptPart>& parts) {
  std::vector<ObjectsList> lists(kCategories.begin(), kCategories.end());
  Overviews overviews(types);
  ObjectSums object;  // whose rows are being read
  const auto finish_object = [&] {
    if (total_of(object.by_category) > 0) overviews.add(object);
  };
  for (db::Rows row = connection.stream(select_objects(prefix, filter)); row.next();) {
    const model::Object read{row.unsigned_integer(2), row.text(1)};
    if (read != object.object) {
      finish_object();
      object = {read, {}};
    }
    const auto category = static_cast<std::size_t>(row.integer(3));
    const Sums sums{row.integer(4), row.integer(5), row.integer(6), row.integer(7)};
    if (sums.total <= 0) continue;
    object.by_category[category] = sums;
    lists[category].add(object.object, sums);
  }
  finish_object();
  for (ObjectsList& list : lists) list.finish(parts);
  overviews.finish(parts);
}

// --- Users
// ----------------------------------------------------------------------------------------

struct ComesBefore {
  UserOrder order;
  bool ascending;

  bool operator()(const UserSums& a, const UserSums& b) const {
    const std::int64_t left = value_of(a);
    const std::int64_t right = value_of(b);
    if (left != right) return ascending ? left < right : left > right;
    return ascending_ids(a, b);
  }

 private:
  [[nodiscard]] std::int64_t value_of(const UserSums& user) const {
    switch (order) {
      case UserOrder::user_id:
        return static_cast<std::int64_t>(user.user_id);  // of a registered user: below 2^63
      case UserOrder::first_rated_at:
        return user.first_rated_at.time_since_epoch().count();
      case UserOrder::last_rated_at:
        return user.last_rated_at.time_since_epoch().count();
      case UserOrder::total:
        break;
    }
    return user.total();
  }
  static bool ascending_ids(const UserSums& a, const UserSums& b) { return a.user_id < b.user_id; }
};

// All lists of users of one type, or of any.
class UsersLists {
 public:
  explicit UsersLists(std::string object_type) : object_type_(std::move(object_type)) {
    for (std::size_t i = 0; i <= kCategories.size(); ++i) {
      OfCategory& lists = by_category_.emplace_back();
      if (i < kCategories.size()) lists.category = kCategories[i];
      for (const UserOrder order : {UserOrder::total, UserOrder::user_id, UserOrder::first_rated_at,
                                    UserOrder::last_rated_at}) {
        for (const bool ascending : {false, true}) {
          lists.best.emplace_back(kKeptEntries, ComesBefore{order, ascending});
        }
      }
    }
  }

  void add(const UserSums& user) {
    for (OfCategory& lists : by_category_) {
      UserSums in_category = user;
      if (lists.category) {
        const auto place = static_cast<std::size_t>(*lists.category);
        in_category.by_category = {};
        in_category.by_category[place] = user.by_category[place];
      }
      if (in_category.total() <= 0) continue;
      ++lists.users;
      for (auto& best : lists.best) best.add(in_category);
    }
  }

  void finish(std::vector<KeptPart>& parts) const {
    for (const OfCategory& lists : by_category_) {
      for (std::size_t variant = 0; variant < lists.best.size(); ++variant) {
        Packer packer;
        for (const UserSums& user : lists.best[variant].sorted()) add_user(packer, user);
        parts.push_back({.list = KeptList::users,
                         .variant = static_cast<std::uint8_t>(variant),
                         .category = lists.category,
                         .object_type = object_type_,
                         .entries = lists.users,
                         .data = packer.bytes()});
      }
    }
  }

 private:
  struct OfCategory {
    std::optional<Category> category;
    std::int64_t users = 0;
    std::vector<Best<UserSums, ComesBefore>> best;  // by variant_of()
  };

  static void add_user(Packer& packer, const UserSums& user) {
    packer.add(user.user_id);
    add_by_category(packer, user.by_category);
    packer.add_signed(user.first_rated_at.time_since_epoch().count());
    packer.add_signed(user.last_rated_at.time_since_epoch().count());
  }

  std::string object_type_;
  std::vector<OfCategory> by_category_;
};

std::string select_users(const std::string& prefix, const RatingFilter& filter) {
  std::string sums;
  for (std::size_t i = 0; i < kCategories.size(); ++i) {
    const std::string in_category = "IF(category = " + std::to_string(i) + ", ";
    sums += ", CAST(SUM(" + in_category + "total, 0)) AS SIGNED) AS total" + std::to_string(i);
    sums += ", CAST(SUM(" + in_category + "sum, 0)) AS SIGNED) AS sum" + std::to_string(i);
  }
  return "SELECT sums.user_id, object_type, first_rated_at, last_rated_at, total0, sum0, total1,"
         " sum1, total2, sum2 FROM (SELECT user_id, object_type" +
         sums + " FROM " + prefix + "ratingd_user_daily" + on_days(filter) +
         " GROUP BY user_id, object_type) AS sums JOIN (SELECT user_id, MIN(first_rated_at) AS"
         " first_rated_at, MAX(last_rated_at) AS last_rated_at FROM " +
         prefix +
         "ratingd_users GROUP BY user_id) AS times ON times.user_id = sums.user_id"
         " ORDER BY sums.user_id";
}

UserSums user_in(const db::Rows& row) {
  UserSums user;
  user.user_id = row.unsigned_integer(1);
  user.first_rated_at = row.time(3);
  user.last_rated_at = row.time(4);
  unsigned column = 5;
  for (Sums& sums : user.by_category) {
    sums.total = row.integer(column++);
    sums.sum = row.integer(column++);
  }
  return user;
}

void build_users(db::Connection& connection, const std::string& prefix, const RatingFilter& filter,
                 const std::vector<std::string>& types, std::vector<KeptPart>& parts) {
  UsersLists any("");
  std::map<std::string, UsersLists> by_type;
  for (const std::string& type : types) by_type.emplace(type, type);
  UserSums user;  // whose rows are being read, of all types
  for (db::Rows row = connection.stream(select_users(prefix, filter)); row.next();) {
    const UserSums of_type = user_in(row);
    const auto lists = by_type.find(row.text(2));
    if (lists != by_type.end()) lists->second.add(of_type);
    if (of_type.user_id == user.user_id) {
      for (std::size_t i = 0; i < user.by_category.size(); ++i) {
        user.by_category[i].total += of_type.by_category[i].total;
        user.by_category[i].sum += of_type.by_category[i].sum;
      }
    } else {
      any.add(user);
      user = of_type;
    }
  }
  any.add(user);
  any.finish(parts);
  for (const auto& [type, lists] : by_type) lists.finish(parts);
}

std::vector<std::string> most_rated_types(db::Connection& connection, const std::string& prefix,
                                          const RatingFilter& filter) {
  std::string bins;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    bins += (i > 0 ? " + bin" : "bin") + std::to_string(i);
  }
  std::vector<std::string> types;
  db::Rows row =
      connection.query("SELECT object_type FROM " + prefix + "ratingd_site_daily" +
                       on_days(filter) + " GROUP BY object_type HAVING SUM(" + bins +
                       ") > 0 ORDER BY SUM(" + bins + ") DESC LIMIT " + std::to_string(kKeptTypes));
  while (row.next()) types.push_back(row.text(1));
  return types;
}

}  // namespace

std::vector<KeptPart> build_kept_lists(db::Connection& connection, const std::string& table_prefix,
                                       const RatingFilter& filter) {
  // A group for each object: else the server would sum them up on disk.
  connection.execute("SET SESSION tmp_table_size = " + std::to_string(kBytesOfGroups) +
                     ", SESSION max_heap_table_size = " + std::to_string(kBytesOfGroups));
  const auto types = most_rated_types(connection, table_prefix, filter);
  std::vector<KeptPart> parts;
  build_objects(connection, table_prefix, filter, types, parts);
  build_users(connection, table_prefix, filter, types, parts);
  return parts;
}

}  // namespace store
