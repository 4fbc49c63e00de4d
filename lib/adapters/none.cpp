#include "adapters/none.h"

#include "base/origin.h"

namespace adapters {

void None::check(Connection&, std::vector<cms::Finding>& report) const {
  using base::Message;
  const cms::Subject subject{
      "address", Message("The site’s address"),
      Message("Browsers may vote only from pages of this address. Correct it in ratingd.conf if "
              "visitors use another one.")};
  cms::run_check(subject, report, [&](cms::Findings& findings) {
    const std::vector<base::MessageValue> values = {{"url", site_.address}};
    if (base::origin_of(site_.address))
      return findings.ok(Message("site-address is {url}", values));
    findings.fail(
        Message("site-address is not an address that browsers send as an origin: {url}", values));
  });
}

}  // namespace adapters
