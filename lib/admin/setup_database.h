#pragma once

#include <string>

#include "admin/setup_plan.h"

namespace admin {

// The database accounts of a site, its secret and its tables, as steps of a setup.

// Adds a record of nothing, for a new site without a root of its database: until the proof, no
// command sends the passwords of its accounts to a server that wp-config.php names.
void add_empty_record(SetupPlan& plan);

// Adds the proof that the site's account uses this database, the record of it, the accounts and
// their rights. Where root is refused, for the reason "why_no_root": a file with SQL for an
// administrator, unless the accounts are complete. plan.remaining says then what to do with it.
// Errors: setup::Error - an account has a password that this host does not have.
void add_accounts(SetupPlan& plan, const std::string& why_no_root);

// Drops the table with the proof, if an administrator or a setup that was killed left one: at the
// end, since a setup that fails needs it again.
void add_end_of_proof(SetupPlan& plan);

// Adds the secret and the tables. REQUIRES: add_accounts() left nothing to do.
// Errors: setup::Error - the tables are there, but not the secret that belongs to their votes.
void add_tables(SetupPlan& plan);

}  // namespace admin
