#pragma once

#include "api/call.h"

namespace api {

// Analytics for site owners, below {base_path}/analytics. api/analysis.h has the shared parts.

Result site_stats(const App& app, const Call& call);          // GET /stats
Result trends(const App& app, const Call& call);              // GET /trends
Result trends_by_category(const App& app, const Call& call);  // GET /trends-by-category
Result distribution(const App& app, const Call& call);        // GET /distribution

Result top_rated(const App& app, const Call& call);           // GET /top-rated
Result top_posts_overview(const App& app, const Call& call);  // GET /top-posts-overview
Result recent_ratings(const App& app, const Call& call);      // GET /recent
Result post_details(const App& app, const Call& call);        // GET /post-details/{id}

Result rating_users(const App& app, const Call& call);  // GET /users
Result user_details(const App& app, const Call& call);  // GET /user-details/{id}

}  // namespace api
