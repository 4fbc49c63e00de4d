#pragma once

#include <string>

#include "config/config.h"
#include "db/connection.h"
#include "db/endpoint.h"
#include "setup/step.h"
#include "store/grants.h"

namespace setup {

// DESIGN. A customer could enter another site's database in wp-config.php to make setup, which runs
// as root, grant privileges on that database. Before granting privileges, setup requires two proofs
// that the database belongs to the site.
//
// First, the site's own database account (DB_USER, DB_PASSWORD) must be able to read the WordPress
// tables that ratingd will read.
// Second, these WordPress tables must be on the database server on which root grants the
// privileges. Root writes a random string to a table in the database, and the site's database
// account must be able to read the string through the address that ratingd will use. A fake
// database server could provide the second proof only by forwarding data that the customer may read
// anyway.
//
// If the host's root user has no administrator account in the database, a database administrator
// creates the proof table together with ratingd's accounts (accounts_sql()). The administrator's
// proof table contains a string derived from the workers' new password. The workers' new password
// is not used for anything else before the proof.

// Returns the site's own database account. "wp" contains only the settings from wp-config.php.
[[nodiscard]] db::Endpoint site_account(const config::Config& config, const config::Config& wp);

// Checks that the site's database account can read WordPress's tables. Throws setup::Error if the
// account cannot read a table.
void require_reads(db::Connection& site, const store::GrantNames& names);

// Returns the string in the proof table created by a database administrator.
[[nodiscard]] std::string proof_text(const config::Config& config, const std::string& password);

// Returns the SQL statements that create the proof table, for a database administrator. The
// statements also permit ratingctl to drop the table.
[[nodiscard]] std::string proof_sql(const store::GrantNames& names, const std::string& text);

// Returns whether the site's database account can read the string "text" from the proof table.
[[nodiscard]] bool reads_proof(db::Connection& site, const std::string& text);

// Verifies that the site's database account can read the string written by root. "root" must
// outlive the step.
[[nodiscard]] Step prove(db::Connection& root, const db::Endpoint& site,
                         const store::GrantNames& names);

// Drops a proof table created by an administrator or left behind by a killed setup process.
// "account" must have the privilege to drop the table, for example root or ratingctl's account.
// Does nothing if the account has no access to the table.
[[nodiscard]] Step drop_proof(const config::Config& config, const std::string& account,
                              const std::string& password, const store::GrantNames& names);

}  // namespace setup
