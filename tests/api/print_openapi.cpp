// Prints the description of the API, as GET /openapi.json has it, for "make lint".

#include <cstdio>

#include "api/openapi.h"

int main() { return std::puts(api::openapi_description().c_str()) < 0 ? 1 : 0; }
