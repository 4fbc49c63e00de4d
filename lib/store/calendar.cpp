#include "store/calendar.h"

namespace store {

CalendarStore::CalendarStore(const std::string& table_prefix)
    : state_(table_prefix), wp_(table_prefix) {}

Calendar CalendarStore::read(db::Connection& connection) const {
  Calendar calendar;
  calendar.zone = state_.zone(connection);
  calendar.site_zone = wp_.time_zone(connection);
  const std::string start = wp_.option(connection, "start_of_week").value_or("1");
  if (start.size() == 1 && start[0] >= '0' && start[0] <= '6') {  // 0 is Sunday
    calendar.week_start = std::chrono::weekday(static_cast<unsigned>(start[0] - '0'));
  }
  return calendar;
}

}  // namespace store
