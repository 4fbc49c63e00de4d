#pragma once

#include <span>

#include "api/call.h"
#include "api/routes.h"

namespace handlers {

// Returns all of the service's routes, from the table in route_table.cpp.
[[nodiscard]] std::span<const api::Route> routes();

// Answers a request for a route.
using Handler = api::Result(const api::App& app, const api::Call& call);

Handler cast_vote;      // POST /rate
Handler withdraw_vote;  // DELETE /rate
// Returns the client's error for a failed write that the client may repeat.
// Errors: std::runtime_error - the write must not be repeated.
[[nodiscard]] api::Error write_error(votes::WriteError error);

Handler stats_of_one;   // GET /stats/{object_id}
Handler stats_of_many;  // GET /stats?object_ids=
// The routes above, but without the requester's own ratings.
Handler public_stats_of_one;   // GET /public/stats/{object_id}
Handler public_stats_of_many;  // GET /public/stats?object_ids=

Handler service_index;  // GET {base_path}
Handler health;         // GET /health
Handler description;    // GET /openapi.json
// GET /metrics: the metrics of all workers on this host, for Prometheus (text format 0.0.4,
// https://prometheus.io/docs/instrumenting/exposition_formats/). Its HELP lines describe each
// metric.
Handler metrics;

// Voters read and erase their data. REQUIRES: call.voter (optional for own_ratings).
Handler own_ratings;  // GET /me
// DELETE /me: also deletes the browser's cookie. Only the voter's number and last active day remain
// stored.
Handler erase_own_ratings;

Handler preview;          // POST /preview: how a widget looks
Handler list_templates;   // GET /templates
Handler read_template;    // GET /templates/{namespace}/{name}
Handler put_template;     // POST /templates
Handler delete_template;  // DELETE /templates/{namespace}/{name}

// Analytics for site owners, below /analytics. Their common parts are in handlers/analysis.h.
Handler site_stats;          // GET /analytics/stats
Handler trends;              // GET /analytics/trends
Handler trends_by_category;  // GET /analytics/trends-by-category
Handler distribution;        // GET /analytics/distribution
Handler top_rated;           // GET /analytics/top-rated
Handler top_posts_overview;  // GET /analytics/top-posts-overview
Handler recent_ratings;      // GET /analytics/recent
Handler post_details;        // GET /analytics/post-details/{id}
Handler rating_users;        // GET /analytics/users
Handler user_details;        // GET /analytics/user-details/{id}

// For administrators. Both handlers return all settings and their allowed values.
Handler read_settings;    // GET /settings
Handler change_settings;  // POST /settings

// For network administrators, on the network's first site. A setting is null if each site decides
// it.
Handler read_network_settings;    // GET /settings/network
Handler change_network_settings;  // PATCH /settings/network

Handler list_held;      // GET /data/held: votes that are held as suspicious (votes/suspicion.h)
Handler resolve_held;   // POST /data/held: releases or drops held votes
Handler export_data;    // GET /data/export
Handler import_data;    // POST /data/import
Handler clean_data;     // POST /data/clean
Handler list_plugins;   // GET /data/plugins: rating plugins that the site uses or used
Handler import_plugin;  // POST /data/plugins/{name}: one part of an import or its preview

}  // namespace handlers
