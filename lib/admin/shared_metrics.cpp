#include "admin/shared_metrics.h"

#include <cerrno>
#include <cstring>

#include "config/segment_path.h"

namespace admin {
namespace {

std::string sentence_for(int error) {
  switch (error) {
    case ENOENT:
      return "no worker of this site has run since the host was started";
    case EACCES:
      return "only root and the workers' account may see how they are";
    case EINVAL:
      return "the workers are of another version of ratingd";
    default:
      return std::strerror(error);
  }
}

}  // namespace

tl::expected<std::unique_ptr<const base::SharedMemory>, std::string> open_metrics(
    const config::Config& config) {
  return base::SharedMemory::open_read_only(config::metrics_segment_path(config),
                                            sizeof(base::MetricsTable))
      .map_error(sentence_for);
}

}  // namespace admin
