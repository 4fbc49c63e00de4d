// Prints the description of the API, as GET /openapi.json returns it, for "make lint".

#include <cstdio>

#include "handlers/handlers.h"
#include "openapi/description.h"

int main() {
  const openapi::Description description(handlers::routes());
  return std::puts(description.text().c_str()) < 0 ? 1 : 0;
}
