#include "config/option_values.h"

#include "base/bytes.h"
#include "base/parse.h"

namespace config {

void refuse(const Setting& setting, const std::string& allowed) {
  throw Error(setting.where + " must be " + allowed + ", not \"" + base::printable(setting.value) +
              "\"");
}

unsigned number(const Setting& setting, unsigned least, unsigned most) {
  const auto result = base::parse_number<unsigned>(setting.value);
  if (!result || *result < least || *result > most) {
    refuse(setting, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *result;
}

const std::string& not_empty(const Setting& setting) {
  if (setting.value.empty()) refuse(setting, "something");
  return setting.value;
}

bool yes_or_no(const Setting& setting) {
  if (setting.value == "yes" || setting.value == "1") return true;
  if (setting.value != "no" && !setting.value.empty()) refuse(setting, "yes or no");
  return false;
}

std::string address(const Setting& setting) {
  std::string url = setting.value;
  const std::string lower = base::to_lower(url);
  if (!url.empty() && !lower.starts_with("http://") && !lower.starts_with("https://")) {
    refuse(setting, "an address that begins with http:// or https://");
  }
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::vector<std::string_view> parts_of(std::string_view list, char separator) {
  std::vector<std::string_view> parts;
  while (list.find(separator) != std::string_view::npos) {
    parts.push_back(base::trim(base::take_until(list, separator)));
  }
  parts.push_back(base::trim(list));
  return parts;
}

}  // namespace config
