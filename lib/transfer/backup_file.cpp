#include "transfer/backup_file.h"

#include <streambuf>
#include <utility>
#include <variant>

#include "base/crypto.h"
#include "base/text.h"
#include "base/timestamp.h"

namespace transfer {
namespace {

constexpr int kFormat = 1;
constexpr std::size_t kSumLength = 64;
constexpr const char* kNoBackup =
    "This is not a backup of ratingd. If the file is compressed, decompress it first.";

std::string sum_after(const std::string& sum, std::string_view object) {
  return base::to_hex(base::sha256(sum + std::string(object)));
}

// Returns the member "name" of a JSON object, or nullptr if the member is missing or has a
// different type.
template <typename Type>
const Type* member(const json::Value& object, std::string_view name) {
  const json::Value* const value = object.find(name);
  return value == nullptr ? nullptr : std::get_if<Type>(&value->data);
}

std::optional<int> number_in(const json::Value& object, std::string_view name) {
  const auto* number = member<json::Value::Number>(object, name);
  return number == nullptr ? std::nullopt : base::parse_number<int>(number->text);
}

std::optional<BackupHeader> header_in(const json::Value& object) {
  const auto* const program = member<std::string>(object, "program");
  const auto schema = number_in(object, "schema");
  const auto* const taken_at = member<std::string>(object, "taken_at");
  const auto time = taken_at == nullptr ? std::nullopt : base::from_rfc3339(*taken_at);
  const auto* const zone = member<std::string>(object, "zone");
  const auto* const prefix = member<std::string>(object, "prefix");
  if (program == nullptr || !schema || !time || zone == nullptr || prefix == nullptr) return {};
  BackupHeader header{*program, *schema, *time, *zone, *prefix};
  if (const auto* secret = member<std::string>(object, "secret")) header.secret = *secret;
  const auto* const has_all = member<bool>(object, "all_tables");
  header.has_all_tables = has_all != nullptr && *has_all;
  return header;
}

// Returns the strings and numbers in a JSON array as strings. Moves the strings out of "value",
// which must not be used afterwards. Returns nothing if "value" is not an array, or if the array
// contains anything except strings and numbers.
std::optional<std::vector<std::string>> texts_in(json::Value& value) {
  auto* const array = std::get_if<json::Value::Array>(&value.data);
  if (array == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  texts.reserve(array->size());
  for (json::Value& item : *array) {
    if (auto* text = std::get_if<std::string>(&item.data)) {
      texts.push_back(std::move(*text));
    } else if (auto* number = std::get_if<json::Value::Number>(&item.data)) {
      texts.push_back(std::move(number->text));
    } else {
      return std::nullopt;
    }
  }
  return texts;
}

std::optional<BackupRows> rows_in(json::Value& object) {
  BackupRows result;
  json::Value::Array* rows = nullptr;
  auto* const members = std::get_if<json::Value::Object>(&object.data);
  if (members == nullptr) return std::nullopt;
  for (auto& [name, value] : *members) {
    if (name == "table" && std::holds_alternative<std::string>(value.data)) {
      result.table = std::get<std::string>(value.data);
    } else if (name == "columns") {
      result.columns = texts_in(value).value_or(std::vector<std::string>());
    } else if (name == "rows") {
      rows = std::get_if<json::Value::Array>(&value.data);
    }
  }
  if (result.table.empty() || result.columns.empty() || rows == nullptr) return std::nullopt;
  for (json::Value& row : *rows) {
    auto values = texts_in(row);
    if (!values || values->size() != result.columns.size()) return std::nullopt;
    result.rows.push_back(std::move(*values));
  }
  return result;
}

}  // namespace

std::string BackupLines::line_of(std::string_view object) {
  sum_ = sum_after(sum_, object);
  return sum_ + " " + std::string(object) + "\n";
}

std::string text_of(const BackupHeader& header) {
  std::string text;
  json::Writer json(text);
  json.begin_object().key("ratingd_backup").integer(kFormat);
  json.key("program").string(header.program).key("schema").integer(header.schema);
  json.key("taken_at").string(base::to_rfc3339(header.taken_at)).key("zone").string(header.zone);
  json.key("prefix").string(header.table_prefix);
  if (header.has_all_tables) json.key("all_tables").boolean(true);
  if (header.secret) json.key("secret").string(*header.secret);
  json.end_object();
  return text;
}

BackupReader::BackupReader(std::istream& file) : file_(file) {
  const json::Value object = read_line();
  const auto format = number_in(object, "ratingd_backup");
  if (!format) fail(kNoBackup);
  if (*format != kFormat)
    fail("A newer version of ratingctl has written this backup. Use that version.");
  auto header = header_in(object);
  if (!header) fail("The header of the backup is not valid.");
  header_ = std::move(*header);
}

std::optional<BackupRows> BackupReader::next() {
  json::Value object = read_line();
  if (object.find("end") == nullptr) {
    auto rows = rows_in(object);
    if (!rows) fail("The line has neither rows of a table nor the end of the backup.");
    return rows;
  }
  if (file_.rdbuf()->sgetc() != std::streambuf::traits_type::eof())
    fail("The file has more lines after its end.");
  return std::nullopt;
}

json::Value BackupReader::read_line() {
  std::string_view text = read_text();
  const std::string_view sum = base::take_until(text, ' ');
  // If the first line has no checksum, the file is not a backup.
  if (sum.size() != kSumLength) fail(line_ == 1 ? kNoBackup : "The line has no checksum.");
  sum_ = sum_after(sum_, text);
  if (sum != sum_) {
    fail("The checksum is wrong: this line is damaged, or lines before it are missing.");
  }
  auto object = json::parse(text);
  if (!object) fail("The line is not valid JSON: " + object.error().message + ".");
  return std::move(*object);
}

std::string_view BackupReader::read_text() {
  constexpr int kEnd = std::streambuf::traits_type::eof();
  std::streambuf& file = *file_.rdbuf();
  ++line_;
  if (file.sgetc() == kEnd)
    fail("The file ends here, so the backup is incomplete. Use another backup.");
  buffer_.clear();
  for (int byte = file.sbumpc(); byte != kEnd && byte != '\n'; byte = file.sbumpc()) {
    if (buffer_.size() == kMaxBackupLine) {
      fail("The line is longer than " + std::to_string(kMaxBackupLine) + " bytes.");
    }
    buffer_.push_back(static_cast<char>(byte));
  }
  bytes_ += static_cast<std::int64_t>(buffer_.size()) + 1;
  return buffer_;
}

void BackupReader::fail(const std::string& problem) const {
  throw BackupError(line_, base::printable(problem));
}

}  // namespace transfer
