#include "api/templates.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/fields.h"
#include "base/bytes.h"
#include "json/codec.h"
#include "templates/template_check.h"

namespace api {
namespace {

using model::Category;
using model::Template;

const std::string& default_slug(const model::Settings& settings, Category category) {
  switch (category) {
    case Category::binary:
      return settings.default_template_binary;
    case Category::bipolar:
      return settings.default_template_bipolar;
    case Category::scale:
      break;
  }
  return settings.default_template_scale;
}

void write_template(json::Writer& json, const Template& look, bool is_default) {
  json.begin_object().key("slug").string(look.slug).key("name").string(look.name);
  json.key("description").string(look.description);
  json.key("category").string(name_of(look.category)).key("version").integer(look.version);
  json.key("html").string(look.html).key("css").string(look.css);
  json.key("builtin").boolean(model::is_builtin(look.slug));
  json.key("default").boolean(is_default);
  json.end_object();
}

Answer template_answer(const App& app, const Template& look, const Call& call) {
  const Template chosen = default_template(app, call.site.settings, look.category);
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data");
  write_template(json, look, look.slug == chosen.slug);
  json.end_object();
  return answer;
}

tl::expected<Template, Error> read_new_template(const Call& call) {
  using Presence = Fields::Presence;
  Fields fields(call.parameters);
  Template look;
  look.slug = fields.string("slug", Presence::required).value_or("");
  look.name = fields.string("name", Presence::required).value_or("");
  look.description = fields.string("description", Presence::optional).value_or("");
  look.category = fields.category("category", Presence::required).value_or(Category::binary);
  look.html = fields.string("html", Presence::required).value_or("");
  look.css = fields.string("css", Presence::optional).value_or("");
  if (!fields.error()) {
    for (auto& problem : templates::check_template(look)) {
      fields.reject(problem.field, problem.code, std::move(problem.message));
    }
  }
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return look;
}

Error too_many_templates() {
  return {.code = ErrorCode::invalid_parameters,
          .fields = {{"slug", "rest_invalid_param",
                      "There are " + std::to_string(store::TemplateStore::kMaxTemplates) +
                          " templates already. Delete one first."}}};
}

}  // namespace

std::optional<Template> find_template(const App& app, const std::string& slug) {
  if (!model::is_slug(slug)) return std::nullopt;
  const auto builtin = std::ranges::find(app.builtin_templates, slug, &Template::slug);
  if (builtin != app.builtin_templates.end()) return *builtin;
  return app.sessions.with_session(
      [&](db::Connection& connection) { return app.templates.find(connection, slug); });
}

Template default_template(const App& app, const model::Settings& settings, Category category) {
  auto look = find_template(app, default_slug(settings, category));
  if (look && look->category == category) return *std::move(look);
  return find_template(app, default_slug(model::Settings(), category)).value();
}

Error no_such_template() { return {ErrorCode::not_found, "There is no such template."}; }

Result list_templates(const App& app, const Call& call) {
  Fields fields(call.parameters);
  const auto category = fields.category("category", Fields::Presence::optional);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  std::vector<Template> all = app.sessions.with_session(
      [&](db::Connection& connection) { return app.templates.all(connection); });
  all.insert(all.end(), app.builtin_templates.begin(), app.builtin_templates.end());
  std::ranges::sort(all, {}, &Template::slug);

  std::vector<std::string> defaults;
  defaults.reserve(model::kCategories.size());
  for (const Category one : model::kCategories) {
    defaults.push_back(default_template(app, call.site.settings, one).slug);
  }
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_array();
  for (const Template& look : all) {
    if (category && look.category != *category) continue;
    write_template(json, look, std::ranges::find(defaults, look.slug) != defaults.end());
  }
  json.end_array().end_object();
  return answer;
}

Result read_template(const App& app, const Call& call) {
  const auto look = find_template(app, base::to_lower(call.argument));
  if (!look) return tl::unexpected(no_such_template());
  return template_answer(app, *look, call);
}

Result put_template(const App& app, const Call& call) {
  auto look = read_new_template(call);
  if (!look) return tl::unexpected(std::move(look.error()));
  using Store = store::TemplateStore;
  const bool has_room = app.sessions.with_session([&](db::Connection& connection) {
    return app.templates.find(connection, look->slug).has_value() ||
           std::ssize(app.templates.all(connection)) < Store::kMaxTemplates;
  });
  if (!has_room) return tl::unexpected(too_many_templates());
  const auto [is_new, stored] = app.sessions.with_session([&](db::Connection& connection) {
    const bool is_first = app.templates.put(connection, *look);
    return std::pair(is_first, app.templates.find(connection, look->slug));
  });
  app.log.info("template_stored", {{"request", call.request.id}, {"slug", look->slug}});
  // Somebody may have deleted it meanwhile.
  Answer answer = template_answer(app, stored.value_or(*look), call);
  if (!is_new) return answer;
  answer.status = 201;
  answer.headers.push_back({"Location", app.base_path + "/templates/" + look->slug});
  return answer;
}

Result delete_template(const App& app, const Call& call) {
  const std::string slug = base::to_lower(call.argument);
  const auto look = find_template(app, slug);
  if (!look) return tl::unexpected(no_such_template());
  if (model::is_builtin(slug)) {
    return tl::unexpected(Error{ErrorCode::forbidden, "Built-in templates cannot be deleted."});
  }
  const bool was_there = app.sessions.with_session(
      [&](db::Connection& connection) { return app.templates.remove(connection, slug); });
  if (!was_there) return tl::unexpected(no_such_template());
  app.log.info("template_deleted", {{"request", call.request.id}, {"slug", slug}});
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key("deleted").boolean(true).key("previous");
  write_template(json, *look, look->slug == default_slug(call.site.settings, look->category));
  json.end_object().end_object();
  return answer;
}

}  // namespace api
