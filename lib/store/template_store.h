#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "db/connection.h"
#include "model/settings.h"
#include "model/template.h"

// The site's own templates. Errors (all functions): same as db::Connection.

namespace store {

// No site needs more templates, and any client may request all of them at once.
inline constexpr std::int64_t kMaxTemplates = 50;
[[nodiscard]] inline base::Message too_many_templates() {
  return base::Message("There are {maximum} templates already. Delete one first.",
                       {{"maximum", kMaxTemplates}});
}

// Returns all templates sorted by slug.
[[nodiscard]] std::vector<model::Template> all_templates(db::Connection& connection);

[[nodiscard]] std::optional<model::Template> find_template(db::Connection& connection,
                                                           const std::string& slug);

// Stores "value" instead of the template with the same slug, and increments the version. Returns
// whether the template is new.
bool put_template(db::Connection& connection, const model::Template& value);

// Returns whether the template existed.
bool remove_template(db::Connection& connection, const std::string& slug);

// The templates that settings may name: the built-in templates and the site's own templates.
class TemplateChoices {
 public:
  // Contains only the built-in templates.
  TemplateChoices();
  // Reads the site's templates. Errors: same as db::Connection.
  TemplateChoices(db::Connection& connection);
  TemplateChoices(const TemplateChoices&) = delete;
  TemplateChoices& operator=(const TemplateChoices&) = delete;

  // Returns "setting". If the setting selects a template, its choices are the templates in its
  // category. The result is valid as long as this object exists.
  [[nodiscard]] model::Setting of(const model::Setting& setting) const;

 private:
  void add(model::Category category, std::string slug, std::string title);

  std::deque<std::string> texts_;  // a deque, so that strings do not move
  std::array<std::vector<model::Choice>, model::kCategories.size()> choices_;
};

}  // namespace store
