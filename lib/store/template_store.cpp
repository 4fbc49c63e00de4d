#include "store/template_store.h"

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
    // Append the slug, because several templates may have the same name.
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
namespace {

model::Template template_in(const db::Rows& row) {
  return {.slug = row.text(1),
          .name = row.text(2),
          .description = row.text(3),
          .category = static_cast<model::Category>(row.integer(4)),
          .version = row.integer(5),
          .html = row.text(6),
          .css = row.text(7)};
}

}  // namespace

std::vector<model::Template> all_templates(db::Connection& connection) {
  return connection
      .prepare(
          "SELECT slug, name, description, category, version, html, css"
          " FROM {prefix}ratingd_templates ORDER BY slug")
      .query()
      .all(template_in);
}

std::optional<model::Template> find_template(db::Connection& connection, const std::string& slug) {
  return connection
      .query(
          "SELECT slug, name, description, category, version, html, css"
          " FROM {prefix}ratingd_templates WHERE slug = ?",
          slug)
      .first(template_in);
}

bool put_template(db::Connection& connection, const model::Template& value) {
  const std::uint64_t changed = connection.execute(
      "INSERT INTO {prefix}ratingd_templates"
      " (slug, name, description, category, version, html, css)"
      " VALUES (?, ?, ?, ?, 1, ?, ?) ON DUPLICATE KEY UPDATE"
      " name = VALUES(name), description = VALUES(description), category = VALUES(category),"
      " version = version + 1, html = VALUES(html), css = VALUES(css)",
      value.slug, value.name, value.description, value.category, value.html, value.css);
  return changed == 1;  // MySQL counts a replaced row twice
}

bool remove_template(db::Connection& connection, const std::string& slug) {
  return connection.execute("DELETE FROM {prefix}ratingd_templates WHERE slug = ?", slug) > 0;
}

}  // namespace store
