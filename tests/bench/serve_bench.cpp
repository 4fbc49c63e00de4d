// Measures the cost of the cache, and the cost of a request in a worker. The cost of a request
// includes reading the bytes from nginx and sending the response to nginx.
//
//   tests/sandbox/with_mariadb.py build/release/tests/bench/serve_bench
//
// The following command counts the instructions that one request executes in each function. The
// number of instructions does not depend on the load on the machine.
//
//   tests/sandbox/with_mariadb.py valgrind --tool=callgrind --collect-atstart=no
//     '--toggle-collect=fcgi::Exchange::answer*' build/release/tests/bench/serve_bench
//     --benchmark_filter=Request/cached

#include <benchmark/benchmark.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fcgi/exchange.h"
#include "support/cache_memory.h"
#include "support/serve.h"
#include "support/service.h"

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

constexpr base::Time kNow(std::chrono::seconds(1'795'000'000));

// --- FastCGI requests in nginx's format ----------------------------------------------------------

std::string record(char type, const std::string& content) {
  std::string text = {1, type, 0, 1};
  text += static_cast<char>(content.size() >> 8U);
  text += static_cast<char>(content.size() & 0xFFU);
  text += std::string(2, '\0');
  return text + content;
}

std::string request_bytes(const Parameters& parameters) {
  constexpr char kBegin = 1, kParameters = 4, kInput = 5, kResponder = 1, kKeepConnection = 1;
  std::string pairs;
  for (const auto& [name, value] : parameters) {
    pairs += static_cast<char>(name.size());
    pairs += static_cast<char>(value.size());  // below 128
    pairs += name + value;
  }
  return record(kBegin, {0, kResponder, kKeepConnection, 0, 0, 0, 0, 0}) +
         record(kParameters, pairs) + record(kParameters, "") + record(kInput, "");
}

// Returns a GET request as nginx sends it to a worker, with a browser's headers
// (nginx/ratingd.conf).
std::string get(const std::string& path, const std::string& cookie) {
  const std::string uri = "/wp-json/ratingd/v1" + path;
  const std::size_t mark = std::min(uri.find('?'), uri.size() - 1);
  Parameters parameters = {{"REQUEST_METHOD", "GET"},
                           {"REQUEST_URI", uri},
                           {"QUERY_STRING", uri.substr(mark + 1)},
                           {"CONTENT_TYPE", ""},
                           {"CONTENT_LENGTH", ""},
                           {"SERVER_NAME", "example.org"},
                           {"HTTPS", "on"},
                           {"REMOTE_ADDR", "203.0.113.7"},
                           {"REQUEST_ID", "6f1ed002ab5595859014ebf0951522d9"},
                           {"HTTP_HOST", "example.org"},
                           {"HTTP_USER_AGENT", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0)"},
                           {"HTTP_ACCEPT", "*/*"},
                           {"HTTP_ACCEPT_LANGUAGE", "en-US,en;q=0.5"},
                           {"HTTP_ACCEPT_ENCODING", "gzip, deflate, br, zstd"},
                           {"HTTP_REFERER", "https://example.org/2026/11/a-post/"}};
  if (!cookie.empty()) parameters.emplace_back("HTTP_COOKIE", cookie);
  return request_bytes(parameters);
}

// Connects a worker's thread to this program, which acts as nginx.
class Connection {
 public:
  explicit Connection(const api::App& app) : app_(app) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) != 0) std::abort();
    fcgi::Exchange::prepare(ends_[0]);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    for (const int end : ends_) close(end);
  }

  std::size_t ask(const std::string& bytes) {
    if (write(ends_[1], bytes.data(), bytes.size()) < 0) std::abort();
    fcgi::Exchange exchange(ends_[0]);
    if (!exchange.read(clock_)) std::abort();
    if (!exchange.answer(support::serve(app_, exchange.request()))) std::abort();
    exchange.keep_open();
    const ssize_t count = read(ends_[1], answer_.data(), answer_.size());
    const std::string_view answer(answer_.data(), static_cast<std::size_t>(count));
    if (answer.find("Status: 200") == std::string_view::npos) std::abort();
    return answer.size();
  }

 private:
  const api::App& app_;
  const base::SystemClock clock_;
  std::array<int, 2> ends_{};
  std::array<char, 65536> answer_{};
};

support::Service& service() {
  static support::Service service = [] {
    fcgi::Exchange::initialize();
    return support::Service();
  }();
  return service;
}

// --- Requests ------------------------------------------------------------------------------------

void ask_again_and_again(benchmark::State& state, const std::string& path,
                         const std::string& cookie) {
  service().change({{"rate_limit_read", model::decimal_of(1'000'000)},
                    {"rate_limit_window_seconds", model::decimal_of(1)}});
  Connection connection(service().app());
  const std::string bytes = get(path, cookie);
  std::size_t size = 0;
  for (auto _ : state) size = connection.ask(bytes);
  state.counters["bytes"] = static_cast<double>(size);
}

// Returns the cookie of a voter who has voted before.
std::string voter_cookie() {
  const identity::VoterCookie cookie{
      .voter = model::kAnonymousBit | 7,
      .issued = std::chrono::floor<std::chrono::seconds>(base::SystemClock().now())};
  return std::string(identity::kVoterCookieName) + "=" +
         identity::write_voter_cookie(cookie, service().app().core.keys);
}

void cached(benchmark::State& state) { ask_again_and_again(state, "/stats/42", ""); }
void of_voter(benchmark::State& state) { ask_again_and_again(state, "/stats/42", voter_cookie()); }
void of_twenty(benchmark::State& state) {
  std::string ids = "1";
  for (int id = 2; id <= 20; ++id) ids += "," + std::to_string(id);
  ask_again_and_again(state, "/stats?object_ids=" + ids, "");
}

BENCHMARK(cached)->Name("Request/cached");
BENCHMARK(of_voter)->Name("Request/of_voter");
BENCHMARK(of_twenty)->Name("Request/of_twenty");

// --- Cache ---------------------------------------------------------------------------------------

runtime::SharedCache::Record state_number(std::uint64_t number) {
  runtime::SharedCache::Record record;
  record.versions[0] = number;
  return record;
}

void find(benchmark::State& state) {
  support::CacheMemory memory;
  const runtime::SharedCache::Key object{42, "post"};
  memory.cache().fill(object, state_number(1), memory.cache().begin_fill(object));
  runtime::SharedCache::CasToken token;
  for (auto _ : state) benchmark::DoNotOptimize(memory.cache().find(object, token));
}
BENCHMARK(find)->Name("Cache/find");

void fill(benchmark::State& state) {
  support::CacheMemory memory;
  const runtime::SharedCache::Key object{42, "post"};
  std::uint64_t number = 0;
  for (auto _ : state) {
    memory.cache().fill(object, state_number(++number), memory.cache().begin_fill(object));
  }
}
BENCHMARK(fill)->Name("Cache/fill");

// Measures the hit rate of the cache with 100,000 objects. The i-th object is requested 1/i times
// as often as the first object. The benchmark arguments are the memory size in KiB, the number of
// requests per second, and the lifetime of a record in seconds. If the cache does not contain an
// object, the object is added to the cache immediately.
void hit_rate(benchmark::State& state) {
  constexpr std::size_t kObjects = 100'000;
  constexpr int kSeconds = 10;
  const auto kibibytes = static_cast<std::size_t>(state.range(0));
  const auto per_second = static_cast<int>(state.range(1));
  const auto life = std::chrono::seconds(state.range(2));
  std::vector<double> sums(1, 0);
  for (std::size_t i = 1; i <= kObjects; ++i)
    sums.push_back(sums.back() + 1.0 / static_cast<double>(i));
  double hits = 0;
  for (auto _ : state) {
    support::CacheMemory memory(kibibytes * 1024 / sizeof(runtime::SharedCache::Set), life);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> anywhere(0, sums.back());
    int found = 0;
    for (int i = 0; i < kSeconds * per_second; ++i) {
      memory.clock().set(kNow + std::chrono::microseconds(1'000'000LL * i / per_second));
      const auto place = std::upper_bound(sums.begin(), sums.end(), anywhere(random));
      const runtime::SharedCache::Key object{static_cast<std::uint64_t>(place - sums.begin()),
                                             "post"};
      runtime::SharedCache::CasToken token;
      if (memory.cache().find(object, token)) {
        found += i >= (kSeconds - 2) * per_second ? 1 : 0;
      } else {
        memory.cache().fill(object, state_number(0), token);
      }
    }
    hits = found / (2.0 * per_second);  // in the last two seconds
  }
  state.counters["hit_rate"] = hits;
}
BENCHMARK(hit_rate)
    ->Name("HitRate")
    ->ArgNames({"KiB", "per_second", "life"})
    ->ArgsProduct({{256, 1024, 4096, 16384, 32768}, {1000, 10'000, 30'000}, {2, 60}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
