#include "admin/setup_values.h"

#include <fmt/core.h>

#include <string>
#include <system_error>

#include "base/bytes.h"
#include "setup/files.h"
#include "setup/find_wordpress.h"
#include "wordpress/wp_config_settings.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

// The folder of plugins is found by the place of wp-config.php, which this file does not have.
std::string line_for_plugins(const fs::path& wp_config) {
  const auto folder = setup::plugin_folder(wp_config);
  if (!folder || folder->string().find_first_of("'\\") != std::string::npos) return "";
  return fmt::format("define( 'WPMU_PLUGIN_DIR', '{}' );\n", folder->string());
}

}  // namespace

void leave_values_to_operator(SetupPlan& plan) {
  const auto literal = wordpress::literal_wp_config({plan.wp_config.string(), "--wp-config"});
  const setup::Site& site = plan.request.site;
  const fs::path file = values_file(site);
  std::string names;
  for (const std::string& name : literal.missing) names += (names.empty() ? "" : ", ") + name;
  std::error_code error;
  if (fs::equivalent(plan.wp_config, file, error)) {
    throw setup::Error(fmt::format("in {}, insert the values of {}, then repeat this command",
                                   file.string(), names));
  }
  const std::string header = fmt::format(
      "<?php\n// What ratingd reads of {}. Insert each value in place of VALUE, as 'text'.\n",
      plan.wp_config.string());
  plan.steps.push_back(setup::create_folder(site.folder));
  plan.steps.push_back(
      setup::create_file(file, header + literal.text + line_for_plugins(plan.wp_config), 0640,
                         "the values of wp-config.php, without those that only PHP knows"));
  plan.remaining = fmt::format(
      "Only PHP knows these values of {}: {}.\nIn {}, which has a line for each, insert the "
      "values, "
      "then run: ratingctl setup{} --wp-config {}",
      base::printable(plan.wp_config.string()), names, file.string(),
      site.name.empty() ? "" : " --site " + site.name, file.string());
}

fs::path values_file(const setup::Site& site) { return site.folder / "wordpress.php"; }

}  // namespace admin
