#include "cms/none.h"

#include "base/origin.h"

namespace cms {

void None::check(Connection&, std::vector<Finding>& report) const {
  using base::Message;
  const Subject subject{
      "address", Message("The site’s address"),
      Message("Browsers may vote only from pages of this address. Correct it in ratingd.conf if "
              "visitors use another one.")};
  run_check(subject, report, [&](Findings& findings) {
    const std::vector<base::MessageValue> values = {{"url", site_.address}};
    if (base::origin_of(site_.address))
      return findings.ok(Message("site-address is {url}", values));
    findings.fail(
        Message("site-address is not an address that browsers send as an origin: {url}", values));
  });
}

}  // namespace cms
