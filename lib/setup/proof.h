#pragma once

#include <string>

#include "config/config.h"
#include "db/connection.h"
#include "db/endpoint.h"
#include "setup/step.h"
#include "store/grants.h"

namespace setup {

// DESIGN. A customer on the host may control wp-config.php, and root grants privileges on the
// tables that this file names. So setup requires two proofs that the database belongs to the site:
//
//   - The site's own account (DB_USER, DB_PASSWORD) can read the WordPress tables that ratingd will
//     read.
//   - The account reads these tables on the right server. Root writes a random string into a table
//     in the database, and the account reads the string at the address that ratingd will use. A
//     customer's own server could only pass on data that the customer may read anyway.
//
// If this host's root is not the database's root, a database administrator creates the table
// together with the accounts (accounts_sql()). The string in the table is derived from the workers'
// new password, which is not used anywhere else before the proof.

// Returns the site's own account. "wp" is the configuration from wp-config.php alone.
[[nodiscard]] db::Endpoint site_account(const config::Config& config, const config::Config& wp);

// Checks that the site's account can read WordPress's tables. Errors: Error if it cannot.
void require_reads(db::Connection& site, const store::GrantNames& names);

// An administrator has created a table with a string as proof. Returns this string.
[[nodiscard]] std::string proof_text(const config::Config& config, const std::string& password);

// Returns the statements for an administrator. With these statements, ratingctl may also drop the
// table.
[[nodiscard]] std::string proof_sql(const store::GrantNames& names, const std::string& text);

// Returns whether the site's account reads this string.
[[nodiscard]] bool reads_proof(db::Connection& site, const std::string& text);

// Verifies that the site's account can read root's string. "root" must outlive the step.
[[nodiscard]] Step prove(db::Connection& root, const db::Endpoint& site,
                         const store::GrantNames& names);

// Drops the administrator's table, or the table that a killed setup has left behind. "account" must
// be allowed to drop the table, like root or ratingctl's account. Does nothing if the account does
// not see the table.
[[nodiscard]] Step drop_proof(const config::Config& config, const std::string& account,
                              const std::string& password, const store::GrantNames& names);

}  // namespace setup
