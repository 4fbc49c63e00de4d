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

// A request with the information about its sender and its site that all handlers need.
struct Call {
  const http::Request& request;
  const store::SiteState& site;
  std::string argument;  // the decoded value of {…} in the route's path (see Match)
  identity::Requester requester;
  // The voter that the request identifies, or a new voter for a browser's first vote. Empty if the
  // voter is identified only by the client's network, because the id of such a voter also depends
  // on the rated object.
  std::optional<model::VoterId> voter;
  // The cookie to send with the response, or with an error that asks the client to retry.
  std::optional<identity::VoterCookie> voter_cookie_to_send = {};
  Parameters parameters = {};
  std::set<std::string> fields = {};  // if not empty, only these members are sent
  // True if the route provides monitoring data and the sender may read the data.
  bool is_monitor = false;
  // True if the path belongs to the site. If false, the response must not contain an Allow header.
  bool is_for_site = false;
  // The state of the rate limit for the sender's network, if a rate limit applies to the request.
  std::optional<RateLimitState> rate_limit = {};
  model::IdentifiedBy identified_by = model::IdentifiedBy::new_;
  // The counter to increment if a vote gets a 503 response before reaching the queue.
  runtime::Count failure_of_vote = runtime::Count::vote_unavailable;
};

struct Answer;
using Result = tl::expected<Answer, Error>;

// A vote that must be written before its request is answered.
struct VoteStep {
  votes::VoteRequest request;
  std::function<Result(const votes::VoteQueue::WriteResult&)> finish;
};

// A handler's response.
struct Answer {
  std::string body;
  int status = 200;
  std::vector<http::Header> headers = {};
  bool drops_voter_cookie = false;  // if true, the browser's voter cookie is deleted
  http::Pieces pieces = {};         // the content, if it is too large for "body"
  // If the "vote" member is set, the vote is written, and the result of VoteStep::finish() replaces
  // this response.
  std::shared_ptr<const VoteStep> vote = {};
};

}  // namespace api
