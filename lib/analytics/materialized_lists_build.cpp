#include <algorithm>
#include <utility>

#include "analytics/materialized_lists.h"
#include "analytics/packed.h"
#include "analytics/range_lists.h"
#include "analytics/ranking.h"
#include "analytics/rating_sums.h"

namespace analytics {
namespace {

using model::Category;
using model::kCategories;

// The maximum number of entries in one part of the "objects" list. Each part of a list is stored in
// one row of the table, and a row must not exceed the database server's maximum packet size.
constexpr std::int64_t kEntriesOfPart = 10'000;
constexpr std::chrono::hours kTimeLimit{24};

void add_by_category(Packer& packer, const SumsByCategory& sums) {
  for (const Sums& one : sums) {
    packer.add_signed(one.total);
    packer.add_signed(one.sum);
  }
}

// --- Objects -------------------------------------------------------------------------------------

// Builds the "objects" list for one category. Objects must be added in ascending order of type and
// id.
class ObjectsList {
 public:
  explicit ObjectsList(Category category) : category_(category) {}

  void add(const std::string& type, std::uint64_t id, const Sums& sums) {
    if (entries_of_part_ == kEntriesOfPart) finish_part();
    if (entries_of_part_ == 0 || type_ != type) {
      packer_.add(std::uint64_t{0});
      packer_.add(std::string_view(type));
      type_ = type;
      last_id_ = 0;
    }
    packer_.add(id - last_id_);
    packer_.add_signed(sums.total);
    packer_.add_signed(sums.sum);
    packer_.add_signed(sums.positive);
    packer_.add_signed(sums.negative);
    last_id_ = id;
    ++entries_of_part_;
    ++entries_;
  }

  void finish(std::vector<ListPart>& parts) {
    finish_part();
    for (ListPart& part : parts_) {
      part.entries = entries_;
      parts.push_back(std::move(part));
    }
  }

 private:
  void finish_part() {
    ListPart part{.list = ListKind::objects, .category = category_, .data = packer_.bytes()};
    part.part = static_cast<std::int64_t>(parts_.size());
    parts_.push_back(std::move(part));
    packer_ = {};
    entries_of_part_ = 0;
  }

  const Category category_;
  std::vector<ListPart> parts_;
  Packer packer_;  // the current part
  std::string type_;
  std::uint64_t last_id_ = 0;
  std::int64_t entries_of_part_ = 0, entries_ = 0;
};

void add_objects(std::vector<ListPart>& parts, const SumsByTypeAndId& sums) {
  std::vector<ObjectsList> lists(kCategories.begin(), kCategories.end());
  for (const auto& [type, of_type] : sums) {
    std::vector<std::uint64_t> ids;
    ids.reserve(of_type.size());
    for (const auto& [id, by_category] : of_type) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    for (const std::uint64_t id : ids) {
      const SumsByCategory& by_category = *of_type.find(id);
      for (std::size_t i = 0; i < lists.size(); ++i) {
        if (by_category[i].total > 0) lists[i].add(type, id, by_category[i]);
      }
    }
  }
  for (ObjectsList& list : lists) list.finish(parts);
}

void add_types(std::vector<ListPart>& parts, const SumsByTypeAndId& sums) {
  ListPart part{.list = ListKind::types};
  Packer packer;
  for (const auto& [type, objects] : count_rated(sums)) {
    packer.add(std::string_view(type));
    packer.add_signed(objects);
    ++part.entries;
  }
  part.data = packer.bytes();
  parts.push_back(std::move(part));
}

// Adds the "overview" list. All objects in "objects" must have the same type.
void add_overview(std::vector<ListPart>& parts, const SumsByTypeAndId& objects) {
  Packer packer;
  for (const ObjectSums& object : most_rated(objects, {}, kListEntries)) {
    packer.add(object.object.id);
    add_by_category(packer, object.by_category);
  }
  const auto& [type, of_type] = *objects.begin();
  parts.push_back({.list = ListKind::overview,
                   .object_type = type,
                   .entries = static_cast<std::int64_t>(of_type.size()),
                   .data = packer.bytes()});
}

std::int64_t total_of_all(const SumsById& sums) {
  std::int64_t total = 0;
  for (const auto& [id, by_category] : sums) total += total_of(by_category);
  return total;
}

// Returns the types with the most ratings, up to kListTypes types.
std::vector<std::string> most_rated_types(const SumsByTypeAndId& sums) {
  std::vector<std::pair<std::int64_t, std::string>> types;
  for (const auto& [type, of_type] : sums) types.emplace_back(-total_of_all(of_type), type);
  std::sort(types.begin(), types.end());
  types.resize(std::min(types.size(), kListTypes));
  std::vector<std::string> names;
  names.reserve(types.size());
  for (auto& [total, name] : types) names.push_back(std::move(name));
  return names;
}

// --- Users ---------------------------------------------------------------------------------------

// The "users" lists for one type, or for all types combined.
class UsersLists {
 public:
  explicit UsersLists(std::string object_type) : object_type_(std::move(object_type)) {
    for (std::size_t i = 0; i <= kCategories.size(); ++i) {
      OfCategory& lists = by_category_.emplace_back();
      if (i < kCategories.size()) lists.category = kCategories[i];
      for (const UserOrder order : {UserOrder::total, UserOrder::user_id, UserOrder::first_rated_at,
                                    UserOrder::last_rated_at}) {
        for (const bool ascending : {false, true}) {
          lists.best.emplace_back(kListEntries, UserComesBefore{order, ascending});
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

  void finish(std::vector<ListPart>& parts) const {
    for (const OfCategory& lists : by_category_) {
      for (std::size_t variant = 0; variant < lists.best.size(); ++variant) {
        Packer packer;
        for (const UserSums& user : lists.best[variant].sorted()) add_user(packer, user);
        parts.push_back({.list = ListKind::users,
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
    std::vector<TopN<UserSums, UserComesBefore>> best;  // by the number from variant_of()
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

// Returns each user's sums over all types.
SumsById over_types(const SumsByTypeAndId& sums) {
  SumsById over_all;
  for (const auto& [type, of_type] : sums) {
    for (const auto& [id, by_category] : of_type) add(over_all[id], by_category);
  }
  return over_all;
}

void add_users(std::vector<ListPart>& parts, db::Connection& connection,
               const SumsByTypeAndId& sums, const std::vector<std::string>& types) {
  struct OfType {
    const SumsById& sums;
    UsersLists lists;
  };
  // Compute the sums over all types in advance, so that each user is visited only once, no matter
  // how many types there are.
  const SumsById over_all = over_types(sums);
  const SumsById nobody;
  std::vector<OfType> groups;
  groups.push_back({over_all, UsersLists("")});
  for (const std::string& type : types) {
    const auto of_type = sums.find(type);
    groups.push_back({of_type == sums.end() ? nobody : of_type->second, UsersLists(type)});
  }
  for_times_of_users(connection, [&](std::uint64_t id, base::Time first, base::Time last) {
    for (OfType& group : groups) {
      const SumsByCategory* const found = group.sums.find(id);
      if (found != nullptr) group.lists.add({id, *found, first, last});
    }
  });
  for (const OfType& group : groups) group.lists.finish(parts);
}

}  // namespace

std::vector<ListPart> build_materialized_lists(db::Connection& connection,
                                               const RatingFilter& filter) {
  std::vector<ListPart> parts;
  const auto sums_of = [&](const RangeSource& source) {
    if (filter.is_all) return add_range_lists(parts, connection, filter.days, source);
    return source.are_objects
               ? sum_up_objects(connection, filter, Signs::included, kTimeLimit).value()
               : sum_up_users(connection, filter, kTimeLimit).value();
  };
  std::vector<std::string> types;
  {
    auto objects = sums_of(kRangesOfObjects);
    types = most_rated_types(objects);
    add_objects(parts, objects);
    add_types(parts, objects);
    for (const std::string& type : types) {
      SumsByTypeAndId of_type;
      of_type.insert(objects.extract(type));
      add_overview(parts, of_type);
    }
  }
  add_users(parts, connection, sums_of(kRangesOfUsers), types);
  return parts;
}

}  // namespace analytics
