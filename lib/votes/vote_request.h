#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/stopwatch.h"
#include "model/front_end_visitor.h"
#include "model/rating.h"
#include "votes/rules.h"

namespace votes {

// A request to set one rating or to withdraw it.
struct VoteRequest {
  model::RatingKey key;
  std::optional<model::Thousandths> value;  // none: withdraw the rating
  base::Time received_at;
  base::Stopwatch stopwatch;  // since the HTTP request arrived: old requests are not written
  Rules rules;
  // The anonymous voter of a registered user's browser, who may have voted before the login. This
  // voter's rating of the same object and category is deleted. If the user has no rating of it, it
  // counts as the user's earlier rating, and an equal value keeps its time. A refused request
  // leaves it. REQUIRES: it is anonymous, and key.voter is not.
  std::optional<model::VoterId> moved_from;
  // The visitor of another front end whose voter key.voter is taken to be. A row with both is
  // stored with the rating (store/front_end_visitors.h). If the visitor turns out to be another
  // voter, the request is written for that one.
  std::optional<model::FrontEndVisitor> visitor = {};
  // The voter has no cookie, or is a visitor without a row: most likely nothing is stored about
  // the voter. The batch then tries to do without reading.
  bool may_be_new = false;
  std::string address;  // as stored in the votes table, up to 17 bytes
  // The user agent as stored in the votes table, for first votes that may be held; 0: unknown. A
  // vote with an address but without a user agent is never part of a burst.
  std::uint16_t agent = 0;
};

}  // namespace votes
