#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "cms/cms.h"
#include "db/connection.h"
#include "model/rating.h"
#include "model/settings.h"

namespace analytics {

// The types, titles and links of objects in the CMS, if the reader may see them. A value.
class ObjectTitles {
 public:
  // Adds "objects". A facet gets the title of its object. If "sees_unpublished" is true, the reader
  // may see unpublished objects. Errors: as db::Connection.
  void add(db::Connection& connection, const cms::Cms& cms, const model::Settings& settings,
           bool sees_unpublished, const std::vector<model::Object>& objects);

  // Returns the CMS's data about the object, or nullptr if the CMS does not have the object or the
  // reader may not see it.
  [[nodiscard]] const cms::ContentItem* find(const model::Object& object) const;
  // Returns whether lists omit the object. See hidden_objects() in analytics/report.h.
  [[nodiscard]] bool hides(const model::Object& object) const { return hidden_.contains(object); }

 private:
  std::map<model::Object, cms::ContentItem> known_;  // objects that the reader may see
  std::set<model::Object> hidden_;
};

}  // namespace analytics
