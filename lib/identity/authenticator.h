#pragma once

#include "cms/cms.h"
#include "http/request.h"
#include "identity/requester.h"
#include "identity/secrets.h"
#include "model/settings.h"

namespace identity {

// Finds out who sent a request: the CMS knows its users (cms::Cms::identify), ratingd its anonymous
// voters.
//
// Safe for concurrent use.
class Authenticator {
 public:
  // All must outlive this object.
  Authenticator(const KeyRing& keys, cms::Cms& cms, const cms::LoginServices& services)
      : keys_(keys), cms_(cms), services_(services) {}

  // Whether the CMS's users can be identified.
  [[nodiscard]] bool is_ready() const { return cms_.is_ready(); }

  // REQUIRES: is_ready(). Errors: as db::Pool.
  [[nodiscard]] Requester identify(const http::Request& request, const model::Settings& settings,
                                   cms::Route route);

 private:
  const KeyRing& keys_;
  cms::Cms& cms_;
  const cms::LoginServices services_;
};

}  // namespace identity
