// The administration tool, which prepares and maintains ratingd's data in the CMS's database.

#include <cstdio>
#include <exception>
#include <string>

#include "adapters/adapters.h"
#include "admin/commands.h"
#include "admin/output.h"
#include "base/descriptor.h"
#include "config/command_line.h"

namespace {

int fail(const std::string& reason) {
  admin::print_text("ratingctl: " + reason, stderr);
  return 1;
}

int run(const config::CommandLine& line) {
  if (line.help) {
    std::fputs(admin::help(line.arguments).c_str(), stdout);
    return 0;
  }
  if (line.version) {
    std::puts("ratingctl " RATINGD_VERSION);
    return 0;
  }
  return admin::run_command(line.config, line.arguments, line.flags);
}

}  // namespace

int main(int argc, char** argv) {
  base::open_standard_streams();
  try {
    const config::CommandLine line = config::read(argc, argv,
                                                  {.flags = admin::command_flags(),
                                                   .default_file = admin::default_file,
                                                   .reads_itself = admin::reads_itself,
                                                   .cms = adapters::read_cms_config});
    const int status = run(line);
    admin::flush_output();
    return status;
  } catch (const config::UsageError& exception) {
    fail(exception.what());
    return admin::kWrongArguments;
  } catch (const config::PermissionDenied& exception) {
    return fail(std::string(exception.what()) + "\nRun it with sudo.");
  } catch (const config::FileMissing& exception) {
    const std::string advice = admin::advice_for_missing(exception.path);
    return fail(exception.what() + (advice.empty() ? "" : "\n" + advice));
  } catch (const db::Failure& failure) {
    const std::string advice = admin::advice_for_database(failure);
    return fail(failure.what() + (advice.empty() ? "" : "\n" + advice));
  } catch (const std::exception& exception) {
    return fail(exception.what());
  }
}
