#include "setup/plugin.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/crypto.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "setup/files.h"
#include "setup/find_wordpress.h"
#include "setup/site.h"

namespace setup {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kLoader = "ratingd-mu-loader.php";
constexpr std::string_view kMain = "ratingd/ratingd.php";
constexpr std::string_view kOldPlugin = "ratingd-widgets.php";
// The SHA-256 digests of the files installed by earlier versions.
constexpr auto kOldPlugins = std::to_array<std::string_view>({
    "c54b5c9a403cce5ae6feea4901e7b500c914842777a8bb69fa520cbea631b183",
    "3a4c5cf0a10da84fba49b9158f301d8daa454e77ef7c6d43b900a627fd7d5cdc",
    "cf32755a75c76022fd29c3ec7f9d85c5c3e16b7473c6d5d6f33d5e8de9c9cdf9",
    "65d61e56cf0b6adf044c0ae71b4a9678353fd546655a9e331e7ef1c1aabecd94",
});

// Returns the plugin's folders, sorted so that each folder follows its parent folders.
std::set<fs::path> folders_in(const fs::path& folder) {
  std::set<fs::path> folders;
  for (const PluginFile& file : plugin_files()) {
    for (fs::path name = fs::path(file.name).parent_path(); !name.empty();
         name = name.parent_path()) {
      folders.insert(folder / name);
    }
  }
  return folders;
}

std::string places_in(const fs::path& folder) {
  return (folder / kLoader).string() + " and " + (folder / "ratingd").string();
}

// Returns how many of the package's files are missing from "folder" or have different content.
std::size_t different_files(const fs::path& folder) {
  const auto differs = [&](const PluginFile& file) {
    return content_of(folder / file.name) != std::string(file.content);
  };
  return static_cast<std::size_t>(std::ranges::count_if(plugin_files(), differs));
}

// Returns the WordPress site on this host that uses the secret in "config", or nothing if there is
// no such site.
std::optional<Site> site_of(const config::Config& config) {
  for (const Site& site : all_sites()) {
    if (site.secret == config.secret_file && is_there(site.wp_config)) return site;
  }
  return std::nullopt;
}

// Returns the version in the plugin's header, or "?" if the header cannot be read.
std::string version_in(const fs::path& folder) {
  constexpr std::size_t kHeaderBytes = 4096;
  constexpr std::string_view kVersionTag = " * Version: ";
  const base::Descriptor file = base::open_foreign_file(folder / kMain);
  const auto header = base::read_all(file, kHeaderBytes);
  const std::size_t line = header ? header->find(kVersionTag) : std::string::npos;
  if (line == std::string::npos) return "?";
  std::string_view rest = std::string_view(*header).substr(line + kVersionTag.size());
  return std::string(base::take_until(rest, "\r\n"));
}

void check_site(const Site& site, cms::Findings& findings) {
  const auto must_use = plugin_folder(linked_path(site.wp_config));
  if (!must_use)
    return findings.ok(std::string("not known: WordPress's folder mu-plugins was not found"));
  check_plugin_in(*must_use, command_for(site, "setup"), findings);
}

}  // namespace

Step install_plugin(const fs::path& folder) {
  const auto write = [&](const PluginFile& file) {
    return write_file(folder / file.name, std::string(file.content), 0644, "");
  };
  Steps files;
  std::optional<Step> loader;
  for (const PluginFile& file : plugin_files()) {
    file.name == kLoader ? void(loader = write(file)) : files.push_back(write(file));
  }
  // Write the loader last because it causes WordPress to load all other files.
  if (loader) files.push_back(*std::move(loader));
  const std::size_t changed = actions_of(files).size();
  Steps steps;
  for (const fs::path& each : folders_in(folder)) steps.push_back(create_folder(each));
  steps.insert(steps.end(), files.begin(), files.end());
  return as_one(steps,
                {"write the WordPress plugin to " + places_in(folder) + " (" +
                 std::to_string(changed) + " of " + std::to_string(files.size()) + " files)"});
}

Step remove_plugin(const fs::path& folder) {
  Steps steps = {remove_file(folder / kLoader)};
  for (const PluginFile& file : plugin_files()) {
    if (file.name != kLoader) steps.push_back(remove_file(folder / file.name));
  }
  const std::set<fs::path> folders = folders_in(folder);
  std::transform(folders.rbegin(), folders.rend(), std::back_inserter(steps), remove_empty_folder);
  return as_one(steps, {"remove the WordPress plugin from " + places_in(folder)});
}

Step remove_old_plugin(const fs::path& folder) {
  const fs::path file = folder / kOldPlugin;
  const FileState state = state_of(file);
  const std::string hash = base::to_hex(base::sha256(state.content));
  const bool is_ours =
      state.kind == FileState::Kind::file && std::ranges::count(kOldPlugins, hash) > 0;
  return is_ours ? remove_file(file) : Step{};
}

void check_plugin_in(const fs::path& must_use, const std::string& setup_command,
                     cms::Findings& findings) {
  const std::string advice = ". Run: " + setup_command;
  const std::string own = RATINGD_VERSION;
  const fs::path ordinary = must_use.parent_path() / "plugins";
  if (is_there(must_use / kLoader)) {
    const std::size_t different = different_files(must_use);
    const std::string version = "version " + version_in(must_use);
    if (different == 0) {
      return findings.ok(version + ", as ratingd " + own + ", in " + must_use.string());
    }
    return findings.warn(version + ": " + std::to_string(different) + " of " +
                         std::to_string(plugin_files().size()) + " files of the plugin in " +
                         must_use.string() + " differ from those of ratingd " + own + advice);
  }
  if (is_there(ordinary / kMain)) {
    return findings.ok("version " + version_in(ordinary) + ", an ordinary plugin in " +
                       ordinary.string() + "; ratingd has version " + own);
  }
  findings.warn("WordPress has no plugin of ratingd, so wp-admin does not show ratings" + advice);
}

void check_plugin(const config::Config& config, std::vector<cms::Finding>& report) {
  const auto site = site_of(config);
  if (!site) return;
  cms::run_check({"plugin"}, report, [&](cms::Findings& findings) { check_site(*site, findings); });
}

}  // namespace setup
