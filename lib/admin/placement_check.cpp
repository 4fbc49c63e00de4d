#include "admin/placement_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text.h"

namespace admin {
namespace {

using cms::PlacedRating;
using model::Category;

bool is_enabled(const PlacedRating& rating, const std::vector<std::string>& enabled) {
  return enabled.empty() || std::ranges::any_of(enabled, [&](const std::string& one) {
           return one == rating.type ||
                  (rating.is_post && (one == "post" || one == "post:" + rating.type));
         });
}

// Returns the rating category of a widget, or nothing if the widget's template does not exist.
std::optional<Category> category_of(const PlacedRating& rating, const model::Settings& settings,
                                    const std::map<std::string, Category>& templates) {
  if (rating.group == "reactions") return Category::binary;
  if (rating.group == "criteria") return Category::scale;
  const std::string& slug =
      rating.template_slug.empty() ? settings.default_template_scale : rating.template_slug;
  const auto found = templates.find(slug);
  return found == templates.end() ? std::nullopt : std::optional(found->second);
}

void check_rating(const PlacedRating& rating, const model::Settings& settings,
                  const std::map<std::string, Category>& templates, cms::Findings& findings) {
  const std::string where =
      fmt::format("a rating is placed on content of the type {}", rating.type);
  if (!is_enabled(rating, settings.enabled_object_types)) {
    findings.warn(where +
                  ", which the setting enabled_object_types does not allow; add the type, "
                  "or place no rating there");
  }
  const auto category = category_of(rating, settings, templates);
  const auto& categories = settings.enabled_categories;
  if (!category) {
    findings.warn(fmt::format("{}, but its template {} does not exist; choose another template",
                              where, rating.template_slug));
  } else if (std::ranges::find(categories, *category) == categories.end()) {
    findings.warn(fmt::format(
        "{}, but the setting enabled_categories does not have {}; add it, or choose another "
        "template",
        where, name_of(*category)));
  }
  std::vector<std::string> unknown;
  std::ranges::copy_if(rating.names, std::back_inserter(unknown), [&](const std::string& name) {
    return !rating.group.empty() &&
           std::ranges::find(settings.facets, name) == settings.facets.end();
  });
  if (!unknown.empty()) {
    findings.warn(fmt::format("{} with names that the setting facets does not have: {}", where,
                              base::joined(unknown)));
  }
}

}  // namespace

void check_placement(const std::vector<PlacedRating>& placed, bool may_register,
                     const model::Settings& settings,
                     const std::map<std::string, Category>& templates, cms::Findings& findings) {
  if (placed.empty()) return findings.ok(std::string("the CMS places no ratings by itself"));
  if (!settings.enabled) {
    findings.warn(
        std::string("ratings are placed, but the setting enabled is false, so nobody can rate"));
  }
  if (settings.require_login && !may_register) {
    findings.warn(
        std::string("the setting require_login is true, and nobody can register on the site; allow "
                    "registrations in the CMS, or let visitors rate without a login"));
  }
  for (const PlacedRating& rating : placed) check_rating(rating, settings, templates, findings);
  findings.ok(fmt::format("ratings are placed on content of the types: {}",
                          base::joined(placed, ", ", &PlacedRating::type)));
}

}  // namespace admin
