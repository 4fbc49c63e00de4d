#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/zone.h"
#include "cms/findings.h"
#include "db/connection.h"
#include "db/pool.h"
#include "http/request.h"
#include "limit/login_guard.h"
#include "model/facets.h"
#include "model/object_set.h"
#include "model/rating.h"
#include "model/rights.h"
#include "model/settings.h"
#include "runtime/log.h"

namespace cms {

// Specifies who may learn that objects of a type exist. "unclear" is used for types from CMS
// extensions, because the CMS's tables do not show who may see these types.
enum class TypeAccess { internal, unclear, everybody };

// The state of an object in the CMS, checked before a rating is accepted.
struct ObjectState {
  std::string type = {};  // the type in the CMS, in lower case; empty if the object does not exist
  // The strictest value of the `object_check` setting that allows the object to be rated. "known"
  // means that the object exists in the CMS. "published" means that everybody may see the object.
  model::ObjectCheck passed_check = model::ObjectCheck::off;
  TypeAccess type_access = TypeAccess::unclear;

  bool operator==(const ObjectState&) const = default;
};

// Returns the CMS type that the value "object_type" selects in a filter or in the
// `enabled_object_types` setting. Both "book" and "post:book" select the CMS type "book", but
// "post:book" selects only objects that were rated as "post". "post:post" selects posts whose own
// type is "post", whereas "post" selects posts of every type.
[[nodiscard]] constexpr std::string_view own_type(std::string_view object_type) {
  constexpr std::string_view kOnlyPosts = "post:";
  if (object_type.starts_with(kOnlyPosts)) object_type.remove_prefix(kOnlyPosts.size());
  return object_type;
}

// Returns whether any element of "object_types" selects the CMS type "type".
[[nodiscard]] inline bool names_own_type(const std::vector<std::string>& object_types,
                                         std::string_view type) {
  return std::any_of(object_types.begin(), object_types.end(),
                     [&](const std::string& one) { return own_type(one) == type; });
}

// The CMS's description of an object.
struct ContentItem {
  std::string type;           // the type in the CMS, or "comment", "term", "author"
  std::string title;          // for a comment, its beginning and its post's title
  std::string link;           // empty if the object has no page now
  bool is_published = false;  // everybody may see the object if its type is public
  // For a taxonomy term, the name of the taxonomy. For a comment, the type of the commented object.
  std::string post_type = {};
  TypeAccess type_access = TypeAccess::everybody;
  bool has_password = false;  // the CMS shows the object only to people who know its password

  bool operator==(const ContentItem&) const = default;
};

// A rating widget that the CMS's plugin adds to all content of a certain type.
struct PlacedRating {
  std::string type;
  bool is_post = true;                  // a post type, whose posts are rated as "post"
  std::string group;                    // "criteria", "reactions" or empty
  std::vector<std::string> names = {};  // names in the group
  std::string template_slug = {};       // if empty, the template in the settings

  bool operator==(const PlacedRating&) const = default;
};

// The rated objects that do not appear in lists, and their facets.
struct OmittedObjects {
  // Objects of internal types, such as menus and templates. Internal objects are not content, so
  // even lists for editors do not contain them.
  model::ObjectSet internal;
  model::ObjectSet for_everybody;  // the internal objects and all objects that are not published

  bool operator==(const OmittedObjects&) const = default;
};

// Selects rated objects by their titles in the CMS.
struct TitleSearch {
  std::string words;  // part of the title; case is ignored
  // If set, only objects of this type match. An object matches "object_type" if it was rated with
  // this type or if it has this type in the CMS.
  std::optional<std::string> object_type = {};
  // If true, objects match only if they are published, have a public type, and have no password.
  bool is_for_everybody = true;
  // Types that are treated as public, in addition to the types that the CMS shows to everybody.
  std::vector<std::string> further_public_types = {};
  // The site's facets. Facets match only if "object_type" is the type of the facets, not the type
  // of their parent.
  model::FacetNames facets = {};
  std::size_t limit = 0;  // the maximum number of objects
  std::chrono::milliseconds time_limit{0};
};

struct TitleMatches {
  model::ObjectSet objects;    // the newest matching objects
  bool exceeds_limit = false;  // more objects match
  bool exceeds_time = false;   // the time limit was reached before older objects were searched
};

// A registered user of the CMS.
struct User {
  std::uint64_t id = 0;  // 1 ... 2^63 - 1
  model::Rights rights;

  bool operator==(const User&) const = default;
};

// Information about the login in a request, even if the request does not identify a user.
struct LoginState {
  // A new REST nonce if the request contained a valid nonce (X-WP-Nonce header), and otherwise
  // empty.
  std::string fresh_nonce;
  // True if the nonce is invalid because the page was loaded before a login or logout. A valid
  // nonce shows that a request comes from the CMS's own pages.
  bool has_stale_nonce = false;
  // True if the request has a login cookie, which may be valid, but no nonce. Without a nonce, the
  // page that sent the request does not know whether its visitor is logged in.
  bool lacks_nonce = false;
  // The time until passwords are checked again, if too many logins have failed. Otherwise, 0.
  std::chrono::seconds retry_after{0};
  limit::Limit limit = {};  // the limit that was reached, if "retry_after" is not 0
  // True if the password was not checked because too many password checks were running. The
  // password may be correct, so the client may try again, and the request must not be treated as
  // anonymous.
  bool is_overloaded = false;
  // True if the request has a login cookie or a nonce from the CMS, which means that the sender can
  // log in on a page of the CMS.
  bool has_login_page = false;
};

struct Identification {
  std::optional<User> user;  // the user, logged in with any kind of credentials
  LoginState login;
};

// The limits on failed logins are stricter for protected routes, because on these routes, no other
// limits apply before the login is checked.
enum class Route { open, protected_ };

// The services that a CMS uses to identify users. All members must outlive the call to
// Cms::identify().
struct LoginServices {
  db::Pool& sessions;
  limit::LoginGuard& guard;
  const runtime::Log& log;
};

// The addresses at which people log in to the CMS.
struct LoginAddresses {
  std::string page;   // the URL of the page
  std::string nonce;  // the URL that returns a fresh nonce to logged-in users

  bool operator==(const LoginAddresses&) const = default;
};

struct Addresses {
  std::string home = {};  // the URL of the home page without a slash at the end, or empty
  std::vector<std::string> others = {};  // other origins from which pages may send requests
  bool is_of_network = false;  // other sites may share the web server, on other hosts or paths
  std::optional<LoginAddresses> login = {};   // if empty, nobody can log in to the CMS
  std::optional<std::string> rest_root = {};  // the URL of the CMS's own REST API; ends in a slash
};

// DESIGN. The interface to the site's content management system (CMS). An adapter is a folder in
// lib/ with a class that implements the Cms interface for one CMS. Code outside of the adapters
// does not depend on the site's CMS. The file lib/adapters/adapters.cpp selects the adapter
// according to the "cms" option. The document docs/other-cms.md explains how to write an adapter.
// The smallest adapter is in adapters/none.h.
//
// An adapter reads the CMS's tables and never writes to them. A session, a password or a role that
// becomes invalid in the CMS also becomes invalid in ratingd within one second. The change takes
// effect at the next request or call to refresh().
//
// Safe for concurrent use if each caller has its own connection. All functions that take a
// connection throw the same exceptions as db::Connection.
class Cms {
 public:
  Cms() = default;
  Cms(const Cms&) = delete;
  Cms& operator=(const Cms&) = delete;
  virtual ~Cms() = default;

  // --- The site ----------------------------------------------------------------------------------

  [[nodiscard]] virtual Addresses addresses(db::Connection& connection) const = 0;
  // time_zone() returns the time zone in which the site counts days, and week_start() returns the
  // first day of the week.
  [[nodiscard]] virtual base::Zone time_zone(db::Connection& connection) const = 0;
  [[nodiscard]] virtual std::chrono::weekday week_start(db::Connection& connection) const = 0;

  // --- Requesters and their permissions ----------------------------------------------------------

  // Reads the data that identify() needs about all users. Must be called by only one thread at a
  // time. If refresh() throws an exception, the old data remains in use.
  virtual void refresh(db::Connection& connection) = 0;
  // Returns whether refresh() has ever succeeded.
  [[nodiscard]] virtual bool is_ready() const = 0;
  // Returns the logged-in user who sent "request", and the user's current permissions. Credentials
  // count only if the CMS's own page or a program sent them intentionally. A cookie alone does not
  // count, because any page can make a browser send cookies. Must be called only if is_ready()
  // returns true. Blocks while it waits for a database session (db::Pool) or while it computes a
  // slow password hash.
  [[nodiscard]] virtual Identification identify(const http::Request& request, Route route,
                                                const LoginServices& services) = 0;
  // Returns whether identify() accepts user names and passwords (HTTP Basic).
  [[nodiscard]] virtual bool takes_passwords() const = 0;
  // Returns the secret (HS256) for tickets from the CMS's own programs, which can derive the same
  // secret. The issuer of a ticket from the CMS's own programs is the CMS's name (config::name_of),
  // and the "sub" claim is a user id. A ticket from the CMS's own programs may grant any
  // permission. Returns nothing if the CMS does not support tickets from its own programs.
  [[nodiscard]] virtual std::optional<std::string> ticket_secret() const = 0;
  // Returns the display names of "users" in the CMS. Omits unknown users.
  [[nodiscard]] virtual std::map<std::uint64_t, std::string> display_names(
      db::Connection& connection, std::span<const std::uint64_t> users) const = 0;
  // Returns the ids of users whose display name, login or e-mail address contains "words". The
  // search ignores case. Returns at most "limit" ids, beginning with the lowest id.
  [[nodiscard]] virtual std::vector<std::uint64_t> users_named(db::Connection& connection,
                                                               std::string_view words,
                                                               std::size_t limit) const = 0;

  // --- The rated objects -------------------------------------------------------------------------
  //
  // Functions with a model::FacetNames parameter treat a facet like its parent (model/facets.h).
  // Functions without a model::FacetNames parameter accept only parents, not facets.

  // Returns the state of "object". The type "post" matches posts of every type.
  [[nodiscard]] virtual ObjectState state_of(db::Connection& connection,
                                             const model::Object& object) const = 0;
  // Returns an SQL subquery without parameters that selects the ids of the CMS's objects with the
  // type "type". Returns nothing if the CMS has no objects of this type. "type" must be a result of
  // model::parse_object_type().
  [[nodiscard]] virtual std::optional<std::string> ids_of_type(db::Connection& connection,
                                                               const std::string& type) const = 0;
  // Returns an SQL subquery for a filter on "object_type", or an empty string if the filter works
  // without a subquery. The filter selects objects that were rated with the type "object_type". The
  // filter also selects objects that were rated with the type "post" and whose ids the subquery
  // returns.
  [[nodiscard]] std::string posts_of(db::Connection& connection,
                                     const std::string& object_type) const {
    if (object_type == "post") return {};  // posts of every type are rated as "post"
    return ids_of_type(connection, std::string(own_type(object_type))).value_or("");
  }
  // Returns descriptions of the objects in "objects" that exist in the CMS.
  [[nodiscard]] virtual std::map<model::Object, ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects) const = 0;
  // Returns the rated objects that must not appear in lists. The types in "listed_types" are never
  // internal. Returns nothing if the query takes longer than "time_limit".
  [[nodiscard]] virtual std::optional<OmittedObjects> rated_and_omitted(
      db::Connection& connection, const model::FacetNames& facets,
      const std::vector<std::string>& listed_types, std::chrono::milliseconds time_limit) const = 0;
  // Returns the ids of the newest posts that everybody may see, up to "limit" ids. Returns only
  // posts whose type is known to be public or is listed in "further_types". If the adapter does not
  // support posts, returns nothing, and any id may be rated.
  [[nodiscard]] virtual std::optional<std::vector<std::uint64_t>> newest_posts(
      db::Connection& connection, const std::vector<std::string>& further_types,
      std::size_t limit) const = 0;
  // Returns the rated objects whose titles match "search". The title of a comment shows only the
  // comment's beginning, but the search may also find words in the comment's later text. The
  // entities &amp; &lt; &gt; &quot; and &#039; count as the characters that they represent.
  [[nodiscard]] virtual TitleMatches rated_with_title(db::Connection& connection,
                                                      const TitleSearch& search) const = 0;
  // Returns the rated objects that no longer exist in the CMS, and their facets, ordered by id.
  // Returns only objects whose types exist in the CMS. Scans an entire index of the votes table.
  [[nodiscard]] virtual std::vector<model::Object> rated_and_deleted(
      db::Connection& connection, const model::FacetNames& facets) const = 0;

  // --- Operation ---------------------------------------------------------------------------------

  // Returns SQL that grants ratingd's accounts their privileges on the CMS's tables. The text has
  // the format of the file sql/grants.sql, with the placeholders {database}, {workers} and
  // {ratingctl}.
  [[nodiscard]] virtual std::string grants() const = 0;
  // If "table" is a table of another site in the network, returns the name of this site's
  // corresponding table, and otherwise returns "table". same_table_here() is needed only if all
  // sites in a network share their database accounts. "in_any_case" is true if the database server
  // ignores the case of table names.
  [[nodiscard]] virtual std::string same_table_here(const std::string& table,
                                                    bool /*in_any_case*/) const {
    return table;
  }
  // Returns the rating widgets added to pages by the CMS's plugin. may_register() returns whether
  // visitors can register.
  [[nodiscard]] virtual std::vector<PlacedRating> placed_ratings(db::Connection&) const {
    return {};
  }
  [[nodiscard]] virtual bool may_register(db::Connection&) const { return false; }
  // Runs the CMS's checks for "ratingctl doctor" and adds their results to "report".
  virtual void check(db::Connection& connection, std::vector<Finding>& report) const = 0;
};

}  // namespace cms
