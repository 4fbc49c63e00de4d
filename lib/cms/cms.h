#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/zone.h"
#include "cms/content.h"
#include "cms/findings.h"
#include "cms/login.h"
#include "db/connection.h"
#include "http/request.h"
#include "model/facets.h"
#include "model/object_set.h"
#include "model/rating.h"
#include "model/settings.h"

namespace cms {

// Where people log in to the CMS.
struct LoginAddresses {
  std::string page;   // the URL of the page
  std::string nonce;  // the URL that answers with a fresh nonce to users who are logged in

  bool operator==(const LoginAddresses&) const = default;
};

struct Addresses {
  std::string home = {};                 // of the home page, without a slash at the end; or empty
  std::vector<std::string> others = {};  // further ones, from which pages may send requests
  bool is_of_network = false;  // other sites may share the web server, on other hosts or paths
  std::optional<LoginAddresses> login = {};   // nothing: nobody can log in to the CMS
  std::optional<std::string> rest_root = {};  // the URL of the CMS's own REST API; ends in a slash
};

// DESIGN. Everything that ratingd asks the content management system beside which it runs: the
// site, who sends a request and what they may do, and the objects that are rated. Nothing outside
// of an adapter knows which CMS it is. An adapter is a folder of lib/ with a class that implements
// this interface; lib/adapters/adapters.cpp selects it by the option "cms". docs/other-cms.md tells
// how to write one, and adapters/none.h is the smallest.
//
// An adapter reads the CMS's tables and never writes to them. What ends in the CMS (a session, a
// password, a role) ends here with the next request or the next refresh(), which is called each
// second.
//
// Safe for concurrent use, each caller with its own connection. Errors of all functions that take a
// connection: as db::Connection.
class Cms {
 public:
  Cms() = default;
  Cms(const Cms&) = delete;
  Cms& operator=(const Cms&) = delete;
  virtual ~Cms() = default;

  // --- The site ----------------------------------------------------------------------------------

  [[nodiscard]] virtual Addresses addresses(db::Connection& connection) const = 0;
  // The zone in which the site counts its days, and the first day of its weeks.
  [[nodiscard]] virtual base::Zone time_zone(db::Connection& connection) const = 0;
  [[nodiscard]] virtual std::chrono::weekday week_start(db::Connection& connection) const = 0;

  // --- Who asks, and what they may do ------------------------------------------------------------

  // Reads what identify() needs about all users. Called by one thread at a time. After an error the
  // old state stays.
  virtual void refresh(db::Connection& connection) = 0;
  // Whether refresh() has succeeded.
  [[nodiscard]] virtual bool is_ready() const = 0;
  // The logged-in user who sent "request", with the rights that the user has now. Only what the
  // CMS's own page or a program sent on purpose counts, not what any page can make a browser send.
  // REQUIRES: is_ready(). May block as db::Pool and for the time of a slow hash.
  [[nodiscard]] virtual Identification identify(const http::Request& request, Route route,
                                                const LoginServices& services) = 0;
  // Whether identify() takes user names and passwords (HTTP Basic).
  [[nodiscard]] virtual bool takes_passwords() const = 0;
  // The shared secret (HS256) of the tickets with which the CMS's own programs come: a secret that
  // they can derive, too. Their issuer is the name of the CMS (config::name_of), "sub" is a user's
  // id, and they may have all rights. Nothing: there are no such tickets.
  [[nodiscard]] virtual std::optional<std::string> ticket_secret() const = 0;
  // The names of users as the CMS shows them; unknown users are omitted.
  [[nodiscard]] virtual std::map<std::uint64_t, std::string> display_names(
      db::Connection& connection, std::span<const std::uint64_t> users) const = 0;
  // Returns the ids of users whose display name, login or e-mail address contains "words". The case
  // of letters does not matter. Returns at most "limit" ids, the lowest first.
  [[nodiscard]] virtual std::vector<std::uint64_t> users_named(db::Connection& connection,
                                                               std::string_view words,
                                                               std::size_t limit) const = 0;

  // --- The rated objects -------------------------------------------------------------------------
  // Where functions take the names of facets, the facets of an object (model/facets.h) are what the
  // object is. Elsewhere, ask about the object.

  // The state of "object". The type "post" stands for objects of every type that the CMS has.
  [[nodiscard]] virtual ObjectState state_of(db::Connection& connection,
                                             const model::Object& object) const = 0;
  // A subquery for SQL, without parameters, that selects the ids of the CMS's objects of a type.
  // Nothing if the CMS has none. REQUIRES: model::parse_object_type(type) == type.
  [[nodiscard]] virtual std::optional<std::string> ids_of_type(db::Connection& connection,
                                                               const std::string& type) const = 0;
  // The posts that a filter on "object_type" selects besides the objects that were rated as this
  // type: a subquery as of ids_of_type(), for what was rated as "post". Empty: none.
  [[nodiscard]] std::string posts_of(db::Connection& connection,
                                     const std::string& object_type) const {
    if (object_type == "post") return {};  // posts of every type are rated as it
    return ids_of_type(connection, std::string(own_type(object_type))).value_or("");
  }
  // The objects that exist in the CMS, by the requested objects.
  [[nodiscard]] virtual std::map<model::Object, ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects) const = 0;
  // Returns the rated objects that lists omit. Types that "listed_types" names are not internal.
  // Returns nothing if that takes longer than "time_limit".
  [[nodiscard]] virtual std::optional<OmittedObjects> rated_and_omitted(
      db::Connection& connection, const model::FacetNames& facets,
      const std::vector<std::string>& listed_types, std::chrono::milliseconds time_limit) const = 0;
  // Returns the ids of the newest posts that everybody may see, at most "limit": those of types
  // that are certainly public, and of "further_types". Returns nothing if the CMS has no posts of
  // its own, so any id may be rated.
  [[nodiscard]] virtual std::optional<std::vector<std::uint64_t>> newest_posts(
      db::Connection& connection, const std::vector<std::string>& further_types,
      std::size_t limit) const = 0;
  // The rated objects whose titles contain some words; of a comment's text, more may be searched
  // than its title has. The entities &amp; &lt; &gt; &quot; and &#039; count as the characters that
  // they stand for.
  [[nodiscard]] virtual TitleMatches rated_with_title(db::Connection& connection,
                                                      const TitleSearch& search) const = 0;
  // The rated objects that no longer exist in the CMS, and their facets, in the order of their ids:
  // only those of types that the CMS has. Reads an index of all votes.
  [[nodiscard]] virtual std::vector<model::Object> rated_and_deleted(
      db::Connection& connection, const model::FacetNames& facets) const = 0;

  // --- Operation ---------------------------------------------------------------------------------

  // The statements that give ratingd's accounts the rights on the CMS's tables, in the form of
  // sql/grants.sql, with {database}, {workers} and {ratingctl} in it.
  [[nodiscard]] virtual std::string grants() const = 0;
  // If the accounts are those of all sites of a network: the name of a table of this site in place
  // of that of another one. Else "table".
  [[nodiscard]] virtual std::string same_table_here(const std::string& table) const {
    return table;
  }
  // The ratings that the CMS's own program places, and whether visitors can get a login by
  // themselves.
  [[nodiscard]] virtual std::vector<PlacedRating> placed_ratings(db::Connection&) const {
    return {};
  }
  [[nodiscard]] virtual bool may_register(db::Connection&) const { return false; }
  // The CMS's part of "ratingctl doctor".
  virtual void check(db::Connection& connection, std::vector<Finding>& report) const = 0;
};

}  // namespace cms
