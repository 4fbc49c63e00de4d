#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "api/routes.h"

namespace openapi {

// Creates the OpenAPI description of the service from the JSON documents (documents.h), the routes
// and the settings. The OpenAPI description is created when it is first needed. The class is
// thread-safe.
class Description {
 public:
  // "routes" must outlive the Description object.
  explicit Description(std::span<const api::Route> routes);
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  ~Description() = default;

  // Returns the description as JSON. The JSON text contains the default base path exactly once.
  [[nodiscard]] const std::string& text() const;

  // Returns the route's parameters as a JSON object in the format of WordPress route arguments.
  // "route" must be an element of the "routes" list passed to the constructor. For each parameter
  // in the path, query or body, this JSON object contains the parameter's schema and whether the
  // parameter is required. The parameters' schemas contain no references and do not describe the
  // members of nested objects.
  [[nodiscard]] const std::string& arguments_of(const api::Route& route) const;

 private:
  const std::span<const api::Route> routes_;
  mutable std::once_flag is_described_;
  mutable std::string text_;
  mutable std::once_flag has_arguments_;
  mutable std::vector<std::string> arguments_;  // in the order of the routes
};

}  // namespace openapi
