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
#include "base/mutex.h"
#include "base/stopwatch.h"
#include "fcgi/service.h"
#include "runtime/semaphore.h"

namespace fcgi {

// A site of a network. Its service is made when a request needs it, and dropped when no request has
// come for some minutes, or another site needs its room. Safe for concurrent use, except where
// noted.
class Site {
 public:
  // "host" must outlive it.
  Site(Host& host, adapters::NetworkSite place);
  // A site whose service is there already, and stays.
  Site(Host& host, std::shared_ptr<Service> service);

  [[nodiscard]] unsigned blog_id() const { return place_.blog_id; }

  // Whether this is the site as the list has it.
  [[nodiscard]] bool is_at(const adapters::NetworkSite& place) const {
    return place.blog_id == blog_id() && place.closed.pattern == closed().pattern;
  }

  // As adapters::NetworkSite. One that is not open has no service.
  [[nodiscard]] bool is_open() const { return place_.is_open(); }
  [[nodiscard]] const base::Message& closed() const { return place_.closed; }

  // The service, for a request; nullptr if it is not loaded.
  [[nodiscard]] std::shared_ptr<Service> for_request() const;

  // The service, which is made and refreshed if need be: this blocks. nullptr: that failed a moment
  // ago, half of the threads wait for it already, or "make_room", which is called before, returned
  // false.
  std::shared_ptr<Service> load(const std::function<bool()>& make_room);

  // Refreshes the service, if there is one. Called by one thread.
  void refresh();

  // How long no request has come for the service. Nothing if it is in use, or not loaded.
  [[nodiscard]] std::optional<std::chrono::milliseconds> idle_time() const;

  // Drops the service if it is not in use, and no request has come for "limit". Returns whether it
  // was dropped.
  bool drop_if_idle(std::chrono::milliseconds limit);

  // The service, if it is loaded.
  [[nodiscard]] std::shared_ptr<Service> loaded() const;

 private:
  struct Loaded;
  [[nodiscard]] bool has_just_failed() const;
  void refresh(Service& service);

  Host& host_;
  const adapters::NetworkSite place_{};
  runtime::Semaphore loading_;  // held while a service is made
  mutable base::Mutex mutex_;
  std::optional<base::Stopwatch> failed_ GUARDED_BY(mutex_);
  std::shared_ptr<Service> service_ GUARDED_BY(mutex_);
  mutable base::Stopwatch unused_ GUARDED_BY(mutex_);  // since the last request
  base::Stopwatch refreshed_ GUARDED_BY(mutex_);
  std::string error_ GUARDED_BY(mutex_);  // of the last refresh
};

// DESIGN. The sites that a process serves: one, or all of a network, each at its host and path.
// Each has a Service of its own, so that nothing of one site can reach another: settings, rights,
// limits, cached records, queue of votes. They share the members of Host. A site without requests
// is only an entry in a list, which is read again every kListInterval.
//
// Safe for concurrent use, except where noted.
class Sites {
 public:
  struct Limits {
    // What was not used for so long is dropped: a service without a request, a database session, a
    // prepared statement.
    std::chrono::milliseconds idle{300'000};
    unsigned loaded = 400;  // services: each has a thread, two files and a few hundred KiB
  };

  // Makes the service of the first or only site. "host" must outlive this object. Errors: as
  // Service.
  explicit Sites(Host& host) : Sites(host, Limits()) {}
  Sites(Host& host, const Limits& limits);

  [[nodiscard]] Service& first() const { return *first_service_; }

  // The site that a request for "path" of "host" is for. If there is none, the first one, which
  // refuses it.
  [[nodiscard]] std::shared_ptr<Site> find(std::string_view host, std::string_view path) const;

  // As Site::load(). If too many sites are loaded, the one that was idle for longest makes room;
  // nullptr, too, if all are in use.
  [[nodiscard]] std::shared_ptr<Service> load(Site& site) const;

  // Refreshes the first site, the list, and for a bounded time the loaded sites. Called by one
  // thread, each second. Errors: as Refresher::refresh(), of the first site. Errors in the tables
  // of others are logged, since they may be corrected while the process runs.
  void refresh();

  // Calls "use" for each service that is loaded, the first site's first. Each is held for the call
  // only: those that are held make no room for others.
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

  Host& host_;
  const Limits limits_;
  const std::shared_ptr<Service> first_service_;
  const std::shared_ptr<Site> first_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const List> list_ GUARDED_BY(mutex_) = std::make_shared<List>();

  // Used by refresh() only.
  std::optional<base::Stopwatch> since_list_;
  base::Stopwatch since_closing_;
  std::string list_error_;          // the last one that was logged
  std::size_t next_refreshed_ = 0;  // in the list
};

// A thread that refreshes the materialized lists of the named periods of all loaded sites while
// this object lives. It opens a database session for each round, every kInterval. The database may
// be unavailable.
class ListRefreshThread {
 public:
  // Both must outlive it.
  ListRefreshThread(const Host& host, const Sites& sites);
  ListRefreshThread(const ListRefreshThread&) = delete;
  ListRefreshThread& operator=(const ListRefreshThread&) = delete;
  // Blocks until the list that is being read is complete.
  ~ListRefreshThread() = default;

  // Begins no more lists. Returns whether the thread has ended within "limit".
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
  std::map<std::string, std::string> last_errors_;  // by the site's prefix; used by thread_ only
  std::binary_semaphore ended_{0};
  std::jthread thread_;
};

}  // namespace fcgi
