#pragma once

#include <span>

#include "api/call.h"
#include "api/routes.h"

namespace handlers {

// Returns all of the service's routes. The routes are defined in route_table.cpp.
[[nodiscard]] std::span<const api::Route> routes();

// The handlers. Each handler answers the requests for one route. A handler's parameters are its
// dependencies.

// POST /rate
[[nodiscard]] api::Result cast_vote(const api::Core& core, const api::Voting& voting,
                                    const api::Call& call);
// DELETE /rate
[[nodiscard]] api::Result withdraw_vote(const api::Core& core, const api::Voting& voting,
                                        const api::Call& call);
// Returns the error response for a failed write that the client may repeat. Throws
// std::runtime_error if the client must not repeat the write.
[[nodiscard]] api::Error write_error(votes::WriteError error);

// GET /stats/{object_id}
[[nodiscard]] api::Result stats_of_one(const api::Core& core, const api::Reading& reading,
                                       const api::Call& call);
// GET /stats?object_ids=
[[nodiscard]] api::Result stats_of_many(const api::Core& core, const api::Reading& reading,
                                        const api::Call& call);
// GET /public/stats/{object_id} omits the requester's own ratings.
[[nodiscard]] api::Result public_stats_of_one(const api::Core& core, const api::Reading& reading,
                                              const api::Call& call);
// GET /public/stats?object_ids= omits the requester's own ratings.
[[nodiscard]] api::Result public_stats_of_many(const api::Core& core, const api::Reading& reading,
                                               const api::Call& call);

// GET {base_path}
[[nodiscard]] api::Result service_index(const api::Core& core, const api::Front& front,
                                        const api::Call& call);
// GET /health
[[nodiscard]] api::Result health(const api::Core& core, const api::Monitoring& monitoring,
                                 const api::Front& front, const api::Call& call);
// GET /openapi.json
[[nodiscard]] api::Result description(const api::Core& core, const api::Front& front,
                                      const api::Call&);
// GET /metrics returns the metrics of all workers on this host, for Prometheus (text format 0.0.4,
// https://prometheus.io/docs/instrumenting/exposition_formats/). The HELP lines in the response
// describe each metric.
[[nodiscard]] api::Result metrics(const api::Core& core, const api::Voting& voting,
                                  const api::Monitoring& monitoring, const api::Front& front,
                                  const api::Call& call);

// Voters use these handlers to read and erase their own data.
// GET /me
[[nodiscard]] api::Result own_ratings(const api::Core& core, const api::Reading& reading,
                                      const api::Call& call);
// DELETE /me requires call.voter to be set, and also deletes the browser's voter cookie.
// Afterwards, the database contains only the voter's number and last active day.
[[nodiscard]] api::Result erase_own_ratings(const api::Core& core, const api::Voting& voting,
                                            const api::Call& call);

// POST /preview shows how a widget looks.
[[nodiscard]] api::Result preview(const api::Core& core, const api::Reading& reading,
                                  const api::Templates& templates, const api::Call& call);
// GET /templates
[[nodiscard]] api::Result list_templates(const api::Core& core, const api::Templates& templates,
                                         const api::Call& call);
// GET /templates/{namespace}/{name}
[[nodiscard]] api::Result read_template(const api::Core& core, const api::Templates& templates,
                                        const api::Call& call);
// POST /templates
[[nodiscard]] api::Result put_template(const api::Core& core, const api::Templates& templates,
                                       const api::Call& call);
// DELETE /templates/{namespace}/{name}
[[nodiscard]] api::Result delete_template(const api::Core& core, const api::Templates& templates,
                                          const api::Call& call);

// The handlers under /analytics are for site owners.
// GET /analytics/stats
[[nodiscard]] api::Result site_stats(const api::Core& core, const api::Analytics& analytics,
                                     const api::Call& call);
// GET /analytics/trends
[[nodiscard]] api::Result trends(const api::Core& core, const api::Analytics& analytics,
                                 const api::Call& call);
// GET /analytics/trends-by-category
[[nodiscard]] api::Result trends_by_category(const api::Core& core, const api::Analytics& analytics,
                                             const api::Call& call);
// GET /analytics/distribution
[[nodiscard]] api::Result distribution(const api::Core& core, const api::Analytics& analytics,
                                       const api::Call& call);
// GET /analytics/top-rated
[[nodiscard]] api::Result top_rated(const api::Core& core, const api::Analytics& analytics,
                                    const api::Call& call);
// GET /analytics/top-posts-overview
[[nodiscard]] api::Result top_posts_overview(const api::Core& core, const api::Analytics& analytics,
                                             const api::Call& call);
// GET /analytics/recent
[[nodiscard]] api::Result recent_ratings(const api::Core& core, const api::Analytics& analytics,
                                         const api::Call& call);
// GET /analytics/post-details/{id}
[[nodiscard]] api::Result post_details(const api::Core& core, const api::Reading& reading,
                                       const api::Analytics& analytics, const api::Call& call);
// GET /analytics/users
[[nodiscard]] api::Result rating_users(const api::Core& core, const api::Analytics& analytics,
                                       const api::Call& call);
// GET /analytics/user-details/{id}
[[nodiscard]] api::Result user_details(const api::Core& core, const api::Analytics& analytics,
                                       const api::Call& call);

// Administrators use these handlers to read and change the site's settings. The responses contain
// all settings and their allowed values.
// GET /settings
[[nodiscard]] api::Result read_settings(const api::Core& core, const api::Call&);
// POST /settings
[[nodiscard]] api::Result change_settings(const api::Core& core, const api::Call& call);

// Network administrators use these handlers on the network's first site. A setting is null if each
// site can choose its own value.
// GET /settings/network
[[nodiscard]] api::Result read_network_settings(const api::Core& core, const api::Call&);
// PATCH /settings/network
[[nodiscard]] api::Result change_network_settings(const api::Core& core, const api::Call& call);

// GET /data/held returns votes that are held as suspicious (votes/suspicion.h).
[[nodiscard]] api::Result list_held(const api::Core& core, const api::Voting& voting,
                                    const api::Call& call);
// POST /data/held releases or drops held votes.
[[nodiscard]] api::Result resolve_held(const api::Core& core, const api::Voting& voting,
                                       const api::Call& call);
// GET /data/export
[[nodiscard]] api::Result export_data(const api::Core& core, const api::Transfers& transfers,
                                      const api::Call& call);
// POST /data/import
[[nodiscard]] api::Result import_data(const api::Core& core, const api::Reading& reading,
                                      const api::Transfers& transfers, const api::Call& call);
// POST /data/clean
[[nodiscard]] api::Result clean_data(const api::Core& core, const api::Reading& reading,
                                     const api::Transfers& transfers, const api::Call& call);
// GET /data/plugins returns the rating plugins that the site uses or has used.
[[nodiscard]] api::Result list_plugins(const api::Core& core, const api::Call&);
// POST /data/plugins/{name} runs one part of an import or of its preview.
[[nodiscard]] api::Result import_plugin(const api::Core& core, const api::Reading& reading,
                                        const api::Transfers& transfers, const api::Call& call);

}  // namespace handlers
