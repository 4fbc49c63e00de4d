#include "admin/commands.h"

#include <cstdio>

#include "admin/migrate.h"
#include "admin/status.h"
#include "admin/verify.h"
#include "identity/secrets.h"

namespace admin {
namespace {

struct Command {
  const char* name;
  const char* purpose;
  bool needs_database;
  int (*run)(const config::Config& config);
};

int init_secret(const config::Config& config) {
  identity::make_secret(config.secret_file);
  std::printf("Made %s. Keep it secret, and the same on all hosts of this site.\n",
              config.secret_file.c_str());
  return 0;
}

constexpr Command kCommands[] = {
    {"init-secret", "make the site's secret file (--secret-file)", false, init_secret},
    {"migrate", "make or update the tables in the CMS's database", true, migrate},
    {"status", "show the database, its schema and its counts", true, status},
    {"verify", "recompute the sums from the votes and list what differs", true, verify},
};

}  // namespace

int run_command(const config::Config& config, const std::vector<std::string>& words) {
  for (const Command& command : kCommands) {
    if (words.size() != 1 || words.front() != command.name) continue;
    if (command.needs_database) config::require_database(config);
    return command.run(config);
  }
  std::fprintf(stderr, "ratingctl: %s\n\n%s", words.empty() ? "no command" : "no such command",
               command_help().c_str());
  return 2;
}

std::string command_help() {
  std::string text = "Commands:\n";
  for (const Command& command : kCommands) {
    char line[128];
    std::snprintf(line, sizeof line, "  %-14s %s\n", command.name, command.purpose);
    text += line;
  }
  return text;
}

}  // namespace admin
