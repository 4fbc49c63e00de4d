#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/voting.h"

namespace support {

// Beside the database of the test another one, the twin, in which things are as they ought to be.
class Twins : public Voting {
 protected:
  void cast(const store::Ballot& ballot) { ASSERT_TRUE(writer_.write(ballot)); }
  void cast_in_twin(const store::Ballot& ballot) { ASSERT_TRUE(twin().writer.write(ballot)); }

  void expect_like_twin() {
    db::Connection connection(twin().database.endpoint());
    EXPECT_EQ(counted(connection_), counted(connection));
    expect_verified();
  }

  db::Connection connection_{database_.endpoint()};

 private:
  struct Twin {
    explicit Twin(base::Log& log) : writer(database.endpoint(), kPrefix, log, {}) {}
    Database database;
    store::VoteWriter writer;
  };
  Twin& twin() {  // made for the tests that need it
    if (!twin_) twin_.emplace(log_);
    return *twin_;
  }
  std::optional<Twin> twin_;
};

}  // namespace support
