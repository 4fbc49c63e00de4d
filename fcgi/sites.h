#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "adapters/adapters.h"
#include "api/app.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "fcgi/service.h"
#include "runtime/semaphore.h"

namespace fcgi {

// A site in a network. The first request for the site creates the site's service. The service is
// dropped after a few minutes without requests, or to make room for another site's service. Safe
// for concurrent use, except where noted.
class Site {
 public:
  // "shared" must outlive this object.
  Site(SharedResources& shared, adapters::NetworkSite place);
  // Creates a site with the existing service "service", which is never dropped.
  Site(SharedResources& shared, std::shared_ptr<Service> service);

  [[nodiscard]] unsigned blog_id() const { return place_.blog_id; }

  // Returns whether "place", an entry in a new list of sites, has this site's blog id and state.
  // The state is either open or closed for a specific reason.
  [[nodiscard]] bool is_at(const adapters::NetworkSite& place) const {
    return place.blog_id == blog_id() && place.closed.pattern == closed().pattern;
  }

  // Returns adapters::NetworkSite::is_open. A closed site has no service.
  [[nodiscard]] bool is_open() const { return place_.is_open(); }
  [[nodiscard]] const base::Message& closed() const { return place_.closed; }

  // Returns the service for a request, or nullptr if the service is not loaded.
  [[nodiscard]] std::shared_ptr<Service> for_request() const;

  // Returns the service. If the service is not loaded, calls "make_room", and blocks until the
  // service has been created and refreshed. Returns nullptr if an attempt to load the service
  // failed a moment ago, if half of the threads are already waiting for the service, or if
  // "make_room" returned false.
  std::shared_ptr<Service> load(const std::function<bool()>& make_room);

  // Refreshes the service if it is loaded. Must be called by only one thread.
  void refresh();

  // Returns the time since the last request for the service. Returns nothing if the service is in
  // use or not loaded.
  [[nodiscard]] std::optional<std::chrono::milliseconds> idle_time() const;

  // Drops the service if it is not in use and has received no request for at least "limit". Returns
  // whether the service was dropped.
  bool drop_if_idle(std::chrono::milliseconds limit);

  // Returns the service, or nullptr if it is not loaded.
  [[nodiscard]] std::shared_ptr<Service> loaded() const;

 private:
  struct Loaded;
  [[nodiscard]] bool has_just_failed() const;
  void refresh(Service& service);

  SharedResources& shared_;
  const adapters::NetworkSite place_{};
  runtime::Semaphore loading_;  // held while the service is created
  mutable base::Mutex mutex_;
  std::optional<base::Stopwatch> failed_ GUARDED_BY(mutex_);
  std::shared_ptr<Service> service_ GUARDED_BY(mutex_);
  mutable base::Stopwatch unused_ GUARDED_BY(mutex_);  // since the last request
  base::Stopwatch refreshed_ GUARDED_BY(mutex_);
  std::string error_ GUARDED_BY(mutex_);  // the error from the last refresh
};

// DESIGN. The sites that a process serves: one site, or all sites in a network, each at its own
// host and path. Each site has its own Service, so that no site can reach another site's settings,
// permissions, limits, cached records or queued votes. All services use one SharedResources object,
// which contains the resources that the sites share. A site without requests needs only an entry in
// the list of sites. The list of sites is read again every kListInterval.
//
// Safe for concurrent use, except where noted.
class Sites {
 public:
  struct Limits {
    // The time after which unused services, database sessions and prepared statements are dropped.
    std::chrono::milliseconds idle{300'000};
    // The maximum number of services. Each service needs a thread, two files and a few hundred KiB.
    unsigned loaded = 400;
  };

  // Creates the service for the first or only site. "shared" must outlive this object. Throws the
  // same exceptions as the constructor of Service.
  explicit Sites(SharedResources& shared) : Sites(shared, Limits()) {}
  Sites(SharedResources& shared, const Limits& limits);

  [[nodiscard]] Service& first() const { return *first_service_; }

  // Returns the site for a request for "path" at "host". If no site matches, returns the first
  // site, whose service then rejects the request.
  [[nodiscard]] std::shared_ptr<Site> find(std::string_view host, std::string_view path) const;

  // Calls site.load() and returns its result. If too many services are loaded, first drops the
  // service that has been idle for the longest time. If all services are in use, returns nullptr.
  [[nodiscard]] std::shared_ptr<Service> load(Site& site) const;

  // Refreshes the first site and the list of sites, and then refreshes other loaded sites for a
  // limited time. Must be called by only one thread, once per second. If the first site cannot be
  // refreshed, throws the same exceptions as Refresher::refresh(). Errors in other sites' tables
  // are only logged, because an operator may correct them while the process runs.
  void refresh();

  // Calls "use" for each loaded service, starting with the first site's service. Holds each service
  // only during the call to "use", because a service that is held cannot be dropped.
  void for_each_loaded(const std::function<void(const std::shared_ptr<Service>&)>& use) const;

 private:
  struct List {
    std::vector<std::shared_ptr<Site>> sites;
    adapters::ByAddress<std::shared_ptr<Site>> by_address;
    std::string api_path;  // adapters::NetworkSite::api_path
  };

  [[nodiscard]] std::shared_ptr<const List> list() const;
  void read_list();
  [[nodiscard]] std::shared_ptr<const List> new_list();
  void drop_idle() const;
  void close_unused_sessions();
  [[nodiscard]] bool make_room() const;
  void refresh_others();

  static constexpr std::chrono::seconds kListInterval{5};

  SharedResources& shared_;
  const Limits limits_;
  const std::shared_ptr<Service> first_service_;
  const std::shared_ptr<Site> first_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const List> list_ GUARDED_BY(mutex_) = std::make_shared<List>();

  // The following members are used only by refresh().
  std::optional<base::Stopwatch> since_list_;
  base::Stopwatch since_closing_;
  std::string list_error_;          // the error that was logged last
  std::size_t next_refreshed_ = 0;  // the position in the list
};

// While this object exists, its thread refreshes the materialized lists for named periods, such as
// "30d", on all loaded sites. The thread starts a round of refreshes every kInterval and opens a
// database session for each round. If the database is unavailable, the thread tries again in the
// next round.
class ListRefreshThread {
 public:
  // "shared" and "sites" must outlive this object.
  ListRefreshThread(const SharedResources& shared, const Sites& sites);
  ListRefreshThread(const ListRefreshThread&) = delete;
  ListRefreshThread& operator=(const ListRefreshThread&) = delete;
  // Blocks until the thread has completed the current list.
  ~ListRefreshThread() = default;

  // Makes the thread stop before it refreshes the next list. Returns whether the thread has ended
  // within "limit".
  bool stop(std::chrono::milliseconds limit);

 private:
  void run(const std::stop_token& stop);
  void refresh(const std::stop_token& stop);
  void refresh(db::Connection& connection, Service& service);
  template <typename Action>
  void report(const runtime::Log& log, const std::string& whose, const Action& action);

  static constexpr std::chrono::seconds kInterval{5};

  const runtime::Log& log_;
  const db::Endpoint endpoint_;
  const Sites& sites_;
  // Each site's last error, keyed by the site's table prefix. Only the thread uses this map.
  std::map<std::string, std::string> last_errors_;
  std::binary_semaphore ended_{0};
  std::jthread thread_;
};

}  // namespace fcgi
