#include "imports/plugin_voters.h"

#include "base/crypto.h"
#include "base/text.h"
#include "store/named_values.h"

namespace imports {
namespace {

constexpr std::string_view kName = "import_key_check";

std::string check_of(const std::string& key) {
  return base::to_hex(base::keyed_blake2b(key, "check", 8));
}

}  // namespace

model::VoterId PluginVoters::voter(std::string_view plugin, std::string_view what,
                                   std::string_view text) const {
  std::string message(plugin);
  message.append(1, '\0').append(what).append(1, '\0').append(text);
  model::VoterId voter = 0;
  for (const char byte : base::keyed_blake2b(key_, message, sizeof voter)) {
    voter = voter << 8U | static_cast<unsigned char>(byte);
  }
  return voter | model::kAnonymousBit;
}

tl::expected<std::string, base::Message> key_of_imports(db::Connection& connection,
                                                        std::span<const std::string> keys,
                                                        bool is_dry) {
  const auto check = store::read_value(connection, kName);
  if (!check) {
    if (!is_dry) store::add_value(connection, kName, check_of(keys.front()));
    return keys.front();
  }
  for (const std::string& key : keys) {
    if (check_of(key) == *check) return key;
  }
  return tl::unexpected(base::Message(
      "The secret has changed since the last import, so anonymous votes would be counted again. "
      "For this import, add the previous secret as the second line of the secret file."));
}

}  // namespace imports
