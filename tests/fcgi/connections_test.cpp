#include "fcgi/connections.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <vector>

namespace {

using namespace std::chrono_literals;
using fcgi::Connections;

bool is_open(int socket) { return fcntl(socket, F_GETFD) >= 0; }

// Opens a connection. A Peer keeps the web server's end of the connection, and fcgi::Connections
// keeps the other end.
class Peer {
 public:
  explicit Peer(Connections& connections) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    other_ = ends[0];
    socket_ = ends[1];
    connections.add(other_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { hang_up(); }

  void send() const { EXPECT_EQ(write(socket_, "x", 1), 1); }
  void hang_up() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }
  [[nodiscard]] int other_end() const { return other_; }

 private:
  int socket_ = -1;
  int other_ = -1;
};

void read_one(int socket) {
  char byte = 0;
  EXPECT_EQ(read(socket, &byte, 1), 1);
}

TEST(Connections, AnIdleConnectionIsNotReturned) {
  Connections connections(8);
  const Peer peer(connections);
  EXPECT_FALSE(connections.next(1ms));
}

TEST(Connections, IsReturnedOncePerInput) {
  Connections connections(8);
  const Peer peer(connections);
  peer.send();
  const auto connection = connections.next(1s);
  ASSERT_TRUE(connection);
  EXPECT_EQ(connection->socket, peer.other_end());
  peer.send();
  EXPECT_FALSE(connections.next(1ms)) << "somebody has it";
  read_one(connection->socket);
  connections.release(*connection);
  EXPECT_TRUE(connections.next(1s)) << "the second byte came meanwhile";
}

TEST(Connections, AreHandedOutInTheOrderOfArrival) {
  Connections connections(8);
  const Peer first(connections);
  const Peer second(connections);
  const Peer third(connections);
  second.send();
  third.send();
  first.send();
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) order.push_back(connections.next(1s).value().socket);
  EXPECT_EQ(order, (std::vector{second.other_end(), third.other_end(), first.other_end()}));
}

TEST(Connections, AConnectionClosedByItsPeerIsClosed) {
  Connections connections(1);
  Peer peer(connections);
  EXPECT_TRUE(connections.is_full());
  peer.send();
  peer.hang_up();
  EXPECT_FALSE(connections.next(1ms));
  EXPECT_FALSE(is_open(peer.other_end()));
  EXPECT_FALSE(connections.is_full());
}

TEST(Connections, AClosedConnectionFreesItsSlotAndIsNotMistakenForItsSuccessor) {
  Connections connections(1);
  const Peer peer(connections);
  peer.send();
  const auto first = connections.next(1s).value();
  close(first.socket);
  const Peer successor(connections);  // on the first one's descriptor, too early
  EXPECT_EQ(successor.other_end(), first.socket);
  connections.remove(first);
  EXPECT_TRUE(connections.is_full()) << "the successor is there";
  successor.send();
  EXPECT_TRUE(connections.next(1s));
}

TEST(Connections, ClosingIdleConnectionsKeepsHeldOnesAndThoseWithARequest) {
  Connections connections(8);
  const Peer idle(connections);
  const Peer held(connections);
  held.send();
  const auto connection = connections.next(1s).value();
  const Peer asking(connections);
  asking.send();

  EXPECT_FALSE(connections.close_idle()) << "one has a request";
  EXPECT_FALSE(is_open(idle.other_end()));
  EXPECT_TRUE(is_open(held.other_end()));
  EXPECT_TRUE(is_open(asking.other_end()));

  const auto last = connections.next(1s).value();
  EXPECT_EQ(last.socket, asking.other_end());
  EXPECT_TRUE(connections.close_idle());
  EXPECT_TRUE(is_open(held.other_end()));
  EXPECT_TRUE(is_open(asking.other_end()));
  read_one(connection.socket);
  connections.release(connection);
  EXPECT_TRUE(connections.close_idle());
  EXPECT_FALSE(is_open(held.other_end()));
}

TEST(Connections, AreClosedInTheEnd) {
  int socket = -1;
  {
    Connections connections(8);
    const Peer peer(connections);
    socket = peer.other_end();
  }
  EXPECT_FALSE(is_open(socket));
}

}  // namespace
