#pragma once

#include <string>

namespace admin {

// A request to a web server on this host.
struct WebRequest {
  std::string url;   // http or https; its host is the name for TLS
  std::string host;  // the header Host
  // The IP address and port of the server, such as "127.0.0.1:443". The host name in the URL is not
  // resolved.
  std::string address;
  bool verifies = true;       // verifies the server's certificate
  bool is_forwarded = false;  // sent like a request from a proxy that terminates TLS
  bool is_head = false;       // sends HEAD instead of GET
};

struct WebAnswer {
  enum class Outcome {
    answered,
    refused,    // nothing accepts connections at the address
    untrusted,  // the certificate is not valid for the name
    broken,     // there was no HTTP response in time
  };

  Outcome outcome = Outcome::refused;
  std::string problem = {};  // why there is no response
  long status = 0;
  // The values of response headers. If a header is absent, its value is empty.
  std::string server = {};
  std::string location = {};
  std::string request_id = {};
  std::string challenge_response = {};
  std::string scheme = {};    // the scheme of the request, as the workers see it
  std::string rest_api = {};  // the URL of WordPress's REST API from a page's headers
};

// Sends the request and returns the response without its body. Does not follow redirects or use a
// proxy. Blocks for at most 5 seconds.
[[nodiscard]] WebAnswer send(const WebRequest& request);

}  // namespace admin
