// Measures the cost of verifying one ticket, using the first test vector for each signature
// algorithm.

#include <benchmark/benchmark.h>

#include <stdexcept>

#include "base/crypto.h"
#include "identity/ticket.h"
#include "support/tests_folder.h"
#include "support/wordpress_vectors.h"

namespace {

const json::Value& file() {
  static const json::Value content = [] {
    return json::parse(support::text_in_tests("fixtures/ticket_vectors.json")).value();
  }();
  return content;
}

identity::TicketKey key_named(std::string_view name) {
  for (const json::Value& value : vectors::array(file(), "keys")) {
    if (vectors::text(value, "name") != name) continue;
    identity::TicketKey key;
    key.name = name;
    const bool is_shared = vectors::text(value, "algorithm") == "HS256";
    key.algorithm = is_shared ? identity::TicketAlgorithm::hs256 : identity::TicketAlgorithm::es256;
    key.key = is_shared ? vectors::text(value, "secret")
                        : base::p256_public_key(vectors::text(value, "public_key")).value();
    return key;
  }
  throw std::runtime_error("no such key");
}

const std::string& token_named(std::string_view name) {
  for (const json::Value& vector : vectors::array(file(), "vectors")) {
    if (vectors::text(vector, "name") == name) return vectors::text(vector, "token");
  }
  throw std::runtime_error("no such vector");
}

void check(benchmark::State& state, std::string_view key, std::string_view vector) {
  const identity::Tickets tickets({key_named(key)});
  const std::string& token = token_named(vector);
  const std::vector<std::string> site = {"https://example.org"};
  const base::Time now = vectors::time(file(), "now");
  for (auto step : state) {
    if (!tickets.check(token, site, now)) state.SkipWithError("refused");
  }
}
BENCHMARK_CAPTURE(check, hs256, "shop", "HS256: as it should be");
BENCHMARK_CAPTURE(check, es256, "app", "ES256: as it should be");

}  // namespace

BENCHMARK_MAIN();
