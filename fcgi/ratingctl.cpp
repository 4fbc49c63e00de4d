// The admin tool: prepares and looks after what ratingd keeps in the CMS's database.

#include <cstdio>
#include <exception>

#include "admin/commands.h"
#include "config/config.h"

int main(int argc, char** argv) {
  try {
    const config::CommandLine line = config::read(argc, argv, admin::command_flags());
    if (line.help) {
      std::printf("ratingctl [option ...] command\n\n%s\n%s", admin::command_help().c_str(),
                  config::help().c_str());
      return 0;
    }
    if (line.version) {
      std::puts("ratingctl " RATINGD_VERSION);
      return 0;
    }
    return admin::run_command(line.config, line.words, line.flags);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "ratingctl: %s\n", exception.what());
    return 1;
  }
}
