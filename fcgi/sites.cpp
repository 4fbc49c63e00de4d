#include "fcgi/sites.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/memory.h"
#include "db/endpoint.h"

namespace fcgi {
namespace {

constexpr std::chrono::minutes kIdleLimit{5};
// Between two refreshes of a site that no request is for.
constexpr std::chrono::seconds kUnusedInterval{10};
// How long the refreshes of a second may take.
constexpr std::chrono::milliseconds kRefreshTime{500};

}  // namespace

// A service, and the configuration that it refers to.
struct Site::Loaded {
  Loaded(Host& host, const adapters::NetworkSite& place)
      : config(adapters::config_of(host.config, place)),
        service(host, config, place.host + place.path) {}

  const config::Config config;
  Service service;
};

std::shared_ptr<Service> Site::for_request() const {
  const base::MutexLock lock(mutex_);
  unused_ = {};
  is_used_ = true;
  return service_;
}

std::shared_ptr<Service> Site::loaded() const {
  const base::MutexLock lock(mutex_);
  return service_;
}

std::shared_ptr<Service> Site::load() {
  const base::MutexLock loading(loading_);
  if (auto service = for_request()) return service;
  const auto made = std::make_shared<Loaded>(host_, place_);
  const std::shared_ptr<Service> service(made, &made->service);
  refresh(*service);
  const base::MutexLock lock(mutex_);
  service_ = service;
  return service;
}

bool Site::refresh() {
  std::shared_ptr<Service> service;
  {
    const base::MutexLock lock(mutex_);
    service = service_;
    // One is this function's. Others are those of requests, which find the service under the lock.
    if (service.use_count() == 2 && unused_.elapsed() > kIdleLimit) service_.reset();
    if (service_ == nullptr) return true;
    if (!std::exchange(is_used_, false) && refreshed_.elapsed() < kUnusedInterval) return true;
    refreshed_ = {};
  }
  refresh(*service);
  return !service->refresher().is_disconnected();
}

void Site::refresh(Service& service) {
  std::string unusable;
  try {
    service.refresher().refresh();
  } catch (const config::Error& error) {
    unusable = error.what();
  }
  service.set_lacking_tables(!unusable.empty());
  const base::MutexLock lock(mutex_);
  if (!unusable.empty() && unusable != unusable_) {
    service.app().log.warning("site_refresh_failed", {{"error", unusable}});
  }
  unusable_ = unusable;
}

Sites::Sites(Host& host, const config::Config& config)
    : host_(host),
      config_(config),
      are_many_(config.network.serves_all),
      first_service_(std::make_shared<Service>(host, config)),
      first_(std::make_shared<Site>(host, first_service_)) {}

std::shared_ptr<const Sites::List> Sites::list() const {
  const base::MutexLock lock(mutex_);
  return list_;
}

std::shared_ptr<Site> Sites::find(std::string_view host, std::string_view path) const {
  if (!are_many_) return first_;
  const auto known = list();
  const std::string_view site_path = path.substr(0, path.find(known->rest));
  constexpr std::string_view kWww = "www.";
  for (;;) {
    const auto found = known->by_address.find(std::string(host).append(site_path));
    if (found != known->by_address.end()) return found->second;
    if (!host.starts_with(kWww)) return first_;
    host.remove_prefix(kWww.size());
  }
}

void Sites::refresh() {
  first().refresher().refresh();
  if (!are_many_ || first().refresher().is_disconnected()) return;
  if (!since_list_ || since_list_->elapsed() >= kListInterval) read_list();
  refresh_others();
}

void Sites::read_list() {
  since_list_.emplace();
  try {
    auto read = new_list();
    const base::MutexLock lock(mutex_);
    list_ = std::move(read);
    list_error_.clear();
  } catch (const std::exception& exception) {
    if (list_error_ != exception.what()) {
      host_.log.error("site_list_failed",
                      {{"error", exception.what()},
                       {"advice", "run ratingctl doctor; the sites known so far are served"}});
    }
    list_error_ = exception.what();
  }
}

// Sites that are known keep their services.
std::shared_ptr<const Sites::List> Sites::new_list() {
  const auto sites = host_.refreshers.with_session(
      [&](db::Connection& connection) { return adapters::sites_of_network(connection, config_); });
  const auto old = list();
  auto list = std::make_shared<List>();
  list->rest = sites.front().rest;
  for (const adapters::NetworkSite& site : sites) {
    const std::string address = site.host + site.path;
    const auto known = old->by_address.find(address);
    const bool is_known =
        known != old->by_address.end() && known->second->blog_id() == site.blog_id;
    list->by_address[address] = site.blog_id == first_->blog_id() ? first_
                                : is_known                        ? known->second
                                           : std::make_shared<Site>(host_, site);
  }
  return list;
}

// Goes on behind the site at which the last call has stopped.
void Sites::refresh_others() {
  const base::Stopwatch stopwatch;
  const auto known = list();
  const auto& sites = known->by_address;
  auto next = sites.upper_bound(refreshed_last_);
  for (std::size_t i = 0; i < sites.size() && stopwatch.elapsed() < kRefreshTime; ++i) {
    if (next == sites.end()) next = sites.begin();
    if (next->second != first_ && !next->second->refresh()) return;
    refreshed_last_ = next->first;
    ++next;
  }
}

std::vector<std::shared_ptr<Service>> Sites::loaded() const {
  std::vector<std::shared_ptr<Service>> services = {first_service_};
  for (const auto& [address, site] : list()->by_address) {
    auto service = site == first_ ? nullptr : site->loaded();
    if (service != nullptr) services.push_back(std::move(service));
  }
  return services;
}

ListRefreshThread::ListRefreshThread(const Host& host, const Sites& sites)
    : log_(host.log),
      endpoint_(db::bounded(host.endpoint, analytics::ListRefresher::kLongestStatement)),
      sites_(sites),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ListRefreshThread::run(const std::stop_token& stop) {
  std::mutex mutex;  // of this thread alone, for the condition
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    try {
      refresh();
      last_error_.clear();
    } catch (const std::exception& exception) {
      // The refresher logs what there is to do; without lists, answers are computed.
      if (last_error_ != exception.what()) {
        log_.warning("list_refresh_failed", {{"error", exception.what()}});
      }
      last_error_ = exception.what();
    }
    stopped.wait_for(lock, stop, kInterval, [] { return false; });
  }
}

void ListRefreshThread::refresh() {
  db::Connection connection(endpoint_);
  for (const auto& service : sites_.loaded()) {
    if (service->app().site.state() != nullptr) refresh(connection, *service);
  }
}

void ListRefreshThread::refresh(db::Connection& connection, Service& service) {
  const base::Stopwatch stopwatch;
  connection.use_tables(service.app().transfer_endpoint.table_prefix);
  try {
    const int refreshed = service.list_refresher().refresh(connection);
    if (refreshed == 0) return;
    base::give_back_memory();
    log_.debug("lists_refreshed",
               {{"periods", refreshed}, {"milliseconds", stopwatch.elapsed().count()}});
  } catch (const db::Conflict&) {
    // Another worker is refreshing.
  }
}

}  // namespace fcgi
