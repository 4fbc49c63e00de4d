#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/app.h"
#include "api/errors.h"
#include "api/parameters.h"
#include "http/request.h"
#include "http/response.h"
#include "identity/asker.h"
#include "store/site.h"

namespace api {

// One request, understood as far as all handlers need it.
struct Call {
  const http::Request& request;
  const store::SiteState& site;
  std::string argument;  // what stands for {…} in the route's path, decoded (see Match)
  identity::Asker asker;
  // Whose ratings are meant: the voter of the cookie, or, for what takes ratings back, the one that
  // the fingerprint still leads to.
  std::optional<model::VoterId> voter;
  Parameters parameters;
  bool is_watcher = false;  // may see how the service is; only looked up where it matters
};

// A handler's answer: the status is 200 unless it says otherwise.
struct Answer {
  std::string body;
  int status = 200;
  std::vector<http::Header> headers = {};
  // A voter cookie to be sent with it, or to be dropped by the browser.
  std::optional<identity::VoterCookie> cookie = {};
  bool drops_cookie = false;
  http::Pieces pieces = {};  // for what is too long to stand in "body"
};

using Result = tl::expected<Answer, Error>;

}  // namespace api
