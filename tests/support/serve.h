#pragma once

#include <utility>
#include <variant>

#include "dispatch/serve.h"

namespace support {

// Returns the final result of a request. If the request handler has returned a vote, waits until
// the vote is written.
inline api::Result written(const api::App& app, api::Result result) {
  if (!result || !result->vote) return result;
  return result->vote->finish(app.voting.writer.write(result->vote->request));
}

// Returns the response to a request. If the request is a vote, waits until the vote is written.
inline http::Response serve(const api::App& app, const http::Request& request) {
  dispatch::Serving serving(app, request);
  dispatch::Serving::Step step = serving.begin();
  auto* vote = std::get_if<votes::VoteRequest>(&step);
  if (vote == nullptr) return std::get<http::Response>(std::move(step));
  return serving.finish(app.voting.writer.write(std::move(*vote)));
}

}  // namespace support
