#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "db/connection.h"
#include "model/template.h"

namespace store {

// The site's own templates.
//
// Safe for concurrent use, each caller with its own connection. Errors of all functions: as
// db::Connection.
class TemplateStore {
 public:
  // No site needs more, and any client may request all of them at once.
  static constexpr std::int64_t kMaxTemplates = 50;
  [[nodiscard]] static base::Message too_many() {
    return base::Message("There are {maximum} templates already. Delete one first.",
                         {{"maximum", kMaxTemplates}});
  }

  explicit TemplateStore(const std::string& table_prefix);

  // All of them, by slug.
  [[nodiscard]] std::vector<model::Template> all(db::Connection& connection) const;

  [[nodiscard]] std::optional<model::Template> find(db::Connection& connection,
                                                    const std::string& slug) const;

  // Stores "value", replacing the template with its slug, and increments its version. Returns
  // whether it is new.
  bool put(db::Connection& connection, const model::Template& value) const;

  // Returns whether there was one.
  bool remove(db::Connection& connection, const std::string& slug) const {
    return connection.execute(delete_, slug) > 0;
  }

 private:
  const std::string read_all_;
  const std::string read_one_;
  const std::string put_;
  const std::string delete_;
};

}  // namespace store
