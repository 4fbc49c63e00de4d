// The output of the `doctor` command: its findings for one site or for all sites in a network, and
// its metrics.

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "admin/doctor.h"
#include "admin/network.h"
#include "admin/output.h"
#include "base/message.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "setup/site.h"

namespace admin {
namespace {

using cms::Finding;
using cms::Health;

struct SiteReport {
  SiteOfNetwork site;
  std::vector<Finding> findings;
};

// Adds the --site flag to each ratingctl command in "text". Without the site's name, ratingctl
// would reject the commands or run them for another site.
std::string with_site(std::string text, const setup::Site& site) {
  if (site.name.empty()) return text;
  const std::string flag = "--site " + site.name;
  for (const std::string before : {"run: ratingctl ", "Run: ratingctl ", "prints: ratingctl "}) {
    for (std::size_t at = text.find(before); at != std::string::npos;
         at = text.find(before, at + 1)) {
      const std::size_t end = std::min(text.find_first_of(";,.", at + before.size()), text.size());
      if (text.substr(at, end - at).find(" --site") != std::string::npos) continue;
      text.insert(at + before.size(), flag + " ");
    }
  }
  return text;
}

std::string line_of(const Finding& finding, const setup::Site& site) {
  return fmt::format("{:<4}  {:<13}  {}", name_of(finding.health), finding.subject,
                     base::printable(with_site(finding.message.text(), site)));
}

Health worst_of(const std::vector<Finding>& findings) {
  const auto worst = std::ranges::max_element(findings, {}, &Finding::health);
  return worst == findings.end() ? Health::ok : worst->health;
}

// Returns the findings about a site. "of_server" contains the findings that are the same for all
// sites.
std::vector<Finding> findings_of(const Invocation& call, const SiteOfNetwork& site,
                                 std::vector<Finding> of_server) {
  std::vector<Finding> findings = std::move(of_server);
  const auto add = [&](const std::vector<Finding>& more) {
    findings.insert(findings.end(), more.begin(), more.end());
  };
  if (!site.has_tables) {
    add({{.health = Health::warn,
          .subject = "schema",
          .message = "ratingd has no tables here, or no privileges on them. Run: " +
                     command_of(call.config, "migrate --all-sites")}});
    return findings;
  }
  try {
    const config::Config config = adapters::config_of(call.config, site.place);
    add(findings_of_installation(config, checks::Part::site));
    add(findings_of_service(config, findings));
  } catch (const std::exception& exception) {
    add({{.health = Health::fail, .subject = "site", .message = std::string(exception.what())}});
  }
  return findings;
}

// Prints the findings. A finding shared by several sites, such as a finding about the host, is
// printed only once.
void print_findings(const std::vector<SiteReport>& reports, const setup::Site& files) {
  std::map<std::string, std::vector<const SiteReport*>> sites_by_line;
  std::vector<std::string> lines;  // in the order of the sites
  for (const SiteReport& report : reports) {
    for (const Finding& finding : report.findings) {
      if (finding.health == Health::ok) continue;
      const std::string line = line_of(finding, files);
      auto& sites = sites_by_line[line];
      if (sites.empty()) lines.push_back(line);
      if (sites.empty() || sites.back() != &report) sites.push_back(&report);
    }
  }
  std::string heading;
  for (const std::string& line : lines) {
    const auto& sites = sites_by_line[line];
    std::string next = sites.front()->site.name() + ":";
    if (sites.size() == reports.size() && sites.size() > 1) {
      next = "all sites:";
    } else if (sites.size() > 1) {
      next = "sites " +
             base::joined(sites, ", ",
                          [](const SiteReport* report) {
                            return std::to_string(report->site.place.blog_id);
                          }) +
             ":";
    }
    if (next != heading) print_text(next);
    heading = next;
    print_text(line);
  }
}

void print_summary(const std::vector<SiteReport>& reports) {
  const auto count = [&](Health health) {
    return std::ranges::count(reports, health,
                              [](const SiteReport& report) { return worst_of(report.findings); });
  };
  print_text(fmt::format("{}: {} ok, {} with warnings only, {} with failures",
                         base::counted(reports.size(), "site", "sites"), count(Health::ok),
                         count(Health::warn), count(Health::fail)));
}

// Returns the findings in the Prometheus text format. The names of sites and checks contain no
// characters that need escaping.
std::string metrics_of(const std::vector<Finding>& findings, const std::string& site,
                       base::Time now) {
  std::map<std::string, Health> worst;
  for (const Finding& finding : findings) {
    Health& health = worst[finding.subject];
    health = std::max(health, finding.health);
  }
  std::string text =
      "# HELP ratingd_doctor_status Result of a check of ratingctl doctor: 0 ok, 1 a warning, 2 a "
      "failure.\n# TYPE ratingd_doctor_status gauge\n";
  for (const auto& [subject, health] : worst) {
    text += fmt::format("ratingd_doctor_status{{site=\"{}\",check=\"{}\"}} {}\n", site, subject,
                        static_cast<int>(health));
  }
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  text += fmt::format(
      "# HELP ratingd_doctor_timestamp_seconds When ratingctl doctor ran, in seconds since the "
      "Unix "
      "epoch.\n# TYPE ratingd_doctor_timestamp_seconds gauge\n"
      "ratingd_doctor_timestamp_seconds{{site=\"{}\"}} {}\n",
      site, seconds);
  return text;
}

// Replaces the metrics file atomically, because the Prometheus exporter may read it at any time.
void write_metrics(const Invocation& call, const std::vector<Finding>& findings) {
  const auto file = call.value("metrics");
  if (!file) return;
  const std::string site = setup::site_in(call.config.runtime_dir).name;
  const std::string temporary = *file + ".new";
  std::ofstream stream(temporary);
  stream << metrics_of(findings, site, base::SystemClock().now());
  stream.close();
  if (!stream || std::rename(temporary.c_str(), file->c_str()) != 0) throw file_error(*file);
}

int doctor_of_all_sites(const Invocation& call) {
  const auto sites = [&] {
    db::Connection connection = connect(call.config);
    return sites_of(connection, call.config);
  }();
  const auto of_server = findings_of_installation(call.config, checks::Part::server);
  std::vector<SiteReport> reports;
  std::vector<Finding> all;
  Progress progress("checking");
  for (const SiteOfNetwork& site : sites) {
    progress(std::ssize(reports), std::ssize(sites));
    reports.push_back({site, findings_of(call, site, of_server)});
    all.insert(all.end(), reports.back().findings.begin(), reports.back().findings.end());
  }
  progress(std::ssize(sites), std::ssize(sites));
  print_findings(reports, setup::site_in(call.config.runtime_dir));
  print_summary(reports);
  write_metrics(call, all);
  return has_failed(all) ? 1 : 0;
}

}  // namespace

void print_report(const config::Config& config, const std::vector<Finding>& report) {
  const setup::Site site = setup::site_in(config.runtime_dir);
  for (const Finding& finding : report) print_text(line_of(finding, site));
}

int doctor(const Invocation& call) {
  if (call.has(kAllSites)) return doctor_of_all_sites(call);
  auto report = findings_of_installation(call.config);
  print_report(call.config, report);
  const auto of_service = findings_of_service(call.config, report);
  print_report(call.config, of_service);
  report.insert(report.end(), of_service.begin(), of_service.end());
  write_metrics(call, report);
  return has_failed(report) ? 1 : 0;
}

}  // namespace admin
