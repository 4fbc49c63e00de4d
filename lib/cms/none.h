#pragma once

#include "cms/cms.h"
#include "config/cms_name.h"

namespace cms {

// A site without a CMS, or with one that ratingd does not know: its visitors and administrators are
// those of tickets (identity/ticket.h), and address, time zone and first day of the week are
// options. It has no users and knows no objects. Reads no table.
class None final : public Cms {
 public:
  explicit None(config::Standalone site) : site_(std::move(site)) {}

  [[nodiscard]] Addresses addresses(db::Connection& connection) const override;
  [[nodiscard]] base::Zone time_zone(db::Connection& connection) const override;
  [[nodiscard]] std::chrono::weekday week_start(db::Connection& connection) const override;
  void refresh(db::Connection& connection) override;
  [[nodiscard]] bool is_ready() const override;
  [[nodiscard]] Identification identify(const http::Request& request, Route route,
                                        const LoginServices& services) override;
  [[nodiscard]] bool takes_passwords() const override { return false; }
  [[nodiscard]] std::optional<std::string> ticket_secret() const override;
  [[nodiscard]] std::map<std::uint64_t, std::string> display_names(
      db::Connection& connection, std::span<const std::uint64_t> users) const override;
  [[nodiscard]] bool has_post(db::Connection& connection, std::uint64_t id) const override;
  // Every object is unknown and passes no check.
  [[nodiscard]] ObjectState state_of(db::Connection& connection,
                                     const model::Object& object) const override;
  [[nodiscard]] std::optional<std::string> ids_of_type(db::Connection& connection,
                                                       const std::string& type) const override;
  [[nodiscard]] std::map<model::Object, ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects) const override;
  [[nodiscard]] std::optional<model::ObjectSet> rated_unpublished(
      db::Connection& connection, std::chrono::milliseconds time_limit) const override;
  [[nodiscard]] TitleMatches rated_with_title(db::Connection& connection,
                                              const TitleSearch& search) const override;
  [[nodiscard]] std::vector<model::Object> rated_and_deleted(
      db::Connection& connection) const override;
  [[nodiscard]] std::string grants() const override;
  void check(db::Connection& connection, std::vector<Finding>& report) const override;

 private:
  const config::Standalone site_;
};

}  // namespace cms
