#include "identity/authenticator.h"

#include <utility>

namespace identity {

Requester Authenticator::identify(const http::Request& request, const model::Settings& settings,
                                  cms::Route route) {
  Requester requester = recognise(request, keys_, settings);
  cms::Identification identification = cms_.identify(request, route, services_);
  requester.user = std::move(identification.user);
  requester.login = std::move(identification.login);
  return requester;
}

}  // namespace identity
