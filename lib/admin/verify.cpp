#include "admin/verify.h"

#include <cstdio>

#include "admin/session.h"
#include "store/verification.h"

namespace admin {

int verify(const config::Config& config) {
  db::Connection connection(endpoint_of(config.database, kPatient));
  const auto differences = store::find_differences(connection, config.table_prefix);
  for (const store::Difference& difference : differences) {
    std::printf("%s differs: %s\n", difference.rollup.c_str(), difference.row.c_str());
  }
  if (differences.empty()) {
    std::puts("all sums are what the votes say");
    return 0;
  }
  std::printf("%zu differences (at most %d are listed of each kind)\n", differences.size(),
              store::kMaxDifferences);
  return 1;
}

}  // namespace admin
