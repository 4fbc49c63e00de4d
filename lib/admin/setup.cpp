#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "admin/doctor.h"
#include "admin/output.h"
#include "admin/setup_plan.h"
#include "base/descriptor.h"
#include "base/origin.h"
#include "base/text.h"
#include "setup/units.h"
#include "wordpress/site_reader.h"

namespace admin {
namespace {

// Prevents two setups from running on this host at the same time, because each setup could
// invalidate the other's plan. Only root can open the lock file.
base::Descriptor lock_setups() {
  base::Descriptor file(
      open("/run/ratingd-setup.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw setup::Error("another setup runs on this host. Repeat this command when it has ended.");
  }
  return file;
}

std::string subject_of(const SetupPlan& plan) {
  if (plan.home.empty()) return plan.request.site.unit;
  return fmt::format(
      "{} ({}, database {})", plan.home,
      plan.request.site.has_wordpress() ? plan.wp_config.string() : "without WordPress",
      plan.config.database.name);
}

void show(const SetupPlan& plan) {
  print_text((plan.request.is_removal ? "Removal of " : "Setup of ") + subject_of(plan) + ":");
  int number = 0;
  for (const std::string& action : setup::actions_of(plan.steps)) {
    print_text(fmt::format("{:>3}. {}", ++number, action));
  }
  if (!plan.warning.empty()) print_text(plan.warning);
}

bool is_agreed() {
  fmt::print("Continue? [y/N] ");
  std::fflush(stdout);
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
}

std::string service_of(const SetupPlan& plan) {
  return base::origin_of(plan.home).value_or("") + plan.options.base_path;
}

// Returns the id of an object that visitors can rate, or nothing if no rateable object is known.
std::optional<std::uint64_t> first_object(const setup::Site& site) {
  if (!site.has_wordpress()) return 1;
  try {
    auto connection =
        connect(read_recorded(site.ratingctl_file.string()), std::chrono::seconds(10));
    return wordpress::first_published(connection);
  } catch (const db::Failure&) {
    return std::nullopt;
  }
}

// Prints a curl command that casts a first vote. Running the command again is harmless, because the
// new vote replaces the earlier vote.
void show_first_vote(const SetupPlan& plan) {
  const std::string base = service_of(plan);
  const auto object = first_object(plan.request.site);
  if (!object) {
    print_text(fmt::format("The service is at {}. Publish a post and rate it.", base));
    return;
  }
  print_text(
      fmt::format("The service is at {}. This command casts a first vote:\n  curl {} -d "
                  "'{{\"object_id\":{},\"category\":\"binary\",\"value\":1}}'",
                  base, base::shell_quoted(base + "/rate"), *object));
}

// Checks the service and prints whether it responds. If the service responds, also prints a command
// that casts a first vote. Returns the exit status. On a host without systemd, a failed check does
// not change the exit status, because the operator must still start the workers.
int show_service(const SetupPlan& plan) {
  if (plan.home.empty() || plan.lacks_nginx_lines) return 0;
  const auto config = read_recorded(plan.request.site.workers_file.string());
  // Apache's old processes may respond for a few seconds after a reload.
  const std::chrono::seconds patience{plan.request.apache.empty() ? 0 : 10};
  if (has_failed(check_service(config, patience))) return setup::has_systemd() ? 1 : 0;
  show_first_vote(plan);
  return 0;
}

// Prints the plan's notes and warning, and the remaining tasks for the operator. Returns the exit
// status.
int show_end(const SetupPlan& plan) {
  for (const std::string& note : plan.notes) print_text(note);
  if (!plan.remaining.empty()) {
    print_text(plan.remaining);
    return 1;
  }
  if (!plan.warning.empty()) print_text(plan.warning);
  const int status = show_service(plan);
  if (!plan.lacks_tables_of_sites) return status;
  print_text(
      "Some sites of the network still lack tables of this version. Resolve the errors above, then "
      "run: " +
      setup::command_for(plan.request.site, "migrate --all-sites"));
  return 1;
}

// If the ticket key is still on this host, asks the operator to move it to the site's back end, and
// explains how to try an example that uses the key.
void show_back_end(const SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  if (plan.home.empty() || !setup::is_there(site.ticket_key)) return;
  print_text(
      fmt::format("Move {0} to the site's back end. The file has the ticket key. To try it, run "
                  "front_end.mjs or rate.php from {1}/share/doc/ratingd/docs/examples with these "
                  "variables:\n  RATINGD_URL={2} RATINGD_SITE={3} RATINGD_KEY_NAME={4} "
                  "RATINGD_KEY_FILE={0} ORIGIN={5} PORT=3000",
                  site.ticket_key.string(), install_prefix(), base::shell_quoted(service_of(plan)),
                  base::shell_quoted(plan.home), site.name,
                  base::shell_quoted(base::origin_of(plan.home).value_or(""))));
}

std::unique_ptr<SetupPlan> plan_of(const SetupRequest& request) {
  if (request.is_removal) return plan_removal(request);
  return request.is_for_units ? plan_units(request) : plan_setup(request);
}

// Prints that there is nothing to do and checks whether the installation works.
int check_again(const SetupPlan& plan) {
  print_text("There is nothing to do.");
  if (plan.home.empty()) return 0;
  const int status = doctor({read_recorded(plan.request.site.workers_file.string()), {}, {}});
  for (const std::string& note : plan.notes) print_text(note);
  if (!plan.warning.empty()) print_text(plan.warning);
  return status;
}

int apply(const SetupPlan& plan) {
  std::string left;  // the actions that could not be undone
  try {
    setup::apply(plan.steps, [&](const std::string& sentence) { left += sentence + "\n"; });
  } catch (const std::exception& exception) {
    std::fflush(stdout);
    print_text("ratingctl: " + std::string(exception.what()) + "\n" + left +
                   (left.empty() ? "All steps were undone." : "All other steps were undone."),
               stderr);
    return 1;
  }
  const int status = show_end(plan);
  show_back_end(plan);
  return status;
}

}  // namespace

int setup(const Invocation& call) {
  const SetupRequest request = setup_request(call);
  if (geteuid() != 0) throw config::PermissionDenied("setup changes files of the system");
  const base::Descriptor lock = request.is_dry ? base::Descriptor(-1) : lock_setups();
  const auto plan = plan_of(request);
  if (setup::actions_of(plan->steps).empty()) {
    if (plan->remaining.empty()) return check_again(*plan);
    print_text(plan->remaining);
    return 1;
  }
  show(*plan);
  if (request.is_dry) {
    if (!plan->remaining.empty()) print_text("Then: " + plan->remaining);
    for (const std::string& note : plan->notes) print_text(note);
    print_text("Nothing was changed (--dry-run).");
    return 0;
  }
  if (!request.is_agreed && !request.is_for_units) {
    if (isatty(STDIN_FILENO) == 0) {
      return refuse(
          "ratingctl: setup cannot ask for confirmation without a terminal. Repeat the command "
          "with --yes.");
    }
    if (!is_agreed()) {
      print_text("Nothing was changed.");
      return 1;
    }
  }
  return apply(*plan);
}

int reload(const Invocation& call) {
  const setup::Site site = setup_request(call).site;
  if (geteuid() != 0) throw config::PermissionDenied("reload restarts units of systemd");
  if (!setup::has_systemd())
    throw setup::Error(
        "systemd does not run on this host. Restart the workers by hand, one after the other.");
  for (const std::string& worker : setup::replace_workers(site)) {
    print_text("replaced " + worker);
  }
  return 0;
}

}  // namespace admin
