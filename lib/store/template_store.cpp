#include "store/template_store.h"

namespace store {
namespace {

constexpr const char* kRead = "SELECT slug, name, description, category, version, html, css FROM ";

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

TemplateStore::TemplateStore(const std::string& table_prefix)
    : read_all_(kRead + table_prefix + "ratingd_templates ORDER BY slug"),
      read_one_(kRead + table_prefix + "ratingd_templates WHERE slug = ?"),
      put_("INSERT INTO " + table_prefix +
           "ratingd_templates (slug, name, description, category, version, html, css)"
           " VALUES (?, ?, ?, ?, 1, ?, ?) ON DUPLICATE KEY UPDATE"
           " name = VALUES(name), description = VALUES(description), category = VALUES(category),"
           " version = version + 1, html = VALUES(html), css = VALUES(css)"),
      delete_("DELETE FROM " + table_prefix + "ratingd_templates WHERE slug = ?") {}

std::vector<model::Template> TemplateStore::all(db::Connection& connection) const {
  return connection.prepare(read_all_).query().all(template_in);
}

std::optional<model::Template> TemplateStore::find(db::Connection& connection,
                                                   const std::string& slug) const {
  return connection.query(read_one_, slug).first(template_in);
}

bool TemplateStore::put(db::Connection& connection, const model::Template& value) const {
  const std::uint64_t changed = connection.execute(put_, value.slug, value.name, value.description,
                                                   value.category, value.html, value.css);
  return changed == 1;  // a replaced row counts twice
}

}  // namespace store
