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

// Types in the CMS, titles and links of objects, as far as a reader may see them. A value.
class ObjectTitles {
 public:
  // Adds "objects". A facet has the title of its object. Errors: as db::Connection.
  void add(db::Connection& connection, const cms::Cms& cms, const model::Settings& settings,
           bool sees_unpublished, const std::vector<model::Object>& objects);

  // The CMS's data about the object; nullptr if there is none that the reader may see.
  [[nodiscard]] const cms::ContentItem* find(const model::Object& object) const;
  // Whether lists omit the object; see hidden_objects() in analytics/report.h.
  [[nodiscard]] bool hides(const model::Object& object) const { return hidden_.contains(object); }

 private:
  std::map<model::Object, cms::ContentItem> known_;  // visible to the reader
  std::set<model::Object> hidden_;
};

}  // namespace analytics
