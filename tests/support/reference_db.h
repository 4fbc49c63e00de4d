#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/voting.h"

namespace support {

// Compares the database under test with a reference database, which contains the expected data.
class ReferenceDatabase : public Voting {
 protected:
  void cast(const votes::VoteRequest& vote_request) { ASSERT_TRUE(writer_.write(vote_request)); }
  void cast_in_reference(const votes::VoteRequest& vote_request) {
    ASSERT_TRUE(reference().writer.write(vote_request));
  }

  void expect_same_as_reference() {
    db::Connection connection(reference().database.endpoint());
    EXPECT_EQ(counted(connection_), counted(connection));
    expect_verified();
  }

  db::Connection connection_{database_.endpoint()};

 private:
  struct Reference {
    explicit Reference(runtime::Log& log)
        : writer(votes::writer_sessions(database.endpoint()), caches, log, {}) {}
    Database database;
    CacheMemory memory, memory_of_voters;
    const rollups::StatsStore stats{memory.cache()};
    votes::OwnRatingsCache own_ratings{memory_of_voters.cache()};
    const votes::HostCaches caches{stats, own_ratings};
    votes::VoteWriter writer;
  };
  Reference& reference() {  // created when a test first needs it
    if (!reference_) reference_.emplace(log_);
    return *reference_;
  }
  std::optional<Reference> reference_;
};

}  // namespace support
