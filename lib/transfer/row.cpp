#include "transfer/row.h"

#include <charconv>
#include <utility>

#include "base/text.h"
#include "base/timestamp.h"
#include "json/codec.h"
#include "model/rating.h"
#include "model/settings.h"
#include "store/settings_store.h"
#include "templates/template_check.h"

namespace transfer {
namespace {

using base::Message;
using model::Category;
using rollups::Aggregate;
using transfer::StoredRating;

constexpr std::int64_t kMaxRows = 1'000'000'000'000;
// The maximum count in one histogram bin of an aggregate. The limit on the count prevents overflow
// when the sums of many rows are added.
constexpr std::int64_t kMaxCount = 1'000'000'000;
constexpr base::Day kFirstDay = std::chrono::year(1970) / std::chrono::January / 1;
constexpr std::chrono::minutes kClockSkew{5};

Message about(std::string_view name, Message message) {
  message.add({"name", std::string(name)});
  return message;
}

// Returns the text of a JSON number or JSON string.
std::string_view digits_of(const json::Value& value) {
  if (const auto* number = std::get_if<json::Value::Number>(&value.data)) return number->text;
  const auto* text = std::get_if<std::string>(&value.data);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

// Returns "value" as an integer, or nothing if "value" is not a sequence of digits.
std::optional<std::int64_t> digits_in(const json::Value& value) {
  return base::parse_number<std::int64_t>(digits_of(value));
}

bool has_fraction_or_exponent(const json::Value& value) {
  return json::decimal_in(value) &&
         digits_of(value).find_first_of(".,eE") != std::string_view::npos;
}

// Reads the members of one row. If error() returns a message, the values that were read are
// invalid.
class Members {
 public:
  Members(const json::Value::Object& row, base::Time now) : row_(row), now_(now) {}

  [[nodiscard]] const std::optional<Message>& error() const { return error_; }

  // Returns the member, or nullptr if the member is absent.
  [[nodiscard]] const json::Value* find(std::string_view name) const {
    for (const auto& [key, value] : row_) {
      if (key != name || value.is_null()) continue;
      const auto* text = std::get_if<std::string>(&value.data);
      return text != nullptr && text->empty() ? nullptr : &value;
    }
    return nullptr;
  }

  std::string text(std::string_view name) {
    const json::Value* value = find(name);
    if (value == nullptr) return {};
    const auto* text = std::get_if<std::string>(&value->data);
    if (text == nullptr) refuse(about(name, Message("{name} must be a string.")));
    return text == nullptr ? std::string() : *text;
  }

  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most) {
    const json::Value* value = find(name);
    const auto integer = value == nullptr ? std::nullopt : digits_in(*value);
    if (integer && least <= *integer && *integer <= most) return *integer;
    refuse(Message(
        "{name} must be an integer from {minimum} to {maximum}.",
        {{"name", std::string(name)}, {"minimum", least}, {"maximum", std::to_string(most)}}));
    return 0;
  }

  std::uint64_t id(std::string_view name) {
    constexpr auto kMost = static_cast<std::int64_t>(model::kMaxObjectId);
    const json::Value* value = find(name);
    // Reject an exponent, because a spreadsheet changes the id 123456789012 to 1.23457E+11.
    if (value != nullptr && has_fraction_or_exponent(*value)) {
      refuse(about(
          name,
          Message("{name} must be an integer that is written without a fraction or an exponent.")));
      return 0;
    }
    return static_cast<std::uint64_t>(integer(name, 1, kMost));
  }

  model::Object object() {
    model::Object object{id("object_id"), "post"};
    if (find("object_type") == nullptr) return object;
    const auto type = model::parse_object_type(text("object_type"));
    if (!type)
      refuse(
          Message("The “object_type” field must be 1 to 64 characters long. Only letters (A-Z, "
                  "a-z), digits, underscores, dots, colons and hyphens are allowed."));
    object.type = type.value_or("");
    return object;
  }

  Category category() {
    const auto category = model::category_named(text("category"));
    if (!category) refuse(Message("The “category” field must be binary, bipolar or scale."));
    return category.value_or(Category::binary);
  }

  // Returns the voter, who is a registered user or an anonymous visitor.
  model::VoterId voter() {
    if (find("user_id") != nullptr && find("visitor") != nullptr) {
      refuse(Message("The “user_id” and “visitor” fields must not both be given."));
    }
    if (find("visitor") == nullptr) return id("user_id");
    const std::string name = text("visitor");
    const bool has_form = name.size() == 1 + 2 * sizeof(model::VoterId) && name.starts_with('v');
    const auto voter =
        has_form ? base::parse_number<model::VoterId>(name.substr(1), 16) : std::nullopt;
    if (!voter || !model::is_anonymous(*voter)) {
      refuse(
          Message("The “visitor” field must be the letter v followed by 16 hexadecimal digits, "
                  "and the first digit must be from 8 to f."));
    }
    return voter.value_or(0);
  }

  // Returns the front-end visitor identified by the "issuer" and "subject" members.
  std::optional<model::FrontEndVisitor> visitor() {
    if (find("issuer") == nullptr && find("subject") == nullptr) return std::nullopt;
    model::FrontEndVisitor visitor{text("issuer"), text("subject")};
    if (find("visitor") == nullptr)
      refuse(Message("The “issuer” and “subject” fields require the “visitor” field."));
    if (!model::is_issuer(visitor.issuer)) {
      refuse(Message(
          "The “issuer” field must be 1 to 64 characters long. Only letters (A-Z, a-z), digits, "
          "underscores, dots and hyphens are allowed. The “issuer” and “subject” fields must be "
          "given together."));
    }
    if (!model::is_subject(visitor.subject)) {
      refuse(
          Message("The “subject” field must be 1 to 255 bytes long. The “issuer” and “subject” "
                  "fields must be given together."));
    }
    return visitor;
  }

  model::Thousandths value(Category category) {
    const json::Value* value = find("value");
    const auto number = value == nullptr ? std::nullopt : json::decimal_in(*value);
    const auto thousandths = number ? model::value_in(category, *number) : std::nullopt;
    if (!thousandths) {
      refuse(category == Category::binary
                 ? Message("The value must be 0 or 1 for the “binary” category.")
             : category == Category::bipolar
                 ? Message("The value must be -1, 0 or 1 for the “bipolar” category.")
                 : Message("The value must be from 0 to 1 for the “scale” category."));
    }
    return thousandths.value_or(0);
  }

  base::Time time(std::string_view name) {
    const auto time = base::from_rfc3339(text(name));
    if (!time || *time < kFirstDay) {
      refuse(
          about(name, Message("{name} must be a UTC time such as 2026-11-21T05:00:00.000000Z.")));
    } else if (*time > now_ + kClockSkew) {
      refuse(about(name, Message("{name} is in the future.")));
    }
    return time.value_or(base::Time());
  }

  base::Day day(std::string_view name) {
    const auto day = base::from_date(text(name));
    if (!day || *day < kFirstDay) {
      refuse(about(name, Message("{name} must be a date such as 2026-11-21.")));
    } else if (*day > now_ + std::chrono::days(1)) {
      refuse(about(name, Message("{name} is in the future.")));
    }
    return day.value_or(base::Day());
  }

  std::string reason() {
    std::string reason = text("reason");
    auto refusal = model::refuse_text("reason", reason, model::kReasonLimits);
    if (refusal) refuse(std::move(refusal->message));
    return std::string(base::trim_like_php(reason));
  }

  std::vector<std::string> items(std::string_view name) {
    const json::Value* value = find(name);
    return value == nullptr ? std::vector<std::string>() : json::list_in(*value);
  }

  // Stores the error message, unless an earlier error message is already stored.
  void refuse(Message sentence) {
    if (!error_) error_ = std::move(sentence);
  }

 private:
  const json::Value::Object& row_;
  const base::Time now_;
  std::optional<Message> error_;
};

Row read_rating(Members& members) {
  StoredRating rating;
  rating.key.object = members.object();
  rating.key.category = members.category();
  rating.key.voter = members.voter();
  rating.visitor = members.visitor();
  rating.value = members.value(rating.key.category);
  rating.rated_at = members.time("rated_at");
  const bool was_changed = members.find("created_at") != nullptr;
  rating.created_at = was_changed ? members.time("created_at") : rating.rated_at;
  if (rating.created_at > rating.rated_at) {
    members.refuse(Message("The “created_at” time must not be after the “rated_at” time."));
  }
  rating.reason = members.reason();
  if (!rating.reason.empty() && !model::is_low(rating.key.category, rating.value)) {
    members.refuse(Message("The “reason” field is allowed only with a low rating."));
  }
  if (members.find("held_at") == nullptr) {
    if (!members.items("held").empty())
      members.refuse(Message("The “held_at” field is required if the “held” field is given."));
    return rating;
  }
  rating.hold = StoredRating::Hold{0, members.time("held_at")};
  for (const std::string& name : members.items("held")) {
    const auto reason = votes::reason_named(name);
    if (!reason)
      members.refuse(Message(
          "The “held” field must be a list that contains few_networks, one_agent or both."));
    rating.hold->reasons |= reason.value_or(0);
  }
  return rating;
}

// Returns the sum of the ratings in thousandths.
std::int64_t read_sum(Members& members) {
  const json::Value* value = members.find("sum");
  auto number = value == nullptr ? std::nullopt : json::decimal_in(*value);
  if (number && !number->digits.empty()) number->point += 3;
  const auto sum = number ? model::to_integer(*number) : std::nullopt;
  if (!sum)
    members.refuse(Message("The “sum” field must be a number with at most three decimal places."));
  return sum.value_or(0);
}

// Returns whether valid ratings in "category" can have the totals "sums".
bool is_possible(Category category, const model::Totals& sums) {
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < sums.bins.size(); ++i) {
    const std::int64_t tenth = static_cast<std::int64_t>(i) * 100;
    const bool is_used = sums.bins[i] > 0;
    const bool is_of_category = category == Category::scale || i == 0 || i == 10 ||
                                (category == Category::bipolar && i == 5);
    if (is_used && !is_of_category) return false;
    if (category == Category::scale) {
      least += sums.bins[i] * std::max<std::int64_t>(0, tenth - 50);
      most += sums.bins[i] * std::min<std::int64_t>(1000, tenth + 49);
    } else {
      const std::int64_t value = category == Category::binary ? tenth : tenth * 2 - 1000;
      least += sums.bins[i] * value;
      most += sums.bins[i] * value;
    }
  }
  return least <= sums.sum && sums.sum <= most;
}

Row read_aggregate(Members& members) {
  Aggregate aggregate;
  auto& [key, sums] = aggregate;
  key.object = members.object();
  key.category = members.category();
  key.day = members.day("day");
  key.source = members.text("source");
  constexpr std::size_t kMaxSource = 32;
  if (key.source.empty() || key.source.size() > kMaxSource ||
      !base::consists_of_letters_digits_and(key.source, "_.:-")) {
    members.refuse(
        Message("The “source” field must be 1 to 32 characters long. Only letters (A-Z, a-z), "
                "digits, underscores, dots, colons and hyphens are allowed."));
  }
  const auto bins = members.items("bins");
  if (bins.size() != sums.bins.size())
    members.refuse(Message("The “bins” field must be a list of 11 counts."));
  for (std::size_t i = 0; i < bins.size() && i < sums.bins.size(); ++i) {
    const auto number = model::parse_decimal(bins[i]);
    const auto count = number ? model::to_integer(*number) : std::nullopt;
    if (!count || *count < 0 || *count > kMaxCount)
      members.refuse(Message("The “bins” field must be a list of 11 counts."));
    sums.bins[i] = count.value_or(0);
  }
  sums.sum = read_sum(members);
  sums.last_rated_at = members.time("last_rated_at");
  if (members.error()) return aggregate;
  if (sums.total() == 0)
    members.refuse(Message("The counts in the “bins” field must not all be 0."));
  if (!is_possible(key.category, sums))
    members.refuse(Message("The “sum” and “bins” fields contradict each other."));
  return aggregate;
}

Row read_setting(Members& members) {
  SettingRow row;
  const std::string name = members.text("name");
  row.retired = model::retirement_of(name);
  if (row.retired) return row;
  row.setting = model::find_setting(name);
  if (row.setting == nullptr) {
    members.refuse(Message("The “name” field must contain the name of a setting."));
    return row;
  }
  // In import files, an empty list is an empty string, for which find() returns nullptr.
  const json::Value* given = members.find("value");
  const json::Value nothing{std::string()};
  auto value =
      model::accept(*row.setting, store::read_setting_value(given == nullptr ? nothing : *given));
  if (!value) {
    members.refuse(value.error().message);
  } else {
    row.value = *std::move(value);
  }
  return row;
}

Row read_template(Members& members) {
  model::Template widget_template;
  widget_template.category = members.category();
  widget_template.slug = members.text("slug");
  widget_template.name = members.text("name");
  widget_template.description = members.text("description");
  widget_template.html = members.text("html");
  widget_template.css = members.text("css");
  if (members.error()) return widget_template;
  for (const auto& problem : templates::check_template(widget_template))
    members.refuse(problem.message);
  return widget_template;
}

Row read_end(Members& members) {
  return EndRow{static_cast<std::uint64_t>(members.integer("rows", 0, kMaxRows))};
}

struct RowKind {
  std::string_view name;
  Row (*read)(Members& members);
};
constexpr RowKind kKinds[] = {{"rating", read_rating},
                              {"balance", read_aggregate},
                              {"setting", read_setting},
                              {"template", read_template},
                              {"end", read_end}};

}  // namespace

tl::expected<Row, Message> read_row(const json::Value::Object& row, base::Time now) {
  Members members(row, now);
  const std::string name = members.text("kind");
  for (const RowKind& kind : kKinds) {
    if (name != kind.name) continue;
    Row read = kind.read(members);
    if (members.error()) return tl::unexpected(*members.error());
    return read;
  }
  return tl::unexpected(
      Message("The “kind” field must be rating, balance, setting, template or end."));
}

}  // namespace transfer
