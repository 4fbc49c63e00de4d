#include <array>
#include <utility>

#include "api/fields.h"
#include "api/handlers.h"
#include "api/ratings_json.h"
#include "api/templates.h"
#include "json/codec.h"
#include "templates/render.h"

namespace api {
namespace {

using model::Category;

constexpr std::array<std::string_view, 3> kSizes = {"small", "medium", "large"};
constexpr int kMedium = 1;

// The parameters of a preview.
struct PreviewRequest {
  std::optional<Category> category;
  std::string slug;  // empty: the default
  std::optional<std::uint64_t> object_id;
  std::string object_type;
  std::string_view size;
  std::optional<bool> dark_mode;
  bool shows_counts;
};

tl::expected<PreviewRequest, Error> read_request(const Call& call) {
  constexpr std::size_t kMaxSlug = 129;
  Fields fields(call.parameters);
  PreviewRequest preview;
  preview.category = fields.category("category", Fields::Presence::optional);
  preview.slug =
      fields.text("template", Fields::Presence::optional, {.maximum = kMaxSlug}).value_or("");
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

tl::expected<model::Template, Error> choose_template(const App& app, const Call& call,
                                                     const PreviewRequest& preview) {
  if (preview.slug.empty()) {
    // Never empty: the settings require a category.
    const model::Settings& settings = call.site.settings;
    const Category first = settings.enabled_categories.front();
    return default_template(app, settings, preview.category.value_or(first));
  }
  auto chosen = find_template(app, preview.slug);
  if (!chosen) return tl::unexpected(no_such_template());
  if (!preview.category || *preview.category == chosen->category) return *std::move(chosen);
  return tl::unexpected(
      invalid_parameter("category", "rest_not_in_enum",
                        base::Message("category must be {names}, as the template is.",
                                      {{"names", std::string(name_of(chosen->category))}})));
}

model::Stats sample_stats() {
  model::Stats stats;
  stats[0] = {.sum = 113'000, .bins = {15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 113}, .last_rated_at = {}};
  stats[1] = {.sum = 84'000, .bins = {12, 0, 0, 0, 0, 20, 0, 0, 0, 0, 96}, .last_rated_at = {}};
  stats[2] = {.sum = 107'200, .bins = {1, 0, 2, 0, 5, 0, 14, 0, 48, 0, 58}, .last_rated_at = {}};
  return stats;
}

// The object's stats, if it has ratings in the category.
std::optional<model::Stats> stats_of(const App& app, const PreviewRequest& preview,
                                     Category category) {
  if (!preview.object_id) return std::nullopt;
  const model::Object object{*preview.object_id, preview.object_type};
  const model::Stats stats = app.stats.read(app.sessions, {&object, 1}).front();
  if (stats[static_cast<std::size_t>(category)].total() == 0) return std::nullopt;
  return stats;
}

std::string_view color_scheme(const PreviewRequest& preview) {
  if (!preview.dark_mode) return "auto";
  return *preview.dark_mode ? "dark" : "light";
}

}  // namespace

Result preview(const App& app, const Call& call) {
  const auto preview = read_request(call);
  if (!preview) return tl::unexpected(preview.error());
  const auto chosen = choose_template(app, call, *preview);
  if (!chosen) return tl::unexpected(chosen.error());
  const auto real_stats = stats_of(app, *preview, chosen->category);
  const model::Stats stats = real_stats.value_or(sample_stats());
  const templates::Widget widget{
      .object_id = preview->object_id ? std::to_string(*preview->object_id) : "",
      .object_type = preview->object_type,
      .size = preview->size,
      .color_scheme = color_scheme(*preview),
      .shows_counts = preview->shows_counts,
      .totals = stats[static_cast<std::size_t>(chosen->category)]};

  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true);
  json.key("html").string(templates::render(*chosen, widget)).key("css").string(chosen->css);
  json.key("template").string(chosen->slug).key("category").string(name_of(chosen->category));
  write_stats(json, stats);
  json.key("sample").boolean(!real_stats.has_value()).end_object();
  return answer;
}

}  // namespace api
