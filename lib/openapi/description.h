#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "api/routes.h"

namespace openapi {

// The OpenAPI description of the service. It joins the documents (documents.h) and adds everything
// that can be derived from the documents, the routes and the settings. The description is computed
// when it is first used. Safe for concurrent use.
class Description {
 public:
  // "routes" must outlive this object.
  explicit Description(std::span<const api::Route> routes);
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  ~Description() = default;

  // Returns the description as JSON. The default base path occurs in the text exactly once.
  [[nodiscard]] const std::string& text() const;

  // Returns the parameters of "route" in the form that WordPress uses for the arguments of its
  // routes. "route" must be an element of the constructor's "routes". The result is a JSON object.
  // For each parameter in the path, the query and the body, the description contains the schema and
  // says whether the parameter is required. Schemas are complete, without references. Members in
  // nested objects are left out.
  [[nodiscard]] const std::string& arguments_of(const api::Route& route) const;

 private:
  const std::span<const api::Route> routes_;
  mutable std::once_flag is_described_;
  mutable std::string text_;
  mutable std::once_flag has_arguments_;
  mutable std::vector<std::string> arguments_;  // in the order of the routes
};

}  // namespace openapi
