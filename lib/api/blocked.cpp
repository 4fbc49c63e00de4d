#include "api/blocked.h"

#include <algorithm>

#include "base/address.h"
#include "base/bytes.h"

namespace api {

bool is_blocked(const Call& call) {
  const model::Settings& settings = call.site.settings;
  const auto has_address = [&](const std::string& text) {
    const auto network = base::Network::parse(text);
    return network && network->contains(call.requester.address);
  };
  const auto has_agent = [&](const std::string& part) {
    return base::contains_ignoring_case(call.request.user_agent, part);
  };
  return std::any_of(settings.blocked_networks.begin(), settings.blocked_networks.end(),
                     has_address) ||
         std::any_of(settings.blocked_agents.begin(), settings.blocked_agents.end(), has_agent);
}

}  // namespace api
