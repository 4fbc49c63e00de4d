#include "store/template_choices.h"

#include <utility>

#include "templates/builtin_templates.h"

namespace store {

TemplateChoices::TemplateChoices() {
  for (const templates::Builtin& builtin : templates::builtins()) {
    add(builtin.category, std::string(builtin.slug), std::string(builtin.name));
  }
}

TemplateChoices::TemplateChoices(db::Connection& connection) : TemplateChoices() {
  db::Rows row =
      connection.prepare("SELECT slug, name, category FROM {prefix}ratingd_templates ORDER BY slug")
          .query();
  while (row.next()) {
    // Its author chose the name, which may be that of another template.
    add(static_cast<model::Category>(row.integer(3)), row.text(1),
        row.text(2) + " (" + row.text(1) + ")");
  }
}

void TemplateChoices::add(model::Category category, std::string slug, std::string title) {
  const std::string& name = texts_.emplace_back(std::move(slug));
  choices_.at(static_cast<std::size_t>(category))
      .push_back({name, texts_.emplace_back(std::move(title))});
}

model::Setting TemplateChoices::of(const model::Setting& setting) const {
  model::Setting of_site = setting;
  if (setting.template_category) {
    of_site.choices = choices_.at(static_cast<std::size_t>(*setting.template_category));
  }
  return of_site;
}

}  // namespace store
