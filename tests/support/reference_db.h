#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/voting.h"

namespace support {

// Beside the database of the test another one, the twin, in which things are as they ought to be.
class ReferenceDatabase : public Voting {
 protected:
  void cast(const votes::VoteRequest& vote_request) { ASSERT_TRUE(writer_.write(vote_request)); }
  void cast_in_twin(const votes::VoteRequest& vote_request) {
    ASSERT_TRUE(twin().writer.write(vote_request));
  }

  void expect_like_twin() {
    db::Connection connection(twin().database.endpoint());
    EXPECT_EQ(counted(connection_), counted(connection));
    expect_verified();
  }

  db::Connection connection_{database_.endpoint()};

 private:
  struct Twin {
    explicit Twin(base::Log& log) : writer(database.endpoint(), kPrefix, stats, log, {}) {}
    Database database;
    StatsMemory memory;
    const rollups::StatsStore stats{kPrefix, memory.cache()};
    votes::VoteWriter writer;
  };
  Twin& twin() {  // made for the tests that need it
    if (!twin_) twin_.emplace(log_);
    return *twin_;
  }
  std::optional<Twin> twin_;
};

}  // namespace support
