#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cms {

enum class Health { ok, warn, fail };
[[nodiscard]] std::string_view name_of(Health health);

// The result of one check of "ratingctl doctor" or GET /health.
struct Finding {
  Health health = Health::ok;
  std::string subject;  // a word or two
  std::string text;     // the state; if not ok, also how to fix it
};

// Collects the findings about one subject.
class Findings {
 public:
  // "report" must outlive it.
  Findings(std::string subject, std::vector<Finding>& report)
      : subject_(std::move(subject)), report_(report) {}

  void ok(std::string text) { add(Health::ok, std::move(text)); }
  void warn(std::string text) { add(Health::warn, std::move(text)); }
  void fail(std::string text) { add(Health::fail, std::move(text)); }

 private:
  void add(Health health, std::string text) {
    report_.push_back({health, subject_, std::move(text)});
  }

  const std::string subject_;
  std::vector<Finding>& report_;
};

// Runs a check; an exception becomes a finding, because later checks are still useful. Returns
// whether nothing failed.
bool run_check(const std::string& subject, std::vector<Finding>& report,
               const std::function<void(Findings&)>& check);

}  // namespace cms
