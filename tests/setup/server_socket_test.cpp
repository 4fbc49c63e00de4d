// Tests how lib/setup/accounts.h checks whether a database server's socket can be trusted.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <list>

#include "base/descriptor.h"
#include "setup/accounts.h"
#include "support/memory_folder.h"

namespace {

namespace fs = std::filesystem;

// Listens as root on a socket in a folder that belongs to root.
class ServerSocket : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root has folders of root";
    fs::create_directory(folder_);
    ASSERT_EQ(with_address(bind, listener_), 0);
    ASSERT_EQ(listen(listener_.number(), 8), 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Calls "function", which is bind() or connect(), with the socket's address.
  template <typename Function>
  int with_address(Function function, const base::Descriptor& descriptor) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_.c_str(), socket_.native().size());
    return function(descriptor.number(), reinterpret_cast<const sockaddr*>(&address),
                    sizeof address);
  }

  [[nodiscard]] std::string why_not() const { return setup::why_not_trusted(socket_, config_); }

  const fs::path folder_ = "/run/ratingd-test-" + std::to_string(getpid());
  const fs::path socket_ = folder_ / "server.sock";
  const fs::path config_ = folder_ / "wp-config.php";
  const base::Descriptor listener_{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

TEST_F(ServerSocket, OfRootIsTrusted) { EXPECT_EQ(why_not(), ""); }

TEST_F(ServerSocket, WhereNobodyAnswersIsNotTrusted) {
  EXPECT_NE(setup::why_not_trusted(folder_ / "missing", config_), "");
}

TEST_F(ServerSocket, WithAFullQueueOfConnectionsIsNotTrusted) {
  ASSERT_EQ(listen(listener_.number(), 0), 0);
  std::list<base::Descriptor> waiting;
  do {
    waiting.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  } while (with_address(connect, waiting.back()) == 0);
  EXPECT_NE(why_not().find("no process answers there"), std::string::npos);
}

TEST_F(ServerSocket, ThatOthersMayExchangeIsNotTrusted) {
  fs::permissions(folder_, fs::perms(0777));
  EXPECT_NE(why_not().find("can write to " + folder_.string()), std::string::npos);
  fs::permissions(folder_, fs::perms(01777));
  EXPECT_NE(why_not(), "");
  fs::permissions(folder_, fs::perms(0775));
  EXPECT_EQ(why_not(), "");
  ASSERT_EQ(chown(folder_.c_str(), 0, 12345), 0);
  EXPECT_NE(why_not(), "");
  fs::permissions(folder_, fs::perms(0755));
  EXPECT_EQ(why_not(), "");
  ASSERT_EQ(chown(folder_.c_str(), 12345, 0), 0);
  EXPECT_NE(why_not(), "");
}

TEST_F(ServerSocket, BehindALinkOfOthersIsNotTrusted) {
  const fs::path link = folder_ / "link";
  fs::create_symlink(socket_, link);
  EXPECT_EQ(setup::why_not_trusted(link, config_), "");
  ASSERT_EQ(lchown(link.c_str(), 12345, 12345), 0);
  EXPECT_NE(setup::why_not_trusted(link, config_), "");
}

// In Debian 12, the mariadb.socket unit opens the socket after the machine is restarted.
TEST_F(ServerSocket, ThatSystemdOpenedForAServerIsTrusted) {
  constexpr uid_t kDatabaseAccount = 123;
  constexpr uid_t kPersonsAccount = 12345;
  std::ofstream(config_) << "<?php";
  const auto give = [](const fs::path& path, uid_t account) {
    ASSERT_EQ(chown(path.c_str(), account, account), 0);
  };
  give(config_, kPersonsAccount);
  give(folder_, kDatabaseAccount);
  give(socket_, kDatabaseAccount);
  EXPECT_EQ(why_not(), "");
  give(folder_, kDatabaseAccount + 1);
  EXPECT_NE(why_not().find("can write to " + folder_.string()), std::string::npos);
  give(folder_, kDatabaseAccount);
  give(config_, kDatabaseAccount);
  EXPECT_NE(why_not(), "");
  give(config_, 0);
  give(folder_, kPersonsAccount);
  give(socket_, kPersonsAccount);
  EXPECT_NE(why_not().find("which is not a database server's account"), std::string::npos);
}

}  // namespace
