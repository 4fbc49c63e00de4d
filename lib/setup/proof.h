#pragma once

#include <string>

#include "config/config.h"
#include "db/connection.h"
#include "db/endpoint.h"
#include "setup/step.h"
#include "store/grants.h"

namespace setup {

// DESIGN. wp-config.php may be in the hands of a customer of the host. What it names, root gives
// accounts rights to, so setup wants two proofs that it is the site's own:
//
//   - the site's own account (DB_USER, DB_PASSWORD) can read the tables of WordPress that ratingd
//     is to read;
//   - it does so on the server that root means: root puts a random text into a table of the
//     database, and the account reads it at the address that ratingd will use. A server of the
//     customer's own can pass on only what the customer may read anyway.
//
// Where root of this host is not root of the database, an administrator of it makes the table, with
// the accounts (accounts_sql()). Its text follows from a password that only the file has and that
// is used nowhere before the proof.

// The site's own account. "wp" is the configuration by wp-config.php alone.
[[nodiscard]] db::Endpoint site_account(const config::Config& config, const config::Config& wp);

// Errors: Error - a table of WordPress cannot be read.
void require_reads(db::Connection& site, const store::GrantNames& names);

// The text that an administrator's table has.
[[nodiscard]] std::string proof_text(const config::Config& config, const std::string& password);

// The statements for an administrator; they let ratingctl's account drop the table.
[[nodiscard]] std::string proof_sql(const store::GrantNames& names, const std::string& text);

// Whether the site's account reads this text.
[[nodiscard]] bool reads_proof(db::Connection& site, const std::string& text);

// Whether the site's account reads what root has written. "root" must outlive the step.
[[nodiscard]] Step prove(db::Connection& root, const db::Endpoint& site,
                         const store::GrantNames& names);

// Drops the administrator's table, or that of a setup that was killed, as an account that may do
// so: root or ratingctl's. Nothing to do if the account does not see the table.
[[nodiscard]] Step drop_proof(const config::Config& config, const std::string& account,
                              const std::string& password, const store::GrantNames& names);

}  // namespace setup
