#include "config/database.h"

#include <gtest/gtest.h>

#include <array>

namespace config {
namespace {

struct Vector {
  const char* text;
  const char* host;
  unsigned port;
  const char* socket;
};

// The results of wpdb::parse_db_host in WordPress 6.1 to 6.8 for various values of DB_HOST. A port
// of 0 means that WordPress returns null.
constexpr auto kVectors = std::to_array<Vector>({
    {"localhost", "localhost", 0, ""},
    {"127.0.0.1", "127.0.0.1", 0, ""},
    {"db.example.org:3307", "db.example.org", 3307, ""},
    {"127.0.0.1:3307:/srv/my.sock", "127.0.0.1", 3307, "/srv/my.sock"},
    {":/srv/mysql.sock", "", 0, "/srv/mysql.sock"},
    {"", "", 0, ""},
    {"localhost:", "localhost", 0, ""},
    {"::1", "::1", 0, ""},
    {"[::1]", "::1", 0, ""},
    {"[::1]:3307", "::1", 3307, ""},
    {"[2001:db8::1]:3307:/x.sock", "2001:db8::1", 3307, "/x.sock"},
    {"2001:db8::1", "2001:db8::1", 0, ""},
    {"db:0", "db", 0, ""},
    {"db:abc", "db", 0, ""},
    {"p:localhost", "p", 0, ""},
    {"localhost:3306/path", "localhost", 3306, ""},
    {"unix:/run/mysqld/mysqld.sock", "unix", 0, "/run/mysqld/mysqld.sock"},
    {"tcp://db:3306", "tcp", 0, "//db:3306"},
    {"host name:3306", "host name", 3306, ""},
    {"/var/run/mysqld/mysqld.sock", "", 0, ""},
    {"db,db2:3306", "db,db2", 3306, ""},
    {"localhost:8889", "localhost", 8889, ""},
    {"[::ffff:127.0.0.1]", "::ffff:127", 0, ""},
});

TEST(DbHost, IsTakenApartAsWordPressDoes) {
  for (const Vector& vector : kVectors) {
    const DbHost expected{vector.host, vector.port, vector.socket};
    const auto parsed = parse_db_host(vector.text);
    ASSERT_TRUE(parsed.has_value()) << vector.text;
    EXPECT_EQ(*parsed, expected) << vector.text << ": " << parsed->host << " " << parsed->port
                                 << " " << parsed->socket;
  }
}

TEST(DbHost, WithSeveralColonsIsAnIpv6Address) {
  EXPECT_FALSE(parse_db_host("host:3306:3307").has_value());
  EXPECT_FALSE(parse_db_host("[]:::").has_value());
}

TEST(DbHost, PortsBeyondAllPortsStaySo) {
  EXPECT_GT(parse_db_host("db:65536")->port, 65535U);
  EXPECT_GT(parse_db_host("db:99999999999999999999")->port, 65535U);
}

DatabaseServer connected(std::string_view text) {
  return server_of_php(parse_db_host(text).value());
}

TEST(DbHost, LocalhostAndNothingMeanTheSocketWhateverThePort) {
  for (const char* const text :
       {"localhost", "LocalHost", "", ":3307", "localhost:3307", "/var/run/mysqld/mysqld.sock"}) {
    EXPECT_EQ(connected(text).socket, "/run/mysqld/mysqld.sock") << text;
    EXPECT_EQ(connected(text).host, "") << text;
  }
  EXPECT_EQ(connected("localhost:/srv/my.sock").socket, "/srv/my.sock");
  EXPECT_EQ(connected(":/srv/my.sock").socket, "/srv/my.sock");
}

TEST(DbHost, AnyOtherHostMeansTcpWhateverTheSocket) {
  EXPECT_EQ(connected("127.0.0.1").host, "127.0.0.1");
  EXPECT_EQ(connected("127.0.0.1").port, 3306U);
  EXPECT_EQ(connected("127.0.0.1").socket, "");
  EXPECT_EQ(connected("127.0.0.1:3307:/srv/my.sock").socket, "");
  EXPECT_EQ(connected("[::1]:3307").host, "::1");
  EXPECT_EQ(connected("[::1]:3307").port, 3307U);
}

}  // namespace
}  // namespace config
