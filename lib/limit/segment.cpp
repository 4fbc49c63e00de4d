#include "limit/segment.h"

#include "base/shared_memory.h"

namespace limit {
namespace {

constexpr std::string_view kLayoutVersion = "1";

}  // namespace

std::string segment_name(const config::Config& config) {
  const config::Database& database = config.database;
  const std::string server = database.socket.empty()
                                 ? database.host + ":" + std::to_string(database.port)
                                 : database.socket;
  return base::SharedMemory::name_of(
      {server, database.name, config.table_prefix, config.base_path, kLayoutVersion});
}

}  // namespace limit
