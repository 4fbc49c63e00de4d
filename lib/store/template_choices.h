#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "db/connection.h"
#include "model/setting.h"

namespace store {

// The templates that settings may name: the built-in ones and the site's own.
class TemplateChoices {
 public:
  // The built-in ones alone.
  TemplateChoices();
  // Reads the site's templates. Errors: as db::Connection.
  TemplateChoices(db::Connection& connection);
  TemplateChoices(const TemplateChoices&) = delete;
  TemplateChoices& operator=(const TemplateChoices&) = delete;

  // "setting"; if it names a template, those of its category are its choices. The result is valid
  // as long as this.
  [[nodiscard]] model::Setting of(const model::Setting& setting) const;

 private:
  void add(model::Category category, std::string slug, std::string title);

  std::deque<std::string> texts_;  // do not move
  std::array<std::vector<model::Choice>, model::kCategories.size()> choices_;
};

}  // namespace store
