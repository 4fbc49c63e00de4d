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
#include "identity/requester.h"
#include "limit/limiter.h"
#include "store/site.h"

namespace api {

// What a request has left of its address's allowance, after it has taken its share.
struct Allowance {
  std::string_view policy;  // "read" or "write"
  limit::Quota quota;
  limit::Decision decision;
};

// One request, understood as far as all handlers need it.
struct Call {
  const http::Request& request;
  const store::SiteState& site;
  std::string argument;  // what stands for {…} in the route's path, decoded (see Match)
  identity::Requester requester;
  // Whose ratings are meant: the voter that the request proves, or a new one for a vote that proves
  // none.
  std::optional<model::VoterId> voter;
  // To be sent with the answer, also where it says that the request may be repeated.
  std::optional<identity::VoterCookie> cookie = {};
  Parameters parameters = {};
  bool is_monitor = false;   // may see how the service is; only looked up where it matters
  bool is_for_site = false;  // the site is known, and the path is one of it: its methods are told
  std::optional<Allowance> allowance = {};  // of what is limited
};

// A handler's answer: the status is 200 unless it says otherwise.
struct Answer {
  std::string body;
  int status = 200;
  std::vector<http::Header> headers = {};
  bool drops_cookie = false;  // the browser is to forget the voter cookie
  http::Pieces pieces = {};   // for what is too long to stand in "body"
};

using Result = tl::expected<Answer, Error>;

}  // namespace api
