// The admin tool: prepares and maintains ratingd's data in the CMS's database.

#include <cstdio>
#include <exception>

#include "adapters/adapters.h"
#include "admin/commands.h"
#include "config/command_line.h"

int main(int argc, char** argv) {
  try {
    const config::CommandLine line = config::read(argc, argv,
                                                  {.flags = admin::command_flags(),
                                                   .default_file = admin::default_file,
                                                   .reads_itself = admin::reads_itself,
                                                   .cms = adapters::read_cms_config});
    if (line.help) {
      std::fputs(admin::help(line.arguments).c_str(), stdout);
      return 0;
    }
    if (line.version) {
      std::puts("ratingctl " RATINGD_VERSION);
      return 0;
    }
    return admin::run_command(line.config, line.arguments, line.flags);
  } catch (const config::PermissionDenied& exception) {
    std::fprintf(stderr, "ratingctl: %s\nRun it with sudo.\n", exception.what());
    return 1;
  } catch (const config::FileMissing& exception) {
    std::fprintf(stderr, "ratingctl: %s\n%s", exception.what(),
                 admin::advice_for_missing(exception.path).c_str());
    return 1;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "ratingctl: %s\n", exception.what());
    return 1;
  }
}
