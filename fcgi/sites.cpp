#include "fcgi/sites.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "db/endpoint.h"
#include "runtime/memory.h"

namespace fcgi {
namespace {

// The minimum time between a failed attempt to create a service and the next attempt.
constexpr std::chrono::seconds kRetryInterval{5};
// The maximum time that a request waits while another request loads the site's service. Loading a
// service includes a refresh, and a failed refresh takes less than kMaxWaitForLoad.
constexpr std::chrono::seconds kMaxWaitForLoad{3};
// The interval between refreshes of a site that receives no requests.
constexpr std::chrono::seconds kUnusedInterval{5};
// The maximum time that refreshes may take in each second.
constexpr std::chrono::milliseconds kRefreshTime{500};

}  // namespace

// A service and the configuration to which the service refers.
struct Site::Loaded {
  Loaded(SharedResources& resources, const adapters::NetworkSite& place)
      : shared(resources),
        config(adapters::config_of(shared.config, place)),
        service(shared, config, place.host + place.path) {
    ++shared.loaded_sites;
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() { --shared.loaded_sites; }

  SharedResources& shared;
  const config::Config config;
  Service service;
};

Site::Site(SharedResources& shared, adapters::NetworkSite place)
    : shared_(shared),
      place_(std::move(place)),
      loading_({.permits = 1,
                .waiting = static_cast<int>(shared.config.threads / 2),
                .max_wait = kMaxWaitForLoad}) {}

Site::Site(SharedResources& shared, std::shared_ptr<Service> service)
    : Site(shared, adapters::NetworkSite{}) {
  service_ = std::move(service);
}

std::shared_ptr<Service> Site::for_request() const {
  const base::MutexLock lock(mutex_);
  unused_ = {};
  return service_;
}

std::shared_ptr<Service> Site::loaded() const {
  const base::MutexLock lock(mutex_);
  return service_;
}

std::shared_ptr<Service> Site::load(const std::function<bool()>& make_room) {
  const runtime::Semaphore::Permit loading(loading_);
  if (!loading.is_granted()) return nullptr;
  if (auto service = for_request()) return service;
  if (has_just_failed() || !make_room()) return nullptr;
  try {
    const auto made = std::make_shared<Loaded>(shared_, place_);
    const std::shared_ptr<Service> service(made, &made->service);
    refresh(*service);
    const base::MutexLock lock(mutex_);
    return service_ = service;
  } catch (const std::exception& exception) {
    shared_.log.error("site_load_failed",
                      {{"site", place_.host + place_.path}, {"error", exception.what()}});
    const base::MutexLock lock(mutex_);
    failed_.emplace();
    return nullptr;
  }
}

bool Site::has_just_failed() const {
  const base::MutexLock lock(mutex_);
  return failed_ && failed_->elapsed() < kRetryInterval;
}

void Site::refresh() {
  std::shared_ptr<Service> service;
  {
    const base::MutexLock lock(mutex_);
    const bool was_used = unused_.elapsed() <= refreshed_.elapsed();
    if (service_ == nullptr || (!was_used && refreshed_.elapsed() < kUnusedInterval)) return;
    service = service_;
    refreshed_ = {};
  }
  refresh(*service);
}

std::optional<std::chrono::milliseconds> Site::idle_time() const {
  const base::MutexLock lock(mutex_);
  if (service_.use_count() != 1) return std::nullopt;  // a request got its pointer under the lock
  return unused_.elapsed();
}

bool Site::drop_if_idle(std::chrono::milliseconds limit) {
  // Declare "dropped" before the lock, so that the service is destroyed after the lock is released.
  std::shared_ptr<Service> dropped;
  const base::MutexLock lock(mutex_);
  if (service_.use_count() == 1 && unused_.elapsed() >= limit) dropped.swap(service_);
  return dropped != nullptr;
}

void Site::refresh(Service& service) {
  std::string error;
  auto tables = store::Tables::usable;
  try {
    service.refresher().refresh();
  } catch (const WrongTables& wrong) {
    error = wrong.what();
    tables = wrong.tables();
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  service.set_tables(tables);
  const base::MutexLock lock(mutex_);
  if (!error.empty() && error != error_) {
    service.app().core.log.warning("site_refresh_failed", {{"error", error}});
  }
  error_ = error;
}

Sites::Sites(SharedResources& shared, const Limits& limits)
    : shared_(shared),
      limits_(limits),
      first_service_(std::make_shared<Service>(shared, shared.config)),
      first_(std::make_shared<Site>(shared, first_service_)) {}

std::shared_ptr<const Sites::List> Sites::list() const {
  const base::MutexLock lock(mutex_);
  return list_;
}

std::shared_ptr<Site> Sites::find(std::string_view host, std::string_view path) const {
  if (!shared_.config.network.serves_all) return first_;
  const auto known = list();
  const std::string_view site_path = path.substr(0, path.find(known->api_path));
  const auto* const found = adapters::find_at(known->by_address, host, site_path);
  return found == nullptr ? first_ : *found;
}

void Sites::refresh() {
  first().refresher().refresh();
  if (!shared_.config.network.serves_all) return;
  if (!since_list_ || since_list_->elapsed() >= kListInterval) read_list();
  drop_idle();
  close_unused_sessions();
  refresh_others();
}

void Sites::read_list() {
  since_list_.emplace();
  try {
    auto read = new_list();
    list_error_.clear();
    const base::MutexLock lock(mutex_);
    list_.swap(read);  // swap, so that removed sites' services end after the lock is released
    shared_.knows_sites = true;
  } catch (const std::exception& exception) {
    if (list_error_ != exception.what()) {
      shared_.log.error("site_list_failed",
                        {{"error", exception.what()},
                         {"advice", "run ratingctl doctor; the sites known so far are served"}});
    }
    list_error_ = exception.what();
    if (!shared_.knows_sites) since_list_.reset();  // the next call tries again
  }
}

// Reads the list of sites from the database and returns it. Sites that are already in the current
// list keep their services.
std::shared_ptr<const Sites::List> Sites::new_list() {
  const auto places = shared_.refreshers.with_session([&](db::Connection& connection) {
    return adapters::sites_of_network(connection, shared_.config);
  });
  const auto old = list();
  auto list = std::make_shared<List>();
  list->api_path = places.front().api_path;
  for (const adapters::NetworkSite& place : places) {
    const auto known = old->by_address.find(place.host + place.path);
    if (place.blog_id == first_->blog_id()) {
      list->sites.push_back(first_);
    } else if (known != old->by_address.end() && known->second->is_at(place)) {
      list->sites.push_back(known->second);
    } else {
      list->sites.push_back(std::make_shared<Site>(shared_, place));
    }
  }
  for (const auto& [address, index] : adapters::addresses_of(places)) {
    list->by_address.emplace(address, list->sites[index]);
  }
  return list;
}

// Drops all idle services in one call instead of during the refreshes, because refreshing all sites
// may take minutes if the database is slow.
void Sites::drop_idle() const {
  const auto known = list();
  for (const auto& site : known->sites) {
    if (site != first_) site->drop_if_idle(limits_.idle);
  }
}

// Closes unused database sessions and returns their memory to the operating system. The sites'
// prepared statements use most of a worker's memory. By default, sessions are closed only once a
// minute, because returning memory requires a scan of all memory.
void Sites::close_unused_sessions() {
  if (since_closing_.elapsed() < limits_.idle / 5) return;
  since_closing_ = {};
  bool has_closed = false;
  for (const db::Pool* const pool :
       {&shared_.readers, &shared_.analysts, &shared_.refreshers, &shared_.writers}) {
    has_closed |= pool->close_unused(limits_.idle);
  }
  if (has_closed) runtime::give_back_memory();
}

std::shared_ptr<Service> Sites::load(Site& site) const {
  return site.load([&] { return shared_.loaded_sites < limits_.loaded || make_room(); });
}

bool Sites::make_room() const {
  const auto known = list();
  std::vector<std::pair<std::chrono::milliseconds, Site*>> idle;
  for (const auto& site : known->sites) {
    const auto time = site == first_ ? std::nullopt : site->idle_time();
    if (time) idle.emplace_back(*time, site.get());
  }
  std::ranges::sort(idle, std::greater<>());
  // Drop the first service in the list that is still idle, because some services may have received
  // requests since their idle times were read.
  return std::ranges::any_of(idle,
                             [](const auto& one) { return one.second->drop_if_idle(one.first); });
}

// Refreshes the loaded sites except the first site, until kRefreshTime has passed. Resumes after
// the last site refreshed by the previous call.
void Sites::refresh_others() {
  const base::Stopwatch stopwatch;
  const auto known = list();
  const std::size_t all = known->sites.size();
  for (std::size_t i = 0; i < all && stopwatch.elapsed() < kRefreshTime; ++i) {
    const auto& site = known->sites[next_refreshed_++ % all];
    if (site != first_) site->refresh();
  }
}

void Sites::for_each_loaded(const std::function<void(const std::shared_ptr<Service>&)>& use) const {
  use(first_service_);
  const auto known = list();
  for (const auto& site : known->sites) {
    const auto service = site == first_ ? nullptr : site->loaded();
    if (service != nullptr) use(service);
  }
}

ListRefreshThread::ListRefreshThread(const SharedResources& shared, const Sites& sites)
    : log_(shared.log),
      endpoint_(db::bounded(shared.endpoint, analytics::ListRefresher::kLongestStatement)),
      sites_(sites),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ListRefreshThread::run(const std::stop_token& stop) {
  std::mutex mutex;  // used only for the condition variable
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    report(log_, "", [&] { refresh(stop); });
    stopped.wait_for(lock, stop, kInterval, [] { return false; });
  }
  ended_.release();
}

bool ListRefreshThread::stop(std::chrono::milliseconds limit) {
  thread_.request_stop();
  return ended_.try_acquire_for(limit);
}

// Refreshes the materialized lists of all loaded sites. If the refresh of a site fails, the other
// sites are still refreshed.
void ListRefreshThread::refresh(const std::stop_token& stop) {
  db::Connection connection(endpoint_);
  // Keep only weak pointers, so that an idle service can be dropped while the lists of other sites
  // are refreshed.
  std::vector<std::weak_ptr<Service>> services;
  sites_.for_each_loaded([&](const auto& service) { services.emplace_back(service); });
  for (const auto& each : services) {
    const auto service = each.lock();
    if (service == nullptr || stop.stop_requested()) continue;
    const api::App& app = service->app();
    if (app.front.site.state() == nullptr) continue;
    const std::string& prefix = app.transfers.endpoint.table_prefix;
    connection.use_tables(prefix);
    report(app.core.log, prefix, [&] { refresh(connection, *service); });
  }
}

void ListRefreshThread::refresh(db::Connection& connection, Service& service) {
  const base::Stopwatch stopwatch;
  try {
    const int refreshed = service.list_refresher().refresh(connection);
    if (refreshed == 0) return;
    runtime::give_back_memory();
    service.app().core.log.debug(
        "lists_refreshed", {{"periods", refreshed}, {"milliseconds", stopwatch.elapsed().count()}});
  } catch (const db::Conflict&) {
    // Ignore the lock conflict, because another worker is already refreshing the lists.
  }
}

// Calls "action". If "action" throws, logs the error, unless the previous call for the same site
// failed with the same error. "whose" is the site's table prefix.
template <typename Action>
void ListRefreshThread::report(const runtime::Log& log, const std::string& whose,
                               const Action& action) {
  std::string error;
  try {
    action();
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  std::string& last = last_errors_[whose];
  // The error is logged only as a warning, because responses can be computed without lists, and the
  // refresher logs what the operator must do.
  if (!error.empty() && error != last) log.warning("list_refresh_failed", {{"error", error}});
  last = error;
}

}  // namespace fcgi
