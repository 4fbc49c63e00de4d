#pragma once

#include <string>

namespace admin {

// A request to a web server of this host.
struct WebRequest {
  std::string url;            // http or https; its host is the name for TLS
  std::string host;           // the header Host
  std::string address;        // where to connect, whatever the name resolves to: "127.0.0.1:443"
  bool verifies = true;       // the server's certificate
  bool is_forwarded = false;  // as a proxy sends it that ends TLS
};

struct WebAnswer {
  enum class Outcome {
    answered,
    refused,    // nothing accepts connections there
    untrusted,  // the certificate is not valid for the name
    broken,     // no answer in HTTP, or not in time
  };

  Outcome outcome = Outcome::refused;
  std::string problem = {};  // why there is no answer
  long status = 0;
  // Headers; empty if there are none.
  std::string server = {};
  std::string location = {};
  std::string request_id = {};
  std::string challenge_response = {};
  std::string scheme = {};    // of the request, as the workers see it
  std::string rest_api = {};  // the URL of WordPress's REST API that a page names
};

// Sends a GET request; follows no redirect, uses no proxy, and drops the body. Blocks for at most 5
// seconds.
[[nodiscard]] WebAnswer send(const WebRequest& request);

}  // namespace admin
