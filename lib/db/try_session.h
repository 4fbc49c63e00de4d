#pragma once

#include <optional>
#include <utility>

#include "db/pool.h"

namespace db {

// Runs "work" with a session of "pool" and returns its result; nothing if the database does not
// answer, for callers that can continue without it. Blocks as Pool::with_session().
template <typename Work>
auto try_session(Pool& pool, const Work& work)
    -> std::optional<decltype(work(std::declval<Connection&>()))> {
  try {
    return pool.with_session(work);
  } catch (const Failure&) {
    return std::nullopt;  // the refresher logs it, once
  }
}

}  // namespace db
