// Prints the API description that GET /openapi.json returns. "make lint" validates the printed
// description.

#include <cstdio>

#include "handlers/handlers.h"
#include "openapi/description.h"

int main() {
  const openapi::Description description(handlers::routes());
  return std::puts(description.text().c_str()) < 0 ? 1 : 0;
}
