#include "votes/vote.h"

namespace votes {

void add_with_parts(const VoteRequest& request, std::vector<VoteRequest>& requests) {
  requests.push_back(request);
  if (request.parts.empty()) return;
  requests.back().parts.clear();
  VoteRequest part = requests.back();
  part.is_part = true;
  part.rates_parts_only = false;
  part.related_types.clear();
  for (const VotePart& one : request.parts) {
    part.key.object = one.object;
    part.value = one.value;
    requests.push_back(part);
  }
}

}  // namespace votes
