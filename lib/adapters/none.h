#pragma once

#include <utility>

#include "base/message.h"
#include "base/origin.h"
#include "cms/cms.h"
#include "config/cms.h"

namespace adapters {

// The adapter for a site without a CMS, or with a CMS that ratingd does not support. Tickets
// identify visitors and administrators (identity/ticket.h). Configuration options set the site's
// address, time zone and first day of the week. The adapter has no users or objects and does not
// read the database.
class None final : public cms::Cms {
 public:
  using Connection = db::Connection;

  explicit None(config::Standalone site) : site_(std::move(site)) {}

  [[nodiscard]] cms::Addresses addresses(Connection&) const override {
    return {.home = site_.address};
  }
  [[nodiscard]] base::Zone time_zone(Connection&) const override {
    return base::Zone::named(site_.time_zone).value_or(base::Zone());
  }
  [[nodiscard]] std::chrono::weekday week_start(Connection&) const override {
    return std::chrono::weekday(site_.week_start);
  }
  void refresh(Connection&) override {}
  [[nodiscard]] bool is_ready() const override { return true; }
  [[nodiscard]] cms::Identification identify(const http::Request&, cms::Route,
                                             const cms::LoginServices&) override {
    return {};
  }
  [[nodiscard]] bool takes_passwords() const override { return false; }
  [[nodiscard]] std::optional<std::string> ticket_secret() const override { return {}; }
  [[nodiscard]] std::map<std::uint64_t, std::string> display_names(
      Connection&, std::span<const std::uint64_t>) const override {
    return {};
  }
  [[nodiscard]] std::vector<std::uint64_t> users_named(Connection&, std::string_view,
                                                       std::size_t) const override {
    return {};
  }
  // Returns the state of an unknown object for every object, because there is no CMS.
  [[nodiscard]] cms::ObjectState state_of(Connection&, const model::Object&) const override {
    return {};
  }
  [[nodiscard]] std::optional<std::string> ids_of_type(Connection&,
                                                       const std::string&) const override {
    return {};
  }
  [[nodiscard]] std::map<model::Object, cms::ContentItem> describe(
      Connection&, std::span<const model::Object>) const override {
    return {};
  }
  [[nodiscard]] std::optional<cms::OmittedObjects> rated_and_omitted(
      Connection&, const model::FacetNames&, const std::vector<std::string>&,
      std::chrono::milliseconds) const override {
    return cms::OmittedObjects();
  }
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> newest_posts(
      Connection&, const std::vector<std::string>&, std::size_t) const override {
    return {};
  }
  [[nodiscard]] cms::TitleMatches rated_with_title(Connection&,
                                                   const cms::TitleSearch&) const override {
    return {};
  }
  [[nodiscard]] std::vector<model::Object> rated_and_deleted(
      Connection&, const model::FacetNames&) const override {
    return {};
  }
  [[nodiscard]] std::string grants() const override { return {}; }
  void check(Connection&, std::vector<cms::Finding>& report) const override {
    using base::Message;
    const cms::Subject subject{
        "address", Message("The site’s address"),
        Message("Visitors can rate only on pages at the site’s address. If visitors use a "
                "different address, correct the address in ratingd.conf.")};
    cms::run_check(subject, report, [&](cms::Findings& findings) {
      const std::vector<base::MessageValue> values = {{"url", site_.address}};
      if (base::origin_of(site_.address))
        return findings.ok(Message("site-address is {url}", values));
      findings.fail(
          Message("site-address is {url}, which is not a valid origin such as https://example.org",
                  values));
    });
  }

 private:
  const config::Standalone site_;
};

}  // namespace adapters
