#include "fcgi/listener.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <string>

#include "config/options.h"
#include "support/folder_test.h"

namespace {

std::string error_of_listening(const std::string& address) {
  try {
    static_cast<void>(fcgi::open_listener(address, 0600));
  } catch (const config::Error& error) {
    return error.what();
  }
  return "";
}

class Listener : public support::FolderTest {
 protected:
  [[nodiscard]] std::string socket_path() const { return path("ratingd.sock").string(); }
  [[nodiscard]] bool is_connected() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
    const base::Descriptor client(socket(AF_UNIX, SOCK_STREAM, 0));
    return connect(client.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
           0;
  }
};

TEST_F(Listener, HasTheModeThatIsAskedFor) {
  for (const mode_t mode : {0600U, 0660U, 0666U}) {
    const base::Descriptor listener = fcgi::open_listener(socket_path(), mode);
    EXPECT_TRUE(is_connected());
    struct stat status {};
    ASSERT_EQ(stat(socket_path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
  }
}

TEST_F(Listener, TakesThePlaceOfOneThatHasEnded) {
  { const base::Descriptor ended = fcgi::open_listener(socket_path(), 0600); }
  EXPECT_FALSE(is_connected());
  const base::Descriptor listener = fcgi::open_listener(socket_path(), 0600);
  EXPECT_TRUE(is_connected());
}

TEST_F(Listener, LeavesAnotherProcessItsSocket) {
  const base::Descriptor other = fcgi::open_listener(socket_path(), 0600);
  EXPECT_EQ(error_of_listening(socket_path()),
            "cannot listen on " + socket_path() + ": another process is already listening there");
  EXPECT_TRUE(is_connected());
}

TEST_F(Listener, LeavesItAlsoToAProcessThatIsTooBusyToAccept) {
  const base::Descriptor other = fcgi::open_listener(socket_path(), 0600);
  ASSERT_EQ(listen(other.number(), 0), 0);
  ASSERT_TRUE(is_connected());
  EXPECT_NE(error_of_listening(socket_path()).find("another process is already listening there"),
            std::string::npos);
}

// A stream connection to another program's datagram socket fails with EPROTOTYPE.
TEST_F(Listener, LeavesSocketsOfAnotherKindAlone) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
  const base::Descriptor other(socket(AF_UNIX, SOCK_DGRAM, 0));
  ASSERT_EQ(bind(other.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_NE(error_of_listening(socket_path()).find("Protocol wrong type for socket"),
            std::string::npos);
  struct stat status {};
  EXPECT_EQ(lstat(socket_path().c_str(), &status), 0);
}

TEST_F(Listener, LeavesFilesAlone) {
  put("ratingd.sock", "a file");
  EXPECT_NE(error_of_listening(socket_path()).find("this file exists and is not a socket"),
            std::string::npos);
  EXPECT_NE(
      error_of_listening(path("missing/ratingd.sock").string()).find("No such file or directory"),
      std::string::npos);
  EXPECT_NE(error_of_listening("/" + std::string(200, 'x')).find("at most 107 bytes"),
            std::string::npos);
}

TEST_F(Listener, ListensOnAPort) {
  for (const char* address : {"127.0.0.1:0", "[::1]:0"}) {
    const base::Descriptor listener = fcgi::open_listener(address, 0600);
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    ASSERT_EQ(getsockname(listener.number(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
    const base::Descriptor client(socket(bound.ss_family, SOCK_STREAM, 0));
    EXPECT_EQ(connect(client.number(), reinterpret_cast<const sockaddr*>(&bound), size), 0);
    const in_port_t port =
        reinterpret_cast<const sockaddr_in*>(&bound)->sin_port;  // of IPv4 or IPv6
    const std::string same =
        std::string(address, std::string(address).rfind(':') + 1) + std::to_string(ntohs(port));
    EXPECT_EQ(error_of_listening(same), "cannot listen on " + same + ": Address already in use");
  }
  EXPECT_NE(error_of_listening("192.0.2.1:9000").find("Cannot assign requested address"),
            std::string::npos);
}

}  // namespace
