#include "api/preview.h"

#include <array>
#include <utility>

#include "api/fields.h"
#include "api/ratings_json.h"
#include "api/templates.h"
#include "json/codec.h"
#include "templates/render.h"

namespace api {
namespace {

using model::Category;

constexpr std::array<std::string_view, 3> kSizes = {"small", "medium", "large"};
constexpr int kMedium = 1;

// What is asked for.
struct ExportRequest {
  std::optional<Category> category;
  std::string slug;  // empty: the default
  std::optional<std::uint64_t> object_id;
  std::string object_type;
  std::string_view size;
  std::optional<bool> dark_mode;
  bool shows_counts;
};

tl::expected<ExportRequest, Error> read_wish(const Call& call) {
  constexpr std::size_t kMaxSlug = 129;
  Fields fields(call.parameters);
  ExportRequest wish;
  wish.category = fields.category("category", Fields::Presence::optional);
  wish.slug =
      fields.text("template", Fields::Presence::optional, {.maximum = kMaxSlug}).value_or("");
  if (call.parameters.find("object_id") != nullptr) wish.object_id = fields.object_id("object_id");
  wish.object_type = fields.object_type("object_type").value_or("post");
  wish.size = kSizes.at(static_cast<std::size_t>(fields.choice("size", kSizes).value_or(kMedium)));
  wish.dark_mode = fields.boolean("dark_mode");
  wish.shows_counts = fields.boolean("show_counts").value_or(true);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return wish;
}

tl::expected<model::Template, Error> choose_template(const App& app, const Call& call,
                                                     const ExportRequest& wish) {
  if (wish.slug.empty()) {
    // There is always one: the settings demand it.
    const model::Settings& settings = call.site.settings;
    const Category first = settings.enabled_categories.front();
    return default_template(app, settings, wish.category.value_or(first));
  }
  auto look = find_template(app, wish.slug);
  if (!look) return tl::unexpected(no_such_template());
  if (!wish.category || *wish.category == look->category) return *std::move(look);
  const std::string sentence = must_be_one_of("category", {std::string(name_of(look->category))});
  return tl::unexpected(
      Error{.code = ErrorCode::invalid_parameters,
            .fields = {{"category", "rest_not_in_enum",
                        sentence.substr(0, sentence.size() - 1) + ", as the template is."}}});
}

model::Stats sample_stats() {
  model::Stats stats;
  stats[0] = {.sum = 113'000, .bins = {15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 113}, .last_rated_at = {}};
  stats[1] = {.sum = 84'000, .bins = {12, 0, 0, 0, 0, 20, 0, 0, 0, 0, 96}, .last_rated_at = {}};
  stats[2] = {.sum = 107'200, .bins = {1, 0, 2, 0, 5, 0, 14, 0, 48, 0, 58}, .last_rated_at = {}};
  return stats;
}

// The numbers of the object, if there are some for the category.
std::optional<model::Stats> stats_of(const App& app, const ExportRequest& wish, Category category,
                                     base::Time now) {
  if (!wish.object_id) return std::nullopt;
  const model::Object object{*wish.object_id, wish.object_type};
  const model::Stats stats = app.stats.read(app.sessions, {&object, 1}, now).front();
  if (stats[static_cast<std::size_t>(category)].total() == 0) return std::nullopt;
  return stats;
}

std::string_view color_scheme(const ExportRequest& wish) {
  if (!wish.dark_mode) return "auto";
  return *wish.dark_mode ? "dark" : "light";
}

}  // namespace

Result preview(const App& app, const Call& call) {
  const auto wish = read_wish(call);
  if (!wish) return tl::unexpected(wish.error());
  const auto look = choose_template(app, call, *wish);
  if (!look) return tl::unexpected(look.error());
  const auto real_stats = stats_of(app, *wish, look->category, call.request.received_at);
  const model::Stats stats = real_stats.value_or(sample_stats());
  const templates::Widget widget{
      .object_id = wish->object_id ? std::to_string(*wish->object_id) : "",
      .object_type = wish->object_type,
      .size = wish->size,
      .color_scheme = color_scheme(*wish),
      .shows_counts = wish->shows_counts,
      .totals = stats[static_cast<std::size_t>(look->category)]};

  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true);
  json.key("html").string(templates::render(*look, widget)).key("css").string(look->css);
  json.key("template").string(look->slug).key("category").string(name_of(look->category));
  write_stats(json, stats);
  json.key("sample").boolean(!real_stats.has_value()).end_object();
  return answer;
}

}  // namespace api
