#include "admin/flags.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "admin/output.h"

namespace admin {
namespace {

struct Name {
  std::string_view flag;
  std::string_view parameter;
};
// The flags whose names differ from the HTTP API's parameter names.
constexpr auto kNames = std::to_array<Name>({{"object", "object_id"},
                                             {"type", "object_type"},
                                             {"user", "user_id"},
                                             {"dry-run", "dry_run"}});
// The flags that do not take a value.
constexpr std::array<std::string_view, 3> kSwitches = {"all", "confirm", "dry-run"};

// The flags that select a site. These flags are not parameters.
constexpr std::array<std::string_view, 3> kSiteFlags = {"site", "url", "all-sites"};

struct Sentence {
  std::string_view parameter;
  std::string_view code;  // empty for any code
  std::string_view text;
};
// The messages that ratingctl prints instead of the HTTP API's error messages about parameters.
constexpr auto kSentences = std::to_array<Sentence>({
    {"user_id", "rest_invalid_param", "Give either --user, or --issuer and --subject."},
    {"issuer", "",
     "--issuer must be 1 to 64 characters of A-Z a-z 0-9 _ . -; it goes with --subject."},
    {"subject", "", "--subject must be 1 to 255 bytes of UTF-8; it goes with --issuer."},
    {"scope", "rest_invalid_param",
     "Only ratings and addresses have filters. Delete all settings or templates with --all."},
    {"before", "",
     "--before must be a date such as 2026-11-21, or a time such as 2026-11-21T05:00:00Z, and not "
     "in the future. To delete everything, give --all."},
    {"all", "", "Give either filters, or --all for everything."},
    {"confirm", "", "Deletion is permanent. If you are sure, add --confirm."},
});

std::string_view parameter_of(std::string_view flag) {
  const auto* const found = std::ranges::find(kNames, flag, &Name::flag);
  return found == kNames.end() ? flag : found->parameter;
}

std::string flag_of(const Invocation& call, std::string_view parameter) {
  const auto* const found = std::ranges::find(kNames, parameter, &Name::parameter);
  const std::string flag(found == kNames.end() ? parameter : found->flag);
  return call.has(flag) ? "--" + flag : "The argument";
}

std::string sentence_of(const Invocation& call, const json::FieldError& error) {
  const auto* const found = std::ranges::find_if(kSentences, [&](const Sentence& sentence) {
    return sentence.parameter == error.field &&
           (sentence.code.empty() || sentence.code == error.code);
  });
  if (found != kSentences.end()) return std::string(found->text);
  std::string text = error.message.text();
  if (!text.starts_with(error.field + ' ')) return text;
  return flag_of(call, error.field) + text.substr(error.field.size());
}

}  // namespace

json::Parameters parameters_of(const Invocation& call) {
  json::Parameters parameters;
  for (const auto& [flag, value] : call.flags) {
    if (std::ranges::find(kSiteFlags, flag) != kSiteFlags.end()) continue;
    const bool is_switch = std::ranges::find(kSwitches, flag) != kSwitches.end();
    parameters.add(parameter_of(flag), {is_switch ? std::string("true") : value});
  }
  return parameters;
}

int refuse(const Invocation& call, const json::Fields& fields) {
  for (const json::FieldError& error : fields.invalid()) refuse(sentence_of(call, error));
  return kWrongArguments;
}

}  // namespace admin
