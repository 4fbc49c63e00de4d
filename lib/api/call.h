#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/app.h"
#include "api/errors.h"
#include "api/fields.h"
#include "http/request.h"
#include "identity/requester.h"
#include "limit/limiter.h"
#include "store/site.h"
#include "votes/vote_queue.h"

namespace api {

// A request with everything that all handlers need to know about it.
struct Call {
  const http::Request& request;
  const store::SiteState& site;
  std::string argument;  // the decoded value of {…} in the route's path (see Match)
  identity::Requester requester;
  // The voter: the one that the request identifies, or a new one for a browser's first vote. Empty
  // if the voter is recognized by the network: such a voter depends on the object, too.
  std::optional<model::VoterId> voter;
  // The cookie to be sent with the answer, also with an error that asks to retry.
  std::optional<identity::VoterCookie> cookie_to_send = {};
  Parameters parameters = {};
  std::set<std::string> fields = {};  // members of the answer that it is reduced to, if any
  bool is_monitor = false;            // may read monitoring data; only set by routes that need it
  bool is_for_site = false;           // the path belongs to the site: Allow may be sent
  std::optional<RateLimitState> rate_limit = {};  // of the sender's network, for limited requests
  // How the voter of a vote was identified.
  model::IdentifiedBy identified_by = model::IdentifiedBy::new_;
  // How a vote is counted that is answered 503 before it has reached the queue.
  runtime::Count failure_of_vote = runtime::Count::vote_unavailable;
};

struct Answer;
using Result = tl::expected<Answer, Error>;

// The first step of a vote: it must be written before its request is answered.
struct VoteStep {
  votes::VoteRequest request;
  std::function<Result(const votes::VoteQueue::WriteResult&)>
      finish;  // the result for this outcome
};

// A handler's answer; the default status is 200.
struct Answer {
  std::string body;
  int status = 200;
  std::vector<http::Header> headers = {};
  bool drops_cookie = false;  // deletes the voter cookie in the browser
  http::Pieces pieces = {};   // for content that is too large for "body"
  // If set, the vote's own result takes the place of this answer.
  std::shared_ptr<const VoteStep> vote = {};
};

}  // namespace api
