#include "cms/none.h"

#include "base/origin.h"

namespace cms {

Addresses None::addresses(db::Connection& /*connection*/) const { return {.home = site_.address}; }

base::Zone None::time_zone(db::Connection& /*connection*/) const {
  return base::Zone::named(site_.time_zone).value_or(base::Zone());
}

std::chrono::weekday None::week_start(db::Connection& /*connection*/) const {
  return std::chrono::weekday(site_.week_start);
}

void None::refresh(db::Connection& /*connection*/) {}

bool None::is_ready() const { return true; }

Identification None::identify(const http::Request& /*request*/, Route /*route*/,
                              const LoginServices& /*services*/) {
  return {};
}

std::optional<std::string> None::ticket_secret() const { return std::nullopt; }

std::map<std::uint64_t, std::string> None::display_names(
    db::Connection& /*connection*/, std::span<const std::uint64_t> /*users*/) const {
  return {};
}

bool None::has_post(db::Connection& /*connection*/, std::uint64_t /*id*/) const { return false; }

ObjectState None::state_of(db::Connection& /*connection*/, const model::Object& /*object*/) const {
  return {};
}

std::optional<std::string> None::ids_of_type(db::Connection& /*connection*/,
                                             const std::string& /*type*/) const {
  return std::nullopt;
}

std::map<model::Object, ContentItem> None::describe(
    db::Connection& /*connection*/, std::span<const model::Object> /*objects*/) const {
  return {};
}

std::optional<model::ObjectSet> None::rated_unpublished(
    db::Connection& /*connection*/, std::chrono::milliseconds /*time_limit*/) const {
  return model::ObjectSet{};
}

TitleMatches None::rated_with_title(db::Connection& /*connection*/,
                                    const TitleSearch& /*search*/) const {
  return {};
}

std::vector<model::Object> None::rated_and_deleted(db::Connection& /*connection*/) const {
  return {};
}

std::string None::grants() const { return {}; }

void None::check(db::Connection& /*connection*/, std::vector<Finding>& report) const {
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
