// This FastCGI program sends the same fixed response to every request. The program's speed is an
// upper bound for the speed of any FastCGI program.
//
// Run "ceiling THREADS RESPONSE-FILE" with the listening socket as file descriptor 0. The response
// file contains the response as a FastCGI program sends it: header lines, an empty line, and the
// body. The benchmark creates the file from a real response of ratingd, so that both programs send
// the same bytes.

#include <fcgiapp.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kListenSocket = 0;

// Reads the rest of a request. On a persistent connection, libfcgi would interpret unread bytes as
// the next request.
void drain(FCGX_Stream* in) {
  char rest[4096];
  while (FCGX_GetStr(rest, sizeof rest, in) == sizeof rest) {
  }
}

void serve(const std::string& response) {
  FCGX_Request request;
  if (FCGX_InitRequest(&request, kListenSocket, 0) != 0) return;
  while (FCGX_Accept_r(&request) >= 0) {
    drain(request.in);
    // Ignore errors. The write can fail only if the client has closed the connection, which does
    // not affect the next request.
    FCGX_PutStr(response.data(), static_cast<int>(response.size()), request.out);
    FCGX_Finish_r(&request);
  }
}

}  // namespace

int main(int argc, char** argv) {
  unsigned threads = 0;
  if (argc == 3) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), threads);
  if (threads == 0) {
    std::fputs("usage: ceiling THREADS RESPONSE-FILE\n", stderr);
    return 1;
  }
  std::ifstream file(argv[2], std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "ceiling: %s: %s\n", argv[2], std::strerror(errno));
    return 1;
  }
  const std::string response{std::istreambuf_iterator<char>(file), {}};

  if (FCGX_Init() != 0) return 1;
  // With libfcgi's own signal handler, each thread would wait for one more request before the
  // program ends.
  std::signal(SIGTERM, SIG_DFL);
  std::vector<std::jthread> pool;
  for (unsigned i = 0; i < threads; ++i) pool.emplace_back(serve, std::cref(response));
}
