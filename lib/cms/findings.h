#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"

namespace cms {

enum class Health { ok, warn, fail };
[[nodiscard]] constexpr std::string_view name_of(Health health) {
  if (health == Health::ok) return "ok";
  return health == Health::warn ? "warn" : "fail";
}

// The subject of a check.
struct Subject {
  std::string name;  // one or two words
  // The title of the check, and advice for the site's owner. The title and the advice are empty if
  // GET /health does not include the check.
  base::Message title = {};
  base::Message advice = {};
};

// The result of one check in "ratingctl doctor" or GET /health.
struct Finding {
  Health health = Health::ok;
  std::string subject;    // the subject's name
  base::Message message;  // the state; if not ok, also what to do
  base::Message title = {};
  base::Message advice = {};  // empty if ok
};

// Collects the findings about one subject.
class Findings {
 public:
  // "report" must outlive this object.
  Findings(Subject subject, std::vector<Finding>& report)
      : subject_(std::move(subject)), report_(report) {}

  void ok(base::Message message) { add(Health::ok, std::move(message)); }
  void warn(base::Message message) { add(Health::warn, std::move(message), subject_.advice); }
  void fail(base::Message message) { add(Health::fail, std::move(message), subject_.advice); }
  // Reports that the subject was not checked. Omits the subject's advice, because advice without a
  // check could be wrong.
  void unchecked(base::Message message) { add(Health::warn, std::move(message)); }

 private:
  void add(Health health, base::Message message, base::Message advice = {}) {
    report_.push_back(
        {health, subject_.name, std::move(message), subject_.title, std::move(advice)});
  }

  const Subject subject_;
  std::vector<Finding>& report_;
};

// Runs a check. If the check throws an exception, adds a finding with the error and does not
// rethrow, because later checks may still be useful. Returns false if the check failed. Otherwise,
// returns true.
inline bool run_check(const Subject& subject, std::vector<Finding>& report,
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
