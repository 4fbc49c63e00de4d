#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "api/fields.h"
#include "base/text.h"
#include "handlers/handlers.h"
#include "handlers/object_ratings.h"
#include "json/codec.h"
#include "model/settings.h"
#include "store/template_store.h"
#include "templates/render.h"
#include "templates/template_check.h"

namespace handlers {
namespace {

using model::Category;
using model::Template;

const model::Setting& default_setting(Category category) {
  const auto settings = model::all_settings();
  return *std::ranges::find(settings, std::optional(category), &model::Setting::template_category);
}

std::string default_slug(const model::Settings& settings, Category category) {
  return model::to_text(default_setting(category).get(settings));
}

// Returns the built-in or site-specific template with the given slug, or nothing if there is no
// such template.
std::optional<Template> find_template(const api::Core& core, const api::Templates& templates,
                                      const std::string& slug) {
  if (!model::is_slug(slug)) return std::nullopt;
  const auto builtin = std::ranges::find(templates.builtin, slug, &Template::slug);
  if (builtin != templates.builtin.end()) return *builtin;
  return core.sessions.with_session(
      [&](db::Connection& connection) { return store::find_template(connection, slug); });
}

// Returns the template selected for "category" in the settings. If the selected template was
// deleted or now has another category, returns the default template of a new installation.
Template default_template(const api::Core& core, const api::Templates& templates,
                          const model::Settings& settings, Category category) {
  auto widget_template = find_template(core, templates, default_slug(settings, category));
  if (widget_template && widget_template->category == category) return *std::move(widget_template);
  return find_template(core, templates, default_slug(model::Settings(), category)).value();
}

api::Error no_such_template() {
  return {api::ErrorCode::not_found, base::Message("There is no such template.")};
}

void write_template(json::Writer& json, const Template& widget_template, bool is_default) {
  json.begin_object()
      .key("slug")
      .string(widget_template.slug)
      .key("name")
      .string(widget_template.name);
  json.key("description").string(widget_template.description);
  json.key("category")
      .string(name_of(widget_template.category))
      .key("version")
      .integer(widget_template.version);
  json.key("html").string(widget_template.html).key("css").string(widget_template.css);
  json.key("builtin").boolean(model::is_builtin(widget_template.slug));
  json.key("default").boolean(is_default);
  json.end_object();
}

api::Answer template_answer(const api::Core& core, const api::Templates& templates,
                            const Template& widget_template, const api::Call& call) {
  const Template chosen =
      default_template(core, templates, call.site.settings, widget_template.category);
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data");
  write_template(json, widget_template, widget_template.slug == chosen.slug);
  json.end_object();
  return answer;
}

tl::expected<Template, api::Error> read_new_template(const api::Call& call) {
  using Presence = api::Fields::Presence;
  api::Fields fields(call.parameters);
  Template widget_template;
  widget_template.slug = fields.string("slug", Presence::required).value_or("");
  widget_template.name = fields.string("name", Presence::required).value_or("");
  widget_template.description = fields.string("description", Presence::optional).value_or("");
  widget_template.category =
      fields.category("category", Presence::required).value_or(Category::binary);
  widget_template.html = fields.string("html", Presence::required).value_or("");
  widget_template.css = fields.string("css", Presence::optional).value_or("");
  if (!fields.error()) {
    for (auto& problem : templates::check_template(widget_template)) {
      fields.reject(problem.field, problem.code, std::move(problem.message));
    }
  }
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return widget_template;
}

// If a setting requires the template to remain in "category", returns the reason. Otherwise,
// returns nothing.
std::optional<base::Message> reason_to_stay(const api::Call& call, const std::string& slug,
                                            Category category) {
  if (slug != default_slug(call.site.settings, category)) return std::nullopt;
  const model::Setting& setting = default_setting(category);
  return base::Message(
      "The \"{title}\" setting uses the {slug} template. Choose another template in this "
      "setting first.",
      {{"slug", slug}, {"title", base::Message(std::string(setting.title))}});
}

// Returns an error if the given template must not be stored. Otherwise, returns nothing.
std::optional<api::Error> refuse_to_store(const api::Core& core, const api::Templates& templates,
                                          const api::Call& call, const Template& given) {
  constexpr auto kMax = store::kMaxTemplates;
  const auto before = find_template(core, templates, given.slug);
  if (before) {
    if (before->category == given.category) return std::nullopt;
    auto reason = reason_to_stay(call, given.slug, before->category);
    if (!reason) return std::nullopt;
    return api::invalid_parameter("category", "rest_invalid_param", *std::move(reason));
  }
  const std::vector<Template> all = core.sessions.with_session(
      [&](db::Connection& connection) { return store::all_templates(connection); });
  if (std::ssize(all) < kMax) return std::nullopt;
  return api::invalid_parameter("slug", "rest_invalid_param", store::too_many_templates());
}

// --- Previews

constexpr std::array<std::string_view, 3> kSizes = {"small", "medium", "large"};
constexpr int kMedium = 1;

struct PreviewRequest {
  std::optional<Category> category;
  std::string slug;  // empty for the default template
  std::optional<std::uint64_t> object_id;
  std::string object_type;
  std::string_view size;
  std::optional<bool> dark_mode;
  bool shows_counts;
};

tl::expected<PreviewRequest, api::Error> read_request(const api::Call& call) {
  constexpr std::size_t kMaxSlug = 129;
  api::Fields fields(call.parameters);
  PreviewRequest preview;
  preview.category = fields.category("category", api::Fields::Presence::optional);
  preview.slug =
      fields.text("template", api::Fields::Presence::optional, {.maximum = kMaxSlug}).value_or("");
  if (call.parameters.find("object_id") != nullptr)
    preview.object_id = fields.object_id("object_id");
  preview.object_type = fields.object_type("object_type").value_or("post");
  preview.size =
      kSizes.at(static_cast<std::size_t>(fields.choice("size", kSizes).value_or(kMedium)));
  preview.dark_mode = fields.boolean("dark_mode");
  preview.shows_counts = fields.boolean("show_counts").value_or(true);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return preview;
}

tl::expected<model::Template, api::Error> choose_template(const api::Core& core,
                                                          const api::Templates& templates,
                                                          const api::Call& call,
                                                          const PreviewRequest& preview) {
  if (preview.slug.empty()) {
    // The list of enabled categories is never empty, because the settings require at least one
    // category.
    const model::Settings& settings = call.site.settings;
    const Category first = settings.enabled_categories.front();
    return default_template(core, templates, settings, preview.category.value_or(first));
  }
  auto chosen = find_template(core, templates, preview.slug);
  if (!chosen) return tl::unexpected(no_such_template());
  if (!preview.category || *preview.category == chosen->category) return *std::move(chosen);
  return tl::unexpected(api::invalid_parameter(
      "category", "rest_not_in_enum",
      base::Message("The “category” parameter must be {names}, the category of the template.",
                    {{"names", std::string(name_of(chosen->category))}})));
}

model::Stats sample_stats() {
  model::Stats stats;
  stats[0] = {.sum = 113'000, .bins = {15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 113}, .last_rated_at = {}};
  stats[1] = {.sum = 84'000, .bins = {12, 0, 0, 0, 0, 20, 0, 0, 0, 0, 96}, .last_rated_at = {}};
  stats[2] = {.sum = 107'200, .bins = {1, 0, 2, 0, 5, 0, 14, 0, 48, 0, 58}, .last_rated_at = {}};
  return stats;
}

// Returns the stats of the previewed object, or nothing if the object has no ratings in the
// category.
std::optional<model::Stats> stats_of(const api::Core& core, const api::Reading& reading,
                                     const PreviewRequest& preview, Category category) {
  if (!preview.object_id) return std::nullopt;
  const model::Object object{*preview.object_id, preview.object_type};
  const model::Stats stats = reading.stats.read(core.sessions, {&object, 1}).front();
  if (stats[static_cast<std::size_t>(category)].total() == 0) return std::nullopt;
  return stats;
}

std::string_view color_scheme(const PreviewRequest& preview) {
  if (!preview.dark_mode) return "auto";
  return *preview.dark_mode ? "dark" : "light";
}

}  // namespace

api::Result list_templates(const api::Core& core, const api::Templates& templates,
                           const api::Call& call) {
  api::Fields fields(call.parameters);
  const auto category = fields.category("category", api::Fields::Presence::optional);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  std::vector<Template> all = core.sessions.with_session(
      [&](db::Connection& connection) { return store::all_templates(connection); });
  all.insert(all.end(), templates.builtin.begin(), templates.builtin.end());
  std::ranges::sort(all, {}, &Template::slug);

  std::vector<std::string> defaults;
  defaults.reserve(model::kCategories.size());
  for (const Category one : model::kCategories) {
    defaults.push_back(default_template(core, templates, call.site.settings, one).slug);
  }
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_array();
  for (const Template& widget_template : all) {
    if (category && widget_template.category != *category) continue;
    write_template(json, widget_template,
                   std::ranges::find(defaults, widget_template.slug) != defaults.end());
  }
  json.end_array().end_object();
  return answer;
}

api::Result read_template(const api::Core& core, const api::Templates& templates,
                          const api::Call& call) {
  const auto widget_template = find_template(core, templates, base::to_lower(call.argument));
  if (!widget_template) return tl::unexpected(no_such_template());
  return template_answer(core, templates, *widget_template, call);
}

api::Result put_template(const api::Core& core, const api::Templates& templates,
                         const api::Call& call) {
  auto widget_template = read_new_template(call);
  if (!widget_template) return tl::unexpected(std::move(widget_template.error()));
  if (auto refusal = refuse_to_store(core, templates, call, *widget_template)) {
    return tl::unexpected(*std::move(refusal));
  }
  const auto [is_new, stored] = core.sessions.with_session([&](db::Connection& connection) {
    const bool is_first = store::put_template(connection, *widget_template);
    return std::pair(is_first, store::find_template(connection, widget_template->slug));
  });
  core.log.info("template_stored", {{"request", call.request.id}, {"slug", widget_template->slug}});
  // "stored" is empty if another request has already deleted the new template.
  api::Answer answer = template_answer(core, templates, stored.value_or(*widget_template), call);
  if (!is_new) return answer;
  answer.status = 201;
  answer.headers.push_back({"Location", core.base_path + "/templates/" + widget_template->slug});
  return answer;
}

api::Result delete_template(const api::Core& core, const api::Templates& templates,
                            const api::Call& call) {
  const std::string slug = base::to_lower(call.argument);
  const auto widget_template = find_template(core, templates, slug);
  if (!widget_template) return tl::unexpected(no_such_template());
  if (model::is_builtin(slug)) {
    return tl::unexpected(api::Error{api::ErrorCode::forbidden,
                                     base::Message("Built-in templates cannot be deleted.")});
  }
  if (auto reason = reason_to_stay(call, slug, widget_template->category)) {
    return tl::unexpected(api::Error{api::ErrorCode::forbidden, *std::move(reason)});
  }
  const bool was_there = core.sessions.with_session(
      [&](db::Connection& connection) { return store::remove_template(connection, slug); });
  if (!was_there) return tl::unexpected(no_such_template());
  core.log.info("template_deleted", {{"request", call.request.id}, {"slug", slug}});
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key("deleted").boolean(true).key("previous");
  write_template(json, *widget_template, false);
  json.end_object().end_object();
  return answer;
}

api::Result preview(const api::Core& core, const api::Reading& reading,
                    const api::Templates& templates, const api::Call& call) {
  const auto preview = read_request(call);
  if (!preview) return tl::unexpected(preview.error());
  const auto chosen = choose_template(core, templates, call, *preview);
  if (!chosen) return tl::unexpected(chosen.error());
  const auto real_stats = stats_of(core, reading, *preview, chosen->category);
  const model::Stats stats = real_stats.value_or(sample_stats());
  const templates::Widget widget{
      .object_id = preview->object_id ? std::to_string(*preview->object_id) : "",
      .object_type = preview->object_type,
      .size = preview->size,
      .color_scheme = color_scheme(*preview),
      .shows_counts = preview->shows_counts,
      .totals = stats[static_cast<std::size_t>(chosen->category)]};

  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true);
  json.key("html").string(templates::render(*chosen, widget)).key("css").string(chosen->css);
  json.key("template").string(chosen->slug).key("category").string(name_of(chosen->category));
  write_stats(json, stats);
  json.key("sample").boolean(!real_stats.has_value()).end_object();
  return answer;
}

}  // namespace handlers
