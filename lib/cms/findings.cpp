#include "cms/findings.h"

#include <algorithm>
#include <cstddef>
#include <exception>

namespace cms {

std::string_view name_of(Health health) {
  if (health == Health::ok) return "ok";
  return health == Health::warn ? "warn" : "fail";
}

bool run_check(const Subject& subject, std::vector<Finding>& report,
               const std::function<void(Findings&)>& check) {
  Findings findings(subject, report);
  const std::size_t before = report.size();
  try {
    check(findings);
  } catch (const std::exception& exception) {
    findings.fail(std::string(exception.what()));
  }
  return std::none_of(report.begin() + static_cast<std::ptrdiff_t>(before), report.end(),
                      [](const Finding& finding) { return finding.health == Health::fail; });
}

}  // namespace cms
