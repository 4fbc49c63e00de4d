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

// Functions for a site's own templates. All functions throw the same exceptions as db::Connection.

namespace store {

// The maximum number of templates that a site can define. The number of templates is limited
// because any client may request all templates at once.
inline constexpr std::int64_t kMaxTemplates = 50;
[[nodiscard]] inline base::Message too_many_templates() {
  return base::Message(
      "There are already {maximum} templates. Delete a template before you create another.",
      {{"maximum", kMaxTemplates}});
}

// Returns all templates sorted by slug.
[[nodiscard]] std::vector<model::Template> all_templates(db::Connection& connection);

[[nodiscard]] std::optional<model::Template> find_template(db::Connection& connection,
                                                           const std::string& slug);

// Stores a template. If a template with the same slug exists, replaces it and increments its
// version. Returns true if no template with the same slug existed before.
bool put_template(db::Connection& connection, const model::Template& value);

// Deletes a template and returns whether the template existed.
bool remove_template(db::Connection& connection, const std::string& slug);

// The templates that settings may select: the built-in templates and the site's own templates.
class TemplateChoices {
 public:
  // Creates an object with only the built-in templates.
  TemplateChoices();
  // Creates an object with the built-in templates and the site's own templates. Throws the same
  // exceptions as db::Connection.
  TemplateChoices(db::Connection& connection);
  TemplateChoices(const TemplateChoices&) = delete;
  TemplateChoices& operator=(const TemplateChoices&) = delete;

  // Returns the definition of "setting" with a complete list of choices. If the setting selects a
  // template, the choices are all templates in the setting's category. The result is valid only
  // while this TemplateChoices object exists.
  [[nodiscard]] model::Setting of(const model::Setting& setting) const;

  // Adds a template in the given category to the choices.
  void add(model::Category category, std::string slug, std::string title);

 private:
  std::deque<std::string> texts_;  // a deque, so that strings do not move
  std::array<std::vector<model::Choice>, model::kCategories.size()> choices_;
};

}  // namespace store
