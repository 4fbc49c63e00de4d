#include "analytics/object_titles.h"

#include "model/facets.h"

namespace analytics {
namespace {

// Returns whether everybody may see the title of the object. If a post has a password, WordPress
// shows its title in lists, but does not find it in searches. Here, the title is hidden because the
// author keeps the post from strangers.
bool is_for_everybody(const cms::ContentItem& object, const model::Settings& settings) {
  const bool is_rated = cms::names_own_type(settings.enabled_object_types, object.post_type);
  const bool is_public = object.type_access == cms::TypeAccess::everybody;
  return object.is_published && !object.has_password && (is_public || is_rated);
}

bool is_internal(const cms::ContentItem& object, const model::Settings& settings) {
  return object.type_access == cms::TypeAccess::internal &&
         !cms::names_own_type(settings.enabled_object_types, object.post_type);
}

// Returns the CMS's data about "objects". The data about a facet are the data about its object.
std::map<model::Object, cms::ContentItem> describe(db::Connection& connection, const cms::Cms& cms,
                                                   const model::FacetNames& facets,
                                                   const std::vector<model::Object>& objects) {
  if (facets.empty()) return cms.describe(connection, objects);
  std::vector<model::Object> parents;
  parents.reserve(objects.size());
  for (const model::Object& object : objects) parents.push_back(model::parent_of(object, facets));
  const auto known = cms.describe(connection, parents);
  std::map<model::Object, cms::ContentItem> described;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto found = known.find(parents[i]);
    if (found != known.end()) described.emplace(objects[i], found->second);
  }
  return described;
}

}  // namespace

void ObjectTitles::add(db::Connection& connection, const cms::Cms& cms,
                       const model::Settings& settings, bool sees_unpublished,
                       const std::vector<model::Object>& objects) {
  auto known = describe(connection, cms, settings.facets, objects);
  for (const auto& [object, one] : known) {
    const bool is_unpublished = !one.is_published && !sees_unpublished;
    if (is_unpublished || is_internal(one, settings)) hidden_.insert(object);
  }
  if (!sees_unpublished) {
    std::erase_if(known, [&](const auto& one) { return !is_for_everybody(one.second, settings); });
  }
  known_.merge(known);
}

const cms::ContentItem* ObjectTitles::find(const model::Object& object) const {
  const auto known = known_.find(object);
  return known == known_.end() ? nullptr : &known->second;
}

}  // namespace analytics
