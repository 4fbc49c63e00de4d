#include <array>

#include "api/app.h"
#include "handlers/handlers.h"

namespace handlers {
namespace {

using http::Method;

constexpr std::array kRoutes = {
    // clang-format off
    api::Route{Method::get,     "",                                api::Access::anyone,        api::Charge::read,  api::Caching::validate, api::run<service_index>},
    api::Route{Method::post,    "/rate",                           api::Access::rater,         api::Charge::write, api::Caching::never,    api::run<cast_vote>},
    api::Route{Method::delete_, "/rate",                           api::Access::voter,         api::Charge::write, api::Caching::never,    api::run<withdraw_vote>},
    api::Route{Method::get,     "/stats",                          api::Access::voter,         api::Charge::read,  api::Caching::validate, api::run<stats_of_many>},
    api::Route{Method::get,     "/stats/{object_id}",              api::Access::voter,         api::Charge::read,  api::Caching::validate, api::run<stats_of_one>},
    api::Route{Method::get,     "/public/stats",                   api::Access::anyone,        api::Charge::read,  api::Caching::shared,   api::run<public_stats_of_many>},
    api::Route{Method::get,     "/public/stats/{object_id}",       api::Access::anyone,        api::Charge::read,  api::Caching::shared,   api::run<public_stats_of_one>},
    api::Route{Method::get,     "/me",                             api::Access::known_voter,   api::Charge::read,  api::Caching::validate, api::run<own_ratings>},
    api::Route{Method::delete_, "/me",                             api::Access::known_voter,   api::Charge::write, api::Caching::never,    api::run<erase_own_ratings>},
    api::Route{Method::post,    "/preview",                        api::Access::anyone,        api::Charge::read,  api::Caching::never,    api::run<preview>},
    api::Route{Method::get,     "/templates",                      api::Access::identified,    api::Charge::read,  api::Caching::validate, api::run<list_templates>},
    api::Route{Method::post,    "/templates",                      api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<put_template>},
    api::Route{Method::get,     "/templates/{namespace}/{name}",   api::Access::identified,    api::Charge::read,  api::Caching::validate, api::run<read_template>},
    api::Route{Method::delete_, "/templates/{namespace}/{name}",   api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<delete_template>},
    api::Route{Method::get,     "/analytics/stats",                api::Access::analytics,     api::Charge::read_unless_admin, api::Caching::briefly,  api::run<site_stats>},
    api::Route{Method::get,     "/analytics/top-rated",            api::Access::analytics,     api::Charge::read_unless_admin, api::Caching::briefly,  api::run<top_rated>},
    api::Route{Method::get,     "/analytics/recent",               api::Access::analytics,     api::Charge::read_unless_admin, api::Caching::briefly,  api::run<recent_ratings>},
    api::Route{Method::get,     "/analytics/trends",               api::Access::analytics,     api::Charge::read_unless_admin, api::Caching::briefly,  api::run<trends>},
    api::Route{Method::get,     "/analytics/trends-by-category",   api::Access::analytics,     api::Charge::read_unless_admin, api::Caching::briefly,  api::run<trends_by_category>},
    api::Route{Method::get,     "/analytics/distribution",         api::Access::analytics,     api::Charge::read_unless_admin, api::Caching::briefly,  api::run<distribution>},
    api::Route{Method::get,     "/analytics/top-posts-overview",   api::Access::analytics,     api::Charge::read_unless_admin, api::Caching::briefly,  api::run<top_posts_overview>},
    api::Route{Method::get,     "/analytics/users",                api::Access::all_persons,   api::Charge::read_unless_admin, api::Caching::briefly,  api::run<rating_users>},
    api::Route{Method::get,     "/analytics/user-details/{id}",    api::Access::one_person,    api::Charge::read_unless_admin, api::Caching::briefly,  api::run<user_details>},
    api::Route{Method::get,     "/analytics/post-details/{id}",    api::Access::analytics,     api::Charge::read_unless_admin, api::Caching::briefly,  api::run<post_details>},
    api::Route{Method::get,     "/settings",                       api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<read_settings>},
    api::Route{Method::post,    "/settings",                       api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<change_settings>},
    api::Route{Method::put,     "/settings",                       api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<change_settings>},
    api::Route{Method::patch,   "/settings",                       api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<change_settings>},
    api::Route{Method::get,     "/settings/network",               api::Access::network,       api::Charge::none,  api::Caching::never,    api::run<read_network_settings>},
    api::Route{Method::patch,   "/settings/network",               api::Access::network,       api::Charge::none,  api::Caching::never,    api::run<change_network_settings>},
    api::Route{Method::get,     "/data/held",                      api::Access::moderator,     api::Charge::none,  api::Caching::never,    api::run<list_held>},
    api::Route{Method::post,    "/data/held",                      api::Access::moderator,     api::Charge::none,  api::Caching::never,    api::run<resolve_held>},
    api::Route{Method::get,     "/data/export",                    api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<export_data>},
    api::Route{Method::post,    "/data/import",                    api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<import_data>, api::Body::file},
    api::Route{Method::post,    "/data/clean",                     api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<clean_data>},
    api::Route{Method::get,     "/data/plugins",                   api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<list_plugins>},
    api::Route{Method::post,    "/data/plugins/{name}",            api::Access::administrator, api::Charge::none,  api::Caching::never,    api::run<import_plugin>},
    api::Route{Method::get,     "/health",                         api::Access::anyone,        api::Charge::read,  api::Caching::never,    api::run<health>,           api::Body::parameters, true},
    api::Route{Method::get,     "/metrics",                        api::Access::monitor,       api::Charge::none,  api::Caching::never,    api::run<metrics>,          api::Body::parameters, true},
    api::Route{Method::get,     "/openapi.json",                   api::Access::anyone,        api::Charge::read,  api::Caching::validate, api::run<description>},
    // clang-format on
};

}  // namespace

std::span<const api::Route> routes() { return kRoutes; }

}  // namespace handlers
