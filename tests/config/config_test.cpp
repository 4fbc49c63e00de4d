#include "config/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "config/checked_site.h"
#include "config/command_line.h"
#include "config/options.h"
#include "wordpress/wp_config_options.h"

namespace config {
namespace {

// Runs each test with its own files and environment variables. The variables from the developer's
// shell are removed.
class ConfigTest : public testing::Test {
 protected:
  ConfigTest() { clear_environment(); }
  ~ConfigTest() override {
    clear_environment();
    for (const std::string& path : files_) std::filesystem::remove(path);
  }

  // Writes "content" to a new file and returns the file's path.
  std::string file(const std::string& content) {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    std::string path = testing::TempDir() + "ratingd_config_" + std::to_string(getpid()) + "_" +
                       test->name() + "_" + std::to_string(files_.size());
    std::ofstream(path, std::ios::binary) << content;
    files_.push_back(path);
    return path;
  }

  static void variable(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
  }

  static CommandLine read(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv = {"ratingd"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return config::read(static_cast<int>(argv.size()), argv.data(),
                        {.cms = wordpress::read_wp_config});
  }

  // Calls "act" and returns its error, or "(none)" if there is no error.
  template <typename Act>
  static std::string error_of(const Act& act) {
    try {
      act();
    } catch (const Error& wrong) {
      return wrong.what();
    }
    return "(none)";
  }
  static std::string error(const std::vector<std::string>& arguments) {
    return error_of([&] { (void)read(arguments); });
  }

 private:
  static void clear_environment() {
    for (const Option& option : options()) {
      unsetenv(variable_of(option.name).c_str());  // NOLINT(concurrency-mt-unsafe): one thread
    }
  }

  std::vector<std::string> files_;
};

constexpr const char* kWpConfig = R"(<?php
define('DB_NAME', 'shop');
define('DB_USER', 'clerk');
define('DB_PASSWORD', 'p w#"');
define('DB_HOST', 'db.example.org:3307');
define('AUTH_KEY', ' k ');
define('NONCE_SALT', 'n');
define('WP_HOME', 'https://example.org/');
$table_prefix = 'shop_';
)";

// Returns a copy of kWpConfig in which "to" replaces "from".
std::string wp_config_with(const std::string& from, const std::string& to) {
  return base::replace_all(kWpConfig, from, to);
}

TEST_F(ConfigTest, NothingGivenMeansTheDefaults) {
  const Config config = read({}).config;
  EXPECT_EQ(config.database.server.socket, "/run/mysqld/mysqld.sock");
  EXPECT_EQ(config.database.server.host, "");
  EXPECT_EQ(config.table_prefix, "wp_");
  EXPECT_EQ(config.base_path, "/wp-json/ratingd/v1");
  EXPECT_EQ(config.secret_file, "/etc/ratingd/secret");
  EXPECT_EQ(config.threads, 64U);
  EXPECT_EQ(config.log_level, runtime::LogLevel::info);
}

// The path of the default configuration file in the tests below.
std::string default_path;
DefaultFile default_of(const std::vector<std::string>& arguments, const CommandFlags& flags) {
  if (flags.contains("shop")) return {.path = flags.at("shop"), .selected_by = "--shop"};
  return {.path = arguments == std::vector<std::string>{"status"} ? default_path : "",
          .selected_by = ""};
}
bool reads_itself(const std::vector<std::string>& arguments) {
  return arguments == std::vector<std::string>{"setup"};
}
const CommandFlag kShop[] = {{"shop", CommandFlag::Value::required}};
CommandLine read_line(const std::vector<const char*>& arguments) {
  std::vector<const char*> argv = {"ratingctl"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return config::read(static_cast<int>(argv.size()), argv.data(),
                      {.flags = kShop,
                       .default_file = default_of,
                       .reads_itself = reads_itself,
                       .cms = wordpress::read_wp_config});
}
Config read_with_default(const std::vector<const char*>& arguments) {
  return read_line(arguments).config;
}

TEST_F(ConfigTest, DefaultFileIsReadWhereNoOtherIsNamed) {
  default_path = file("threads = 7\ndb-user = clerk\n");
  EXPECT_EQ(read_with_default({"status"}).threads, 7U);
  const Config overridden = read_with_default({"status", "--db-user=boss"});
  EXPECT_EQ(overridden.threads, 7U);
  EXPECT_EQ(overridden.database.user, "boss");
}

TEST_F(ConfigTest, FileThatAFlagSelectsExcludesOthersAndMustExist) {
  default_path = file("threads = 7\n");
  const std::string shop = "--shop=" + file("threads = 9\n");
  EXPECT_EQ(read_with_default({"status", shop.c_str()}).threads, 9U);
  EXPECT_EQ(read_with_default({"rotate-secret", shop.c_str()}).threads, 9U);
  EXPECT_THROW((void)read_line({"status", shop.c_str(), "--db-name=x"}), Error);
  EXPECT_THROW((void)read_line({"status", "--shop=/nowhere"}), Error);
  variable("RATINGD_CONFIG", default_path);
  EXPECT_EQ(error_of([&] {
              (void)read_line({"status", shop.c_str()});
            }),
            "--shop and RATINGD_CONFIG cannot be combined");
}

TEST_F(ConfigTest, CommandThatReadsTheConfigurationItselfGetsItsFlagsOnly) {
  variable("RATINGD_THREADS", "none");  // reading the variable would be an error
  const CommandLine line = read_line({"setup", "--wp-config", "/nowhere", "--shop=x"});
  const CommandFlags expected = {{"wp-config", "/nowhere"}, {"shop", "x"}};
  EXPECT_EQ(line.flags, expected);
}

TEST_F(ConfigTest, DefaultFileIsForTheWordsThatHaveOne) {
  default_path = file("threads = 7\n");
  EXPECT_EQ(read_with_default({"init-secret"}).threads, 64U);
  EXPECT_EQ(read({"status"}).config.threads, 64U);  // a program without this option
}

TEST_F(ConfigTest, DefaultFileIsNotMixedIntoAnotherConfiguration) {
  default_path = file("threads = 7\n");
  const std::string other = file("processes = 3\n");
  const std::string wp_config = file(kWpConfig);
  const std::string flag = "--config=" + other;
  const std::string wp_flag = "--wp-config=" + wp_config;
  EXPECT_EQ(read_with_default({"status", flag.c_str()}).threads, 64U);
  EXPECT_EQ(read_with_default({"status", wp_flag.c_str()}).threads, 64U);
  EXPECT_EQ(read_with_default({"status", "--db-name=shop"}).threads, 64U);
  variable("RATINGD_CONFIG", other);
  const Config config = read_with_default({"status"});
  EXPECT_EQ(config.threads, 64U);
  EXPECT_EQ(config.processes, 3U);
}

TEST_F(ConfigTest, DefaultFileThatIsNotThereIsPassedOver) {
  default_path = file("") + ".absent";
  EXPECT_EQ(read_with_default({"status"}).threads, 64U);
}

TEST_F(ConfigTest, MistakesInTheDefaultFileHaveTheirPlace) {
  default_path = file("threads = none\n");
  EXPECT_TRUE(error_of([] {
                (void)read_with_default({"status"});
              }).starts_with(default_path + ":1: threads must be"));
}

TEST_F(ConfigTest, FileThatThisUserMayNotReadIsAnErrorOfItsOwn) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read every file";
  default_path = file("threads = 7\n");
  std::filesystem::permissions(default_path, std::filesystem::perms::none);
  EXPECT_THROW((void)read_with_default({"status"}), PermissionDenied);
}

TEST_F(ConfigTest, EachFlagSetsItsValue) {
  std::vector<std::string> words = {"--db-password-file", file("secret \n"), "--metrics-networks",
                                    "192.0.2.7, 2001:db8::/32"};
  std::istringstream more(
      "--db-host=db:3307 --db-name shop --db-user clerk --db-tls verify --db-tls-ca /etc/ca.pem"
      " --table-prefix s_ --wp-home http://a.example/ --wp-siteurl https://b.example"
      " --base-path /api/v2 --secret-file /run/secret --runtime-dir /run/other/shared"
      " --listen [fd00::5]:9000 --listen-mode 0660"
      " --threads 1024 --processes 1 --db-sessions 3 --cache-seconds 0 --cache-memory 1024"
      " --log-level debug --access-log on");
  for (std::string word; more >> word;) words.push_back(word);
  const Config config = read(words).config;
  EXPECT_EQ(config.database.server.host, "db");
  EXPECT_EQ(config.database.server.port, 3307U);
  EXPECT_EQ(config.database.server.socket, "");
  EXPECT_EQ(config.database.name, "shop");
  EXPECT_EQ(config.database.user, "clerk");
  EXPECT_EQ(config.database.password, "secret ");
  EXPECT_EQ(config.database.tls, DatabaseTls::verify);
  EXPECT_EQ(config.database.tls_ca, "/etc/ca.pem");
  EXPECT_EQ(config.table_prefix, "s_");
  EXPECT_EQ(config.home, "http://a.example");
  EXPECT_EQ(config.siteurl, "https://b.example");
  EXPECT_EQ(config.base_path, "/api/v2");
  EXPECT_EQ(config.secret_file, "/run/secret");
  EXPECT_EQ(config.threads, 1024U);
  EXPECT_EQ(config.listen, "[fd00::5]:9000");
  EXPECT_EQ(config.listen_mode, 0660U);
  EXPECT_EQ(config.processes, 1U);
  EXPECT_EQ(config.db_sessions, 3U);
  EXPECT_EQ(config.cache_seconds, 0U);
  EXPECT_EQ(config.cache_memory, 1024U);
  EXPECT_EQ(config.log_level, runtime::LogLevel::debug);
  EXPECT_TRUE(config.access_log);
  ASSERT_EQ(config.metrics_networks.size(), 2U);
  EXPECT_TRUE(config.metrics_networks[1].contains(base::Address::parse("2001:db8::1")));
}

TEST_F(ConfigTest, FlagsWinOverTheEnvironmentOverTheFileOverWpConfig) {
  const std::string path = file("db-name = of-file\ndb-user = of-file\ntable-prefix = f_\n");
  variable("RATINGD_CONFIG", path);
  variable("RATINGD_DB_NAME", "of-environment");
  variable("RATINGD_DB_USER", "of-environment");
  const Config config = read({"--db-name", "of-flag", "--wp-config", file(kWpConfig)}).config;
  EXPECT_EQ(config.database.name, "of-flag");
  EXPECT_EQ(config.database.user, "of-environment");
  EXPECT_EQ(config.table_prefix, "f_");
  EXPECT_EQ(config.database.server.host, "db.example.org");
}

TEST_F(ConfigTest, ThePasswordOfAFileCountsWhereTheFileIsNamed) {
  const std::string of_file = file("of-file\r\n");
  const std::string config_file = file("db-password = of-config\ndb-password-file = " + of_file);
  EXPECT_EQ(read({"--config", config_file}).config.database.password, "of-config");
  EXPECT_EQ(read({"--config", config_file, "--db-password-file", of_file}).config.database.password,
            "of-file");
  variable("RATINGD_DB_PASSWORD", "of-environment");
  EXPECT_EQ(read({"--config", config_file}).config.database.password, "of-environment");
  EXPECT_EQ(read({"--db-password-file", of_file}).config.database.password, "of-file");
}

TEST_F(ConfigTest, PortAndSocketCorrectTheHost) {
  EXPECT_EQ(read({"--db-port", "3308", "--db-host", "db:3307"}).config.database.server.port, 3308U);
  const Database database = read({"--db-socket", "/s", "--db-host", "db"}).config.database;
  EXPECT_EQ(database.server.socket, "/s");
  EXPECT_EQ(database.server.host, "");
}

TEST_F(ConfigTest, SeveralHostsAreTriedInTheirOrder) {
  const Database database =
      read({"--db-host", "db1, db2:3307,[::1]:3308,localhost:/srv/my.sock"}).config.database;
  const std::vector<DatabaseServer> expected = {
      {"db1", 3306, ""}, {"db2", 3307, ""}, {"::1", 3308, ""}, {"", 3306, "/srv/my.sock"}};
  EXPECT_EQ(servers_of(database), expected);
  EXPECT_EQ(servers_of(read({"--db-host", "db1"}).config.database).size(), 1U);
}

// Creates a folder with the same files as "ratingctl setup": ratingd.conf, a link to wp-config.php,
// and the record of the checked site (checked-site).
class RecordedSite : public ConfigTest {
 protected:
  RecordedSite() {
    std::filesystem::create_directories(folder_);
    write("wp-config.php", kWpConfig);
    write("ratingd.conf", "wp-config = " + (folder_ / "wp-config.php").string() + "\n");
    write("checked-site", record_of(configuration()));
  }
  ~RecordedSite() override { std::filesystem::remove_all(folder_.parent_path().parent_path()); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] Config configuration(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"--config", (folder_ / "ratingd.conf").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return read(arguments).config;
  }
  [[nodiscard]] std::string refusal(const std::vector<std::string>& more = {}) const {
    return error_of([&] { require_database(configuration(more)); });
  }
  void change(const std::string& from, const std::string& to) const {
    write("wp-config.php", wp_config_with(from, to));
  }

  const std::filesystem::path folder_ =
      testing::TempDir() + "ratingd_recorded_" + std::to_string(getpid()) + "/sites/shop";
};

TEST_F(RecordedSite, IsUsed) {
  EXPECT_EQ(refusal(), "(none)");
  // systemd passes the --wp-config option to a worker.
  EXPECT_EQ(refusal({"--wp-config", (folder_ / "wp-config.php").string()}), "(none)");
  change("'clerk'", "'boss'");
  EXPECT_EQ(refusal(), "(none)");
}

TEST_F(RecordedSite, OthersAreRefused) {
  for (const auto& [from, to, says] :
       {std::tuple("'shop'", "'other'", "\"database = other\""),
        std::tuple("shop_", "wp_", "\"table-prefix = wp_\""),
        std::tuple("db.example.org:3307", "db.example.org:3308",
                   "\"server = db.example.org:3308\""),
        std::tuple("db.example.org:3307", "localhost:/tmp/x", "\"server = /tmp/x\"")}) {
    change(from, to);
    EXPECT_NE(refusal().find(says), std::string::npos) << refusal();
    EXPECT_NE(refusal().find("run: ratingctl setup --site shop"), std::string::npos) << refusal();
  }
}

TEST_F(RecordedSite, NothingIsComparedBeforeSetupHasRecordedIt) {
  std::filesystem::remove(folder_ / "checked-site");
  change("'shop'", "'other'");
  EXPECT_EQ(refusal(), "(none)");
  write("checked-site", "");
  EXPECT_NE(refusal(), "(none)");
}

// The customer may write to the folder that contains wp-config.php, so the record of the checked
// site must not be in this folder.
TEST_F(RecordedSite, IsInTheFolderOfTheConfigurationAndNotOfWpConfig) {
  std::filesystem::create_directory(folder_ / "customer");
  const std::filesystem::path other = folder_ / "customer/wp-config.php";
  write("customer/wp-config.php", kWpConfig);
  write("customer/checked-site", "database = other\n");
  write("ratingd.conf", "wp-config = " + other.string() + "\n");
  EXPECT_EQ(refusal(), "(none)");
  write("customer/wp-config.php", wp_config_with("'shop'", "'other'"));
  EXPECT_NE(refusal().find("\"database = other\""), std::string::npos) << refusal();
  write("ratingd.conf", "");
  EXPECT_NE(refusal({"--wp-config", other.string()}).find("\"database = other\""),
            std::string::npos);
}

TEST_F(ConfigTest, FilesOfOneSiteHaveOneRecord) {
  EXPECT_EQ(record_for("/etc/ratingd/ratingd.conf"), "/etc/ratingd/checked-site");
  EXPECT_EQ(record_for("/etc/ratingd/ratingctl.conf"), "/etc/ratingd/checked-site");
  EXPECT_EQ(record_for("/etc/ratingd/sites/shop.conf"), "/etc/ratingd/sites/shop/checked-site");
  EXPECT_EQ(record_for("/etc/ratingd/sites/shop/ratingctl.conf"),
            "/etc/ratingd/sites/shop/checked-site");
  EXPECT_EQ(record_for("/etc/ratingd/sites/ratingd.conf"),
            "/etc/ratingd/sites/ratingd/checked-site");
  EXPECT_EQ(record_for("/etc/ratingd/sites/ratingd/ratingctl.conf"),
            "/etc/ratingd/sites/ratingd/checked-site");
}

TEST_F(ConfigTest, SaysWhetherTheSiteIsWhatWpConfigNames) {
  const std::string path = file(kWpConfig);
  EXPECT_TRUE(read({"--wp-config", path, "--db-name=a"}).config.is_site_of_cms);
  EXPECT_FALSE(read({"--wp-config", path, "--db-name=a", "--db-host=b", "--table-prefix=c_"})
                   .config.is_site_of_cms);
}

TEST_F(ConfigTest, SeveralHostsAreNothingThatWordPressKnows) {
  const std::string path = file(
      "<?php\ndefine('DB_HOST', 'db1,db2');\ndefine('DB_NAME', 'n');\n"
      "define('DB_USER', 'u');\ndefine('DB_PASSWORD', 'p');\n$table_prefix = 'p_';\n");
  EXPECT_NE(error({"--wp-config", path}).find("host, host:port"), std::string::npos);
  EXPECT_EQ(read({"--wp-config", path, "--db-host", "a,b"}).config.database.others.size(), 1U);
  EXPECT_TRUE(read({"--wp-config", path, "--db-host", "a,b", "--db-socket", "/s"})
                  .config.database.others.empty());
}

TEST_F(ConfigTest, SeveralHostsHaveAPortEach) {
  EXPECT_EQ(error({"--db-host", "a,b", "--db-port", "3307"}),
            "--db-port is for a single server. With several servers, write each port into db-host, "
            "such as a:3307,b:3307");
}

TEST_F(ConfigTest, TlsIsPreferredWhereTheNetworkIsCrossed) {
  const auto servers =
      servers_of(read({"--db-host", "localhost,127.0.0.2,[::1]:3307,db1"}).config.database);
  std::vector<DatabaseTls> tls;
  for (const DatabaseServer& server : servers) tls.push_back(tls_of(server, std::nullopt));
  using enum DatabaseTls;
  EXPECT_EQ(tls, (std::vector{off, off, off, preferred}));
  EXPECT_EQ(tls_of(servers.front(), verify), verify);
  EXPECT_EQ(tls_of(servers.back(), off), off);
}

TEST_F(ConfigTest, ClientFlagsOfWpConfigAskForTls) {
  const std::vector<std::pair<const char*, std::optional<DatabaseTls>>> flags = {
      {"MYSQLI_CLIENT_SSL", DatabaseTls::verify},
      {"MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_COMPRESS", DatabaseTls::verify},
      {"MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT", DatabaseTls::required},
      {"64", DatabaseTls::required},
      {"MYSQLI_CLIENT_COMPRESS", std::nullopt},
      {"0", std::nullopt},
      {"false", std::nullopt},
  };
  for (const auto& [value, expected] : flags) {
    const std::string path =
        file(kWpConfig + std::string("define('MYSQL_CLIENT_FLAGS', ") + value + ");");
    EXPECT_EQ(read({"--wp-config", path}).config.database.tls, expected) << value;
    EXPECT_EQ(read({"--wp-config", path, "--db-tls=off"}).config.database.tls, DatabaseTls::off);
  }
  const std::string computed = file(std::string(kWpConfig) + "define('MYSQL_CLIENT_FLAGS', f());");
  const Config config = read({"--wp-config", computed}).config;
  ASSERT_EQ(config.not_read.size(), 1U);
  EXPECT_NE(config.not_read.front().find("Set --db-tls or"), std::string::npos);
}

TEST_F(ConfigTest, WordsAreKeptInTheirOrder) {
  const CommandLine line = read({"--threads", "2", "migrate", "--db-name", "shop", "now"});
  EXPECT_EQ(line.arguments, (std::vector<std::string>{"migrate", "now"}));
  EXPECT_EQ(line.config.database.name, "shop");
}

TEST_F(ConfigTest, HelpAndVersionReadNothingElse) {
  variable("RATINGD_THREADS", "many");
  EXPECT_TRUE(read({"--help", "--threads", "0", "--config", "/nowhere"}).help);
  EXPECT_TRUE(read({"-h"}).help);
  EXPECT_EQ(read({"setup", "--help"}).arguments, std::vector<std::string>{"setup"});
  EXPECT_TRUE(read({"--version"}).version);
}

TEST_F(ConfigTest, HelpNamesEachOptionAndSecret) {
  const std::string text = options_help();
  for (const Option& option : options()) {
    const std::string name = option.name;
    const std::string line =
        option.secret ? variable_of(name) : "--" + name + " " + option.argument;
    EXPECT_NE(text.find("\n  " + line + "\n      "), std::string::npos) << line;
  }
}

TEST_F(ConfigTest, AWrongValueSaysWhereItStandsAndWhatIsAllowed) {
  EXPECT_EQ(error({"--threads", "0"}), "--threads must be a number from 1 to 1024, not \"0\"");
  variable("RATINGD_THREADS", "two");
  EXPECT_EQ(error({}), "RATINGD_THREADS must be a number from 1 to 1024, not \"two\"");
  const std::string path = file("# sizes\n\ndb-sessions = 65\n");
  EXPECT_EQ(error({"--config", path, "--threads", "2"}),
            path + ":3: db-sessions must be a number from 3 to 64, not \"65\"");
}

TEST_F(ConfigTest, RefusesEachWrongValue) {
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"--threads", "1025"},
      {"--threads", "-1"},
      {"--threads", "8 "},
      {"--threads", "0x8"},
      {"--threads", ""},
      {"--threads", "99999999999"},
      {"--db-sessions", "2"},
      {"--cache-seconds", "3601"},
      {"--cache-memory", "0"},
      {"--db-port", "0"},
      {"--db-port", "65536"},
      {"--db-host", "db:65536"},
      {"--db-host", "x:y:z"},
      {"--db-host", "a,,b"},
      {"--db-host", "a,"},
      {"--db-host", "a,b:65536"},
      {"--db-host", "a,b,a:3306"},
      {"--db-host", "a,b,c,d,e"},
      {"--db-socket", "run/sock"},
      {"--db-socket", "/x.sock;touch pwned"},
      {"--db-host", "localhost:/x.sock;touch${IFS}pwned;#"},
      {"--db-host", "db;touch${IFS}pwned"},
      {"--db-host", "-oProxyCommand=x"},
      {"--db-tls", "on"},
      {"--db-tls", "2048"},
      {"--db-tls", ""},
      {"--db-tls-ca", "ca.pem"},
      {"--db-name", ""},
      {"--db-user", ""},
      {"--table-prefix", ""},
      {"--table-prefix", "a-b"},
      {"--table-prefix", "a`b"},
      {"--listen", ""},
      {"--listen", "ratingd.sock"},
      {"--listen", "/run/a b"},
      {"--listen", "example.org:9000"},
      {"--listen", "9000"},
      {"--listen", ":9000"},
      {"--listen", "10.0.0.5"},
      {"--listen", "10.0.0.5:0"},
      {"--listen", "10.0.0.5:65536"},
      {"--listen", "fd00::5:9000"},
      {"--listen", "[10.0.0.5]:9000"},
      {"--listen-mode", "660"},
      {"--listen-mode", "0888"},
      {"--listen-mode", "1777"},
      {"--base-path", "api"},
      {"--base-path", "/api/"},
      {"--base-path", "/"},
      {"--base-path", "//api"},
      {"--base-path", "/a/../b"},
      {"--base-path", "/a?b"},
      {"--base-path", "/x\naccess-log = on"},
      {"--db-name", "a\x1b[2J"},
      {"--base-path", ""},
      {"--secret-file", ""},
      {"--runtime-dir", ""},
      {"--runtime-dir", "run/ratingd"},
      {"--runtime-dir", "/run/ratingd/"},
      {"--log-level", "loud"},
      {"--access-log", "yes"},
      {"--metrics-networks", "10.0.0.0/33"},
      {"--metrics-networks", "10.0.0.1 10.0.0.2"},
      {"--metrics-networks", "::1,,127.0.0.1"},
      {"--metrics-networks", "localhost"},
      {"--wp-home", "example.org"},
      {"--config", "/nowhere/at/all"},
      {"--wp-config", "/"},
      {"--db-password-file", "/nowhere/at/all"},
      {"--table-prefix", "a23456789012345678901234567890123"},
  };
  for (const auto& [flag, value] : wrong) {
    const std::string sentence = error({flag, value});
    EXPECT_TRUE(sentence.starts_with(flag)) << flag << " " << value << ": " << sentence;
    const bool says_why = sentence.find(" must ") != std::string::npos ||
                          sentence.find(" cannot be read: ") != std::string::npos;
    EXPECT_TRUE(says_why) << sentence;
  }
}

TEST_F(ConfigTest, AnUnknownFlagNamesTheOneThatIsNear) {
  EXPECT_EQ(error({"--thread", "2"}), "--thread: there is no such option. Did you mean --threads?");
  EXPECT_EQ(error({"--colour=red"}),
            "--colour=red: there is no such option. For a list, use --help.");
  EXPECT_EQ(error({"-x"}), "-x: there is no such option. For a list, use --help.");
}

TEST_F(ConfigTest, AFlagIsGivenOnceWithAValue) {
  EXPECT_EQ(error({"--threads", "1", "--threads", "2"}), "--threads is given twice");
  EXPECT_NE(error({"--threads"}).find("--threads"), std::string::npos);
}

TEST_F(ConfigTest, NoSecretIsAFlag) {
  EXPECT_EQ(error({"--db-password", "x"}),
            "--db-password is not a flag, because every user of the host could see it. Use "
            "--db-password-file or RATINGD_DB_PASSWORD");
  EXPECT_NE(error({"--wp-auth-key=x"}).find("RATINGD_WP_AUTH_KEY"), std::string::npos);
}

TEST_F(ConfigTest, UnknownVariablesAreIgnored) {
  variable("RATINGD_RUN_DIR", "build/run");
  variable("RATINGD_HTTP_PORT", "x");
  EXPECT_EQ(error({}), "(none)");
}

TEST_F(ConfigTest, AFileKeepsHashesAndEqualsSignsAndQuotedBlanks) {
  const std::string path =
      file("  db-password=a #=b\r\n\t# comment\n\nwp-auth-key = \" k\" \"\nwp-nonce-key = \"\n");
  const Config config = read({"--config", path}).config;
  EXPECT_EQ(config.database.password, "a #=b");
  EXPECT_EQ(config.keys.auth_key, " k\" ");
  EXPECT_EQ(config.keys.nonce_key, "\"");
}

TEST_F(ConfigTest, AWrongLineOfAFileIsNamed) {
  const auto error_in = [this](const std::string& content) {
    const std::string path = file(content);
    const std::string sentence = error({"--config", path});
    EXPECT_TRUE(sentence.starts_with(path)) << sentence;
    return sentence.substr(path.size());
  };
  EXPECT_EQ(error_in("threads = 2\nthreads\n"),
            ":2: must be \"name = value\", or a comment that begins with #");
  EXPECT_EQ(error_in("[server]\n"),
            ":1: must be \"name = value\", or a comment that begins with #");
  EXPECT_EQ(error_in("\ntreads = 2\n"),
            ":2: treads: there is no such option. Did you mean threads?");
  EXPECT_EQ(error_in("threads = 2\nthreads = 2\n"), ":1: threads is given twice");
  EXPECT_EQ(error_in("config = other\n"), ":1: a configuration file cannot name another file");
}

TEST_F(ConfigTest, AFileIsOneMebibyteAtMost) {
  const std::string most(1 << 20, '#');
  EXPECT_EQ(error({"--config", file(most)}), "(none)");
  EXPECT_NE(error({"--config", file(most + "#")}).find("1 MiB"), std::string::npos);
}

TEST_F(ConfigTest, WpConfigGivesDatabasePrefixKeysAndAddresses) {
  const Config config = read({"--wp-config", file(kWpConfig)}).config;
  EXPECT_EQ(config.database.server.host, "db.example.org");
  EXPECT_EQ(config.database.server.port, 3307U);
  EXPECT_EQ(config.database.name, "shop");
  EXPECT_EQ(config.database.user, "clerk");
  EXPECT_EQ(config.database.password, "p w#\"");
  EXPECT_EQ(config.table_prefix, "shop_");
  EXPECT_EQ(config.keys.auth_key, " k ");
  EXPECT_EQ(config.keys.nonce_salt, "n");
  EXPECT_EQ(config.keys.secret_key, "");
  EXPECT_EQ(config.home, "https://example.org");
  EXPECT_EQ(config.siteurl, "");
  EXPECT_TRUE(config.not_read.empty());
}

TEST_F(ConfigTest, AComputedValueThatIsNeededNamesItsLineAndOption) {
  const std::string path = file(wp_config_with("'shop'", "getenv('DB')"));
  EXPECT_EQ(error({"--wp-config", path}),
            path +
                ":2: DB_NAME is computed, but only literal values are read. Set --db-name or "
                "RATINGD_DB_NAME");
  EXPECT_EQ(read({"--wp-config", path, "--db-name", "shop"}).config.database.user, "clerk");
}

TEST_F(ConfigTest, AMissingValueThatIsNeededNamesItsOption) {
  std::string text = kWpConfig;
  text.erase(text.find("$table_prefix"));
  const std::string path = file(text);
  EXPECT_EQ(error({"--wp-config", path}),
            path + ": $table_prefix is not defined. Set --table-prefix or RATINGD_TABLE_PREFIX");
  const std::string with_include = file(text + "require 'more.php';\n");
  EXPECT_EQ(error({"--wp-config", with_include}),
            with_include +
                ":9: $table_prefix is not defined here, and a file that is included is not "
                "read. Set --table-prefix or RATINGD_TABLE_PREFIX");
}

TEST_F(ConfigTest, AllValuesThatAreMissingAreNamedAtOnce) {
  const std::string path = file(
      "<?php\ndefine('DB_NAME', getenv('A'));\ndefine('DB_USER', getenv('B'));\n"
      "define('DB_PASSWORD', 'c');\n$table_prefix = getenv('D');\n");
  const std::string told = error({"--wp-config", path});
  EXPECT_EQ(std::ranges::count(told, '\n'), 3) << told;
  for (const char* name : {"DB_HOST", "DB_NAME", "DB_USER", "$table_prefix"}) {
    EXPECT_NE(told.find(name), std::string::npos) << name;
  }
}

TEST_F(ConfigTest, LiteralConfigurationIsReadAsTheComputedOneWouldBe) {
  const std::string path = file(
      "<?php\ndefine('DB_NAME', getenv('A'));\ndefine('DB_USER', 'u');\n"
      "define('DB_PASSWORD', 'a\\'b\\\\c');\ndefine('DB_HOST', 'localhost');\n"
      "$table_prefix = 'p_';\ndefine('NONCE_SALT', getenv('N'));\n"
      "$super_admins = ['a', 'b'];\n");
  const auto literal = wordpress::literal_wp_config({path, ""});
  EXPECT_EQ(literal.missing, (std::vector<std::string>{"DB_NAME", "NONCE_SALT"}));
  const std::string unchanged = "<?php\n" + literal.text;
  EXPECT_NE(error({"--wp-config", file(unchanged)}).find("DB_NAME is computed"), std::string::npos);
  const Config config =
      read({"--wp-config", file(base::replace_all(unchanged, "VALUE", "'shop'"))}).config;
  EXPECT_EQ(config.database.name, "shop");
  EXPECT_EQ(config.database.password, "a'b\\c");
  EXPECT_EQ(config.table_prefix, "p_");
  EXPECT_EQ(config.keys.nonce_salt, "shop");
  EXPECT_EQ(config.network.super_admins, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(config.not_read.empty());
}

TEST_F(ConfigTest, LiteralConfigurationHasLinesForLoginKeysThatAnotherFileMayDefine) {
  const std::string without = std::string(kWpConfig) + "require ABSPATH . 'wp-settings.php';\n";
  EXPECT_FALSE(wordpress::literal_wp_config({file(without), ""}).has_includes);
  EXPECT_TRUE(wordpress::literal_wp_config({file(without), ""}).missing.empty());
  const auto literal = wordpress::literal_wp_config(
      {file(std::string(kWpConfig) + "require __DIR__ . '/wp-salts.php';\n"), ""});
  EXPECT_TRUE(literal.has_includes);
  EXPECT_EQ(literal.missing, (std::vector<std::string>{"AUTH_SALT", "LOGGED_IN_KEY",
                                                       "LOGGED_IN_SALT", "NONCE_KEY"}));
  EXPECT_NE(literal.text.find("define( 'LOGGED_IN_KEY', VALUE );\n"), std::string::npos);
}

TEST_F(ConfigTest, FilesThatWereReadAreKnown) {
  const std::string wp = file(kWpConfig);
  const std::string own = file("wp-config = " + wp + "\n");
  EXPECT_EQ(read({"--config", own}).config.files, (std::vector{own, wp}));
}

// Creates a configuration file and a folder with additional configuration files.
class FurtherFiles : public ConfigTest {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(folder_ / "ratingd.conf.d");
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] Config configuration() const {
    return read({"--config", path("ratingd.conf")}).config;
  }
  ~FurtherFiles() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      testing::TempDir() + "ratingd_further_" + std::to_string(getpid());
};

TEST_F(FurtherFiles, TakePrecedenceInTheOrderOfTheirNames) {
  write("ratingd.conf", "threads = 8\nprocesses = 3\ndb-user = ratingd\n");
  write("ratingd.conf.d/20-host.conf", "threads = 32\n");
  write("ratingd.conf.d/10-site.conf", "threads = 16\ndb-user = clerk\n");
  write("ratingd.conf.d/30-old.conf.dpkg-old", "threads = 1\n");
  write("ratingd.conf.d/.hidden.conf", "threads = 2\n");
  const Config config = configuration();
  EXPECT_EQ(config.threads, 32U);
  EXPECT_EQ(config.processes, 3U);
  EXPECT_EQ(config.database.user, "clerk");
  EXPECT_EQ(config.files, (std::vector{path("ratingd.conf"), path("ratingd.conf.d/10-site.conf"),
                                       path("ratingd.conf.d/20-host.conf")}));
}

TEST_F(FurtherFiles, PasswordOfTheLastFileCounts) {
  write("ratingd.conf", "db-password-file = " + file("first\n") + "\n");
  write("ratingd.conf.d/local.conf", "db-password = second\n");
  EXPECT_EQ(configuration().database.password, "second");
  write("ratingd.conf", "db-password = second\n");
  write("ratingd.conf.d/local.conf", "db-password-file = " + file("first\n") + "\n");
  EXPECT_EQ(configuration().database.password, "first");
}

TEST_F(FurtherFiles, MistakeIsNamedByItsFileAndLine) {
  write("ratingd.conf", "threads = 8\n");
  write("ratingd.conf.d/local.conf", "\nthreads = none\n");
  EXPECT_NE(error({"--config", path("ratingd.conf")})
                .find(path("ratingd.conf.d/local.conf") + ":2: threads must be"),
            std::string::npos);
  write("ratingd.conf.d/local.conf", "threads = 1\nthreads = 1\n");
  EXPECT_NE(error({"--config", path("ratingd.conf")}).find("given twice"), std::string::npos);
}

TEST_F(ConfigTest, AFileThatIsMissingIsNamed) {
  try {
    static_cast<void>(read({"--wp-config", "/nowhere/wp-config.php"}));
    FAIL();
  } catch (const FileMissing& missing) {
    EXPECT_EQ(missing.path, "/nowhere/wp-config.php");
  }
}

TEST_F(ConfigTest, AWrongValueInWpConfigIsNamedByItsLine) {
  const std::string path = file(wp_config_with("'shop_'", "'shop-'"));
  EXPECT_EQ(error({"--wp-config", path}),
            path +
                ":9: $table_prefix must be 1 to 32 letters, digits and underscores, not "
                "\"shop-\"");
}

TEST_F(ConfigTest, AComputedHostDoesNotMatterBesideASocket) {
  const std::string path = file(wp_config_with("'db.example.org:3307'", "getenv('H')"));
  EXPECT_NE(error({"--wp-config", path}).find("--db-host"), std::string::npos);
  EXPECT_EQ(read({"--wp-config", path, "--db-socket", "/s"}).config.database.server.socket, "/s");
}

TEST_F(ConfigTest, AComputedKeyIsNotedForThoseWhoNeedIt) {
  const std::string path = file(wp_config_with("'n'", "getenv('N')"));
  const Config config = read({"--wp-config", path}).config;
  EXPECT_EQ(config.keys.nonce_salt, "");
  ASSERT_EQ(config.not_read.size(), 1U);
  EXPECT_TRUE(config.not_read[0].ends_with(
      "NONCE_SALT is computed, but only literal values are read. Set RATINGD_WP_NONCE_SALT"));
  variable("RATINGD_WP_NONCE_SALT", "n");
  EXPECT_EQ(read({"--wp-config", path}).config.keys.nonce_salt, "n");
  EXPECT_TRUE(read({"--wp-config", path}).config.not_read.empty());
}

TEST_F(ConfigTest, WpConfigOrAnOptionNamesTheSuperAdministrators) {
  const std::string path = file(std::string(kWpConfig) + "$super_admins = array('a,b', 'Joe');");
  using Logins = std::vector<std::string>;
  EXPECT_EQ(read({"--wp-config", path}).config.network.super_admins, (Logins{"a,b", "Joe"}));
  EXPECT_EQ(read({"--wp-config", path, "--wp-super-admins", "x, y"}).config.network.super_admins,
            (Logins{"x", "y"}));
  EXPECT_EQ(read({"--wp-super-admins", ""}).config.network.super_admins, Logins{});
  EXPECT_EQ(read({"--wp-config", file(kWpConfig)}).config.network.super_admins, std::nullopt);
}

TEST_F(ConfigTest, ComputedSuperAdministratorsAreNotedForThoseWhoNeedThem) {
  const std::string path = file(std::string(kWpConfig) + "$super_admins = admins();");
  const Config config = read({"--wp-config", path}).config;
  ASSERT_EQ(config.not_read.size(), 1U);
  EXPECT_TRUE(config.not_read[0].ends_with(
      "$super_admins is computed, but only literal values are read. Set --wp-super-admins or "
      "RATINGD_WP_SUPER_ADMINS"));
  EXPECT_TRUE(read({"--wp-config", path, "--wp-super-admins", "x"}).config.not_read.empty());
}

TEST_F(ConfigTest, AComputedKeyThatSignsNothingHereIsPassedOver) {
  const Config config = read({"--wp-config", file(wp_config_with("' k '", "getenv('K')"))}).config;
  EXPECT_EQ(config.keys.auth_key, "");
  EXPECT_TRUE(config.not_read.empty());
}

TEST_F(ConfigTest, WpConfigSaysWhereUsersAreAndHowTheyProveThemselves) {
  const Config config = read({"--wp-config", file(std::string(kWpConfig) + R"(
define('CUSTOM_USER_TABLE', 'people'); define('CUSTOM_USER_META_TABLE', 'people_meta');
define('LOGGED_IN_COOKIE', 'in'); define('COOKIEHASH', 'abc');
define('WP_ENVIRONMENT_TYPE', 'local');
)")})
                            .config;
  EXPECT_EQ(config.logins.users_table, "people");
  EXPECT_EQ(config.logins.usermeta_table, "people_meta");
  EXPECT_EQ(config.logins.cookie_name, "in");
  EXPECT_EQ(config.logins.cookie_hash, "abc");
  EXPECT_EQ(config.logins.environment_type, "local");
  EXPECT_TRUE(config.logins.app_passwords);
  EXPECT_FALSE(config.logins.account_passwords);
  EXPECT_FALSE(config.logins.basic_over_http);
}

TEST_F(ConfigTest, TheSecondSiteOfANetworkHasItsNumberInItsPrefix) {
  const std::string path =
      file(std::string(kWpConfig) + "define('MULTISITE', true);define('SITE_ID_CURRENT_SITE', 3);");
  const Config first = read({"--wp-config", path}).config;
  EXPECT_EQ(first.table_prefix, "shop_");
  EXPECT_EQ(first.network.id, 3U);
  const Config second = read({"--wp-config", path, "--blog-id", "2"}).config;
  EXPECT_EQ(second.table_prefix, "shop_2_");
  EXPECT_EQ(second.base_prefix, "shop_");
  EXPECT_EQ(
      error({"--wp-config", file(kWpConfig), "--blog-id", "2"}),
      "blog-id requires a network of sites. If the site is in a network, use --wp-multisite=yes");
}

TEST_F(ConfigTest, OneOfAllSitesIsChosenByAFlagOfACommandOnly) {
  const CommandFlag kFlags[] = {{"all-sites", CommandFlag::Value::none}};
  const auto read_as_ratingctl = [&](std::vector<const char*> argv) {
    argv.insert(argv.begin(), "ratingctl");
    return config::read(static_cast<int>(argv.size()), argv.data(),
                        {.flags = kFlags, .cms = wordpress::read_wp_config});
  };
  const std::string path = file("all-sites = yes\nwp-multisite = yes\n");
  const std::string flag = "--config=" + path;
  const CommandLine all = read_as_ratingctl({flag.c_str(), "--all-sites", "verify"});
  EXPECT_EQ(all.arguments, std::vector<std::string>{"verify"});
  EXPECT_EQ(all.flags, (CommandFlags{{"all-sites", ""}}));
  EXPECT_TRUE(all.config.network.serves_all);
  EXPECT_FALSE(read_as_ratingctl({"--all-sites"}).config.network.serves_all);
  EXPECT_THROW(read_as_ratingctl({"--all-sites=yes"}), Error);
  const Config second = read_as_ratingctl({flag.c_str(), "verify", "--blog-id=2"}).config;
  EXPECT_EQ(second.table_prefix, "wp_2_");
  EXPECT_TRUE(second.network.serves_all);
  EXPECT_EQ(error({flag, "--blog-id=2"}),
            "--blog-id is for one site and cannot be combined with all-sites = yes");
  variable("RATINGD_BLOG_ID", "2");
  EXPECT_THROW(read_as_ratingctl({flag.c_str(), "verify"}), Error);
  EXPECT_TRUE(
      read({"--all-sites=yes", "--wp-multisite=yes", "--blog-id=1"}).config.network.serves_all);
}

TEST_F(ConfigTest, AYesOrNoThatIsNeitherSaysWhatIsAllowed) {
  EXPECT_EQ(error({"--allow-account-passwords", "maybe"}),
            "--allow-account-passwords must be yes or no, not \"maybe\"");
  EXPECT_TRUE(read({"--allow-account-passwords", "yes"}).config.logins.account_passwords);
}

TEST_F(ConfigTest, WhatUsesTheDatabaseNeedsItsNameAndUser) {
  Config config;
  const auto sentence = [&] { return error_of([&] { require_database(config); }); };
  EXPECT_EQ(sentence(),
            "db-name is required. Set --db-name or RATINGD_DB_NAME, db-name in the file "
            "of --config, or --wp-config");
  config.database.name = "shop";
  EXPECT_TRUE(sentence().starts_with("db-user is required"));
  config.database.user = "clerk";
  EXPECT_EQ(sentence(), "(none)");
}

TEST_F(ConfigTest, FlagsOfCommandsAreTakenOnce) {
  using Value = CommandFlag::Value;
  const CommandFlag kFlags[] = {
      {"votes", Value::required}, {"orphans", Value::optional}, {"yes", Value::none}};
  const auto read_with_flags = [&](std::vector<const char*> argv) {
    return config::read(static_cast<int>(argv.size()), argv.data(), {.flags = kFlags});
  };
  const CommandLine line = read_with_flags(
      {"ratingctl", "maintain", "--votes", "5", "--orphans", "--yes", "--threads=3"});
  EXPECT_EQ(line.arguments, std::vector<std::string>{"maintain"});
  EXPECT_EQ(line.flags, (CommandFlags{{"orphans", kDefaultValue}, {"votes", "5"}, {"yes", ""}}));
  EXPECT_EQ(line.config.threads, 3U);
  EXPECT_EQ(read_with_flags({"ratingctl", "--orphans=remove"}).flags.at("orphans"), "remove");
  for (const char* flag : {"--orphans", "--yes"}) {
    const CommandLine mixed = read_with_flags({"ratingctl", "restore", flag, "file"});
    EXPECT_EQ(mixed.arguments, (std::vector<std::string>{"restore", "file"}));
  }
  EXPECT_THROW(read_with_flags({"ratingctl", "--yes=no"}), config::UsageError);
  EXPECT_THROW(read_with_flags({"ratingctl", "--votes", "5", "--votes", "6"}), config::UsageError);
  EXPECT_THROW(read_with_flags({"ratingctl", "--votes"}), config::UsageError);
  EXPECT_THROW(read_with_flags({"ratingctl", "-x", "--votes=5"}), config::UsageError);
  EXPECT_EQ(error({"--votes=5"}), "--votes=5: there is no such option. For a list, use --help.");
}

// --- Sites without a CMS -------------------------------------------------------------------------

TEST_F(ConfigTest, SiteWithoutACmsHasItsOwnOptions) {
  const Config config = read({"--cms=none", "--site-address=https://example.org/shop/",
                              "--time-zone=Europe/Berlin", "--week-start=0"})
                            .config;
  EXPECT_EQ(config.cms, CmsName::none);
  EXPECT_EQ(config.standalone.address, "https://example.org/shop");
  EXPECT_EQ(config.standalone.time_zone, "Europe/Berlin");
  EXPECT_EQ(config.standalone.week_start, 0U);
  EXPECT_TRUE(error({"--cms=none"}).starts_with("site-address is required with cms = none. Set "));
  EXPECT_EQ(error({"--cms=drupal"}), "--cms must be wordpress or none, not \"drupal\"");
  EXPECT_NE(error({"--time-zone=Nowhere"}), "(none)");
  EXPECT_NE(error({"--week-start=7"}), "(none)");
}

TEST_F(ConfigTest, OptionsOfAnotherCmsAreRefused) {
  EXPECT_EQ(error({"--cms=none", "--site-address=https://a", "--wp-home=https://a"}),
            "--wp-home requires cms = wordpress, but this site has cms = none");
  EXPECT_EQ(error({"--time-zone=UTC"}),
            "--time-zone requires cms = none, but this site has cms = wordpress");
}

TEST_F(ConfigTest, SiteWithoutACmsIgnoresTheWpConfigOfTheUnits) {
  variable("RATINGD_WP_CONFIG", file(""));
  const Config config = read({"--cms=none", "--site-address=https://a", "--db-name=x"}).config;
  EXPECT_EQ(config.database.name, "x");
  EXPECT_TRUE(config.not_read.empty());
}

TEST(CacheSegmentPath, DiffersWithSiteAndSize) {
  config::Config one, other;
  other.table_prefix = "other_";
  EXPECT_EQ(config::cache_segment_path(one, 16), config::cache_segment_path(one, 16));
  EXPECT_NE(config::cache_segment_path(one, 16), config::cache_segment_path(one, 32));
  EXPECT_NE(config::cache_segment_path(one, 16), config::cache_segment_path(other, 16));
}

TEST(SegmentPath, SitesOfANetworkShareThoseOfThePool) {
  config::Config first, second;
  first.network.exists = first.network.serves_all = true;
  second = first;
  second.network.blog_id = 2;
  second.table_prefix = "wp_2_";
  second.base_path = "/two/wp-json/ratingd/v1";
  EXPECT_EQ(config::segment_path(first, "limits"), config::segment_path(second, "limits"));
  EXPECT_NE(config::site_segment_path(first, "site"), config::site_segment_path(second, "site"));
  const config::Config alone;
  EXPECT_EQ(config::site_segment_path(alone, "turn"), config::segment_path(alone, "turn"));
}

}  // namespace

}  // namespace config
