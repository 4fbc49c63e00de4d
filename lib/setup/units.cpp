#include "setup/units.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "runtime/blocked_signals.h"
#include "setup/files.h"
#include "setup/step.h"

namespace setup {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

const fs::path kUnitFolder = "/etc/systemd/system";
const fs::path kAccounts = "/etc/sysusers.d";

fs::path account_file(const Site& site) { return kAccounts / (site.unit + ".conf"); }

std::string timer_of(const Site& site) { return site.unit + "-maintain.timer"; }

// Returns the timer for a multisite network whose sites are all served by the same workers.
std::string timer_of_sites(const Site& site) { return site.unit + "-sites.timer"; }

// Returns the units that setup enables. Starting the target also starts the workers.
Words enabled_units(const Site& site) {
  return {site.unit + ".socket", site.unit + ".target", timer_of(site)};
}

// Returns the two workers that every site has.
Words first_workers(const Site& site) {
  return {site.unit + "@1.service", site.unit + "@2.service"};
}

// Returns the worker that runs only during a reload.
std::string extra_worker(const Site& site) { return site.unit + "@reload.service"; }

Words command(Words words, const Words& units) {
  words.insert(words.begin(), "systemctl");
  words.insert(words.end(), units.begin(), units.end());
  return words;
}

Words without(const Words& all, const Words& some) {
  Words rest;
  std::ranges::copy_if(all, std::back_inserter(rest), [&](const std::string& unit) {
    return std::ranges::find(some, unit) == some.end();
  });
  return rest;
}

// Returns the units for which the command "systemctl STATE UNIT" succeeds. "state" must be
// "is-active" or "is-enabled".
Words that_are(const std::string& state, const Words& units) {
  Words found;
  for (const std::string& unit : units) {
    if (run_program({"systemctl", "--quiet", state, unit}).status == 0) found.push_back(unit);
  }
  return found;
}

// Returns the units that setup must start. Setup does not start a disabled timer if the workers are
// already enabled, because a site with several hosts runs maintenance on only one host.
Words units_to_start(const Site& site) {
  const Words units = enabled_units(site);
  const bool is_enabled = !that_are("is-enabled", {site.unit + ".target"}).empty();
  const bool has_timer = !that_are("is-enabled", {timer_of(site)}).empty();
  return is_enabled && !has_timer ? without(units, {timer_of(site)}) : units;
}

// Writes the file from which systemd creates the system account. If systemd is running, the account
// is created immediately. If systemd is not running, the account is created at the next boot.
Step write_account(const Site& site) {
  const fs::path file = account_file(site);
  Step step = write_file(file, site_sysusers(site), 0644, "the workers' account of the system");
  step.apply = [file, write = step.apply] {
    write();
    if (has_systemd()) must_run({"systemd-sysusers", file.string()});
  };
  return step;
}

void reload_systemd() {
  if (has_systemd()) must_run({"systemctl", "daemon-reload"});
}

// Files whose names sort later, such as the file of "systemctl edit", override this file.
fs::path socket_drop_in(const Site& site, const fs::path& root) {
  return root / kUnitFolder.relative_path() / (site.unit + ".socket.d") / "10-web-server.conf";
}

// Returns whether the operator has chosen the socket's account, for example with "systemctl edit".
bool has_own_account(const fs::path& drop_in) {
  return std::ranges::any_of(entries_of(drop_in.parent_path()), [&](const fs::path& file) {
    return file != drop_in &&
           content_of(file).value_or("").find("SocketUser=") != std::string::npos;
  });
}

void change_owner(const fs::path& path, uid_t owner) {
  if (is_there(path) && lchown(path.c_str(), owner, static_cast<gid_t>(-1)) != 0) {
    throw Error("the owner of " + path.string() + " cannot be changed");
  }
}

// Returns the step that changes the owner of the existing socket. systemd cannot restart a socket
// while its workers run, so it applies the drop-in file only when it next creates the socket.
Step give_socket(const fs::path& socket, uid_t owner) {
  struct stat status {};
  const bool is_socket = lstat(socket.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
  if (!is_socket || status.st_uid == owner) return {};
  return {{"change the owner of " + socket.string()},
          [=] { change_owner(socket, owner); },
          [=, before = status.st_uid] { change_owner(socket, before); }};
}

// Returns a message with the names of missing files, because systemd does not report these names.
std::string missing_files(const Site& site) {
  std::string text;
  for (const fs::path& file : {site.secret, site.workers_password, site.wp_config}) {
    if (!file.empty() && !fs::exists(file)) text += file.string() + " is missing.\n";
  }
  return text;
}

// Returns a message about a worker that did not start. The message contains the output of systemctl
// and the end of the worker's log.
std::string failure_of(const Site& site, const std::string& worker, const ProgramResult& said) {
  static_cast<void>(run_program({"journalctl", "--sync"}));
  const ProgramResult log =
      run_program({"journalctl", "--no-pager", "--output=cat", "--lines=6", "--unit", worker});
  const bool lacks_file = log.output.find("CREDENTIALS") != std::string::npos;
  return worker + " did not become ready: " + said.output.substr(0, said.output.find('\n')) +
         "\nThe end of its log:\n" + log.output + (lacks_file ? missing_files(site) : "");
}

void start_workers(const Site& site) {
  const Words workers = first_workers(site);
  const ProgramResult result = run_program(command({"start"}, workers));
  if (result.status != 0) throw Error(failure_of(site, workers.front(), result));
}

// Restarts a worker and waits until the worker is ready. Returns the reason why the worker is not
// ready, or an empty string if it is ready.
std::string restart_worker(const Site& site, const std::string& worker) {
  const ProgramResult result = run_program({"systemctl", "restart", worker});
  // "systemctl restart" succeeds even if a condition in the unit file is not met and the worker
  // does not start.
  if (result.status == 0 && !that_are("is-active", {worker}).empty()) return {};
  return failure_of(site, worker, result);
}

// Returns the running workers, including workers that systemd restarts after a failure.
Words running_workers(const Site& site) {
  const ProgramResult result = run_program({"systemctl", "list-units", "--plain", "--no-legend",
                                            "--state=active,activating", site.unit + "@*.service"});
  Words workers;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    workers.push_back(line.substr(0, line.find(' ')));
  }
  return without(workers, {extra_worker(site)});
}

void stop(const Site& site, const Words& units) {
  if (units.empty()) return;
  // The pattern "@*.service" also matches loaded workers that are not in "units", such as
  // ratingd@3.service.
  must_run(command({"stop"}, units));
  must_run({"systemctl", "stop", site.unit + "@*.service"});
}

// Runs the systemctl command in "words" for all units in "units". Does nothing if "units" is empty.
void must_run_with(const Words& units, const Words& words) {
  if (!units.empty()) must_run(command(words, units));
}

}  // namespace

bool has_systemd() { return is_there("/run/systemd/system"); }

Step write_units(const Site& site, const std::string& prefix) {
  if (site.name.empty()) return {};
  Steps steps = {create_folder(kAccounts), write_account(site)};
  for (const Unit& unit : site_units(site, prefix)) {
    steps.push_back(write_file(kUnitFolder / unit.name, unit.text, 0644, ""));
  }
  return as_one(with_reload(steps, reload_systemd), actions_of(steps));
}

std::optional<uid_t> id_of_account(const std::string& account) {
  const passwd* const found = getpwnam(account.c_str());  // NOLINT(concurrency-mt-unsafe)
  return found == nullptr ? std::nullopt : std::optional(found->pw_uid);
}

Step let_connect(const Site& site, const std::string& account, const fs::path& root) {
  const bool is_packaged = account == kPackagedAccount || account == "root";
  const std::string allowed(is_packaged ? kPackagedAccount : account);
  const fs::path file = socket_drop_in(site, root);
  const auto owner = id_of_account(allowed);
  if (!owner || has_own_account(file) || (is_packaged && !is_there(file))) return {};
  Steps steps;
  if (is_packaged) {
    steps.push_back(remove_let_connect(site, root));
  } else {
    const std::string text = std::string(kMadeBySetup) + "\n[Socket]\nSocketUser=" + allowed + "\n";
    steps.push_back(create_folder(file.parent_path()));
    steps.push_back(write_file(file, text, 0644, ""));
  }
  steps.push_back(give_socket(site.socket, *owner));
  return as_one(with_reload(steps, reload_systemd),
                {"let the web server's account " + allowed + " connect to the workers (" +
                 file.string() + ")"});
}

Step remove_let_connect(const Site& site, const fs::path& root) {
  const fs::path file = socket_drop_in(site, root);
  const Steps steps = {remove_file(file)};
  if (actions_of(steps).empty()) return {};
  return as_one(
      with_reload({steps.front(), remove_empty_folder(file.parent_path())}, reload_systemd),
      actions_of(steps));
}

Step remove_units(const Site& site) {
  if (site.name.empty()) return {};
  Steps steps = {remove_file(account_file(site))};
  for (const Unit& unit : site_units(site, "/usr"))
    steps.push_back(remove_file(kUnitFolder / unit.name));
  return as_one(with_reload(steps, reload_systemd), actions_of(steps));
}

std::vector<std::string> added_workers(const Site& site, const fs::path& root) {
  Words found;
  for (const fs::path& entry :
       entries_of(root / "etc/systemd/system" / (site.unit + ".target.wants"))) {
    const std::string name = entry.filename().string();
    if (name.starts_with(site.unit + "@") && name.ends_with(".service")) found.push_back(name);
  }
  std::ranges::sort(found);
  return found;
}

Step start_units(const Site& site, bool has_new_files, bool serves_all) {
  Words units = units_to_start(site);
  if (serves_all) units.push_back(timer_of_sites(site));
  Words all = units;
  std::ranges::copy(first_workers(site), std::back_inserter(all));
  const Words active = that_are("is-active", all);
  const Words enabled = that_are("is-enabled", units);
  const bool is_complete = active.size() == all.size() && enabled.size() == units.size();
  const bool runs = without(without(all, active), {timer_of(site), timer_of_sites(site)}).empty();
  const std::string reload = command_for(site, "reload");
  Step step;
  if (!is_complete) {
    step.actions.push_back("enable and start " + base::joined(units) + ", with two workers");
  }
  if (runs && has_new_files) {
    step.actions.push_back("replace the running workers one after the other (" + reload + ")");
    step.remains =
        "workers that were replaced continue to run. For workers with the earlier files, run: " +
        reload;
  }
  step.apply = [=] {
    if (!is_complete) {
      must_run_with(units, {"enable", "--quiet"});
      must_run_with(units, {"start"});
      start_workers(site);
    }
    if (runs && has_new_files) static_cast<void>(replace_workers(site));
  };
  step.undo = [=] {
    if (is_complete) return;
    // Stopping the target also stops all units that the target started.
    const Words started = without(all, active);
    must_run_with(started, {"stop"});
    must_run_with(without(units, enabled), {"disable", "--quiet"});
  };
  return step;
}

std::vector<std::string> replace_workers(const Site& site) {
  Words workers = running_workers(site);
  if (workers.empty()) {
    throw Error("no worker runs. To start the workers, run: systemctl start " + site.unit +
                ".target");
  }
  const runtime::BlockedSignals signals;
  std::string failure = restart_worker(site, extra_worker(site));
  for (const std::string& worker : workers) {
    if (failure.empty() && signals.take()) failure = "interrupted\n";
    if (failure.empty()) failure = restart_worker(site, worker);
  }
  static_cast<void>(run_program({"systemctl", "stop", extra_worker(site)}));
  if (!failure.empty()) throw Error(failure + "No further worker was replaced.");
  return workers;
}

Step stop_units(const Site& site) {
  Words units = enabled_units(site);
  const Words of_sites = {timer_of_sites(site)};
  if (!that_are("is-active", of_sites).empty() || !that_are("is-enabled", of_sites).empty())
    units.push_back(of_sites.front());
  const Words active = that_are("is-active", units);
  Words enabled = that_are("is-enabled", units);
  std::ranges::copy(added_workers(site), std::back_inserter(enabled));
  if (active.empty() && enabled.empty()) return {};
  return {{"stop and disable " + base::joined(units) + ", and all workers"},
          [=] {
            stop(site, units);
            must_run_with(enabled, {"disable", "--quiet"});
            // systemd removes neither the socket nor the timer's stamp file.
            fs::remove(site.socket);
            fs::remove("/var/lib/systemd/timers/stamp-" + site.unit + "-maintain.timer");
          },
          [=] {
            must_run_with(enabled, {"enable", "--quiet"});
            must_run_with(active, {"start"});
          }};
}

}  // namespace setup
