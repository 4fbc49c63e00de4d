#include "store/site.h"

#include <utility>

#include "http/parse.h"

namespace store {

Site::Site(const std::string& table_prefix, Addresses addresses)
    : wp_(table_prefix), addresses_(std::move(addresses)) {}

void Site::refresh(db::Connection& connection) {
  auto fresh = std::make_shared<SiteState>();
  const auto add_origin = [&](const std::string& given, const char* option) {
    const std::string url = given.empty() ? wp_.option(connection, option).value_or("") : given;
    if (auto origin = http::origin_of(url)) fresh->origins.push_back(std::move(*origin));
  };
  add_origin(addresses_.home, "home");
  add_origin(addresses_.siteurl, "siteurl");
  const base::MutexLock lock(mutex_);
  state_ = std::move(fresh);
}

std::shared_ptr<const SiteState> Site::state() const {
  const base::MutexLock lock(mutex_);
  return state_;
}

}  // namespace store
