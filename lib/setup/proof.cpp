#include "setup/proof.h"

#include <utility>

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/joined.h"
#include "config/checked_site.h"
#include "db/endpoint.h"
#include "setup/accounts.h"
#include "store/privileges.h"

namespace setup {
namespace {

constexpr std::size_t kTextBytes = 32;

std::string proof_table(const store::GrantNames& names) {
  return quoted_name(names.database) + "." + quoted_name(names.table_prefix + "ratingd_proof");
}

// Table and text at once: an account of the site may exchange the table at any moment. "text" is
// hexadecimal.
std::string create_proof(const store::GrantNames& names, const std::string& text) {
  return "CREATE TABLE " + proof_table(names) +
         " (proof CHAR(64) NOT NULL PRIMARY KEY) AS SELECT '" + text + "' AS proof";
}

std::string drop_statement(const store::GrantNames& names) {
  return "DROP TABLE IF EXISTS " + proof_table(names);
}

// The table of root, for the time of the proof.
class ProofTable {
 public:
  ProofTable(db::Connection& root, store::GrantNames names)
      : root_(root), names_(std::move(names)) {
    root_.execute(drop_statement(names_));  // of a run that was killed
    root_.execute(create_proof(names_, text_));
  }
  ProofTable(const ProofTable&) = delete;
  ProofTable& operator=(const ProofTable&) = delete;
  ~ProofTable() {
    try {
      root_.execute(drop_statement(names_));
    } catch (const db::Failure&) {
      // The next setup drops it. Its text is used by this proof alone.
    }
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  db::Connection& root_;
  const store::GrantNames names_;
  const std::string text_ = base::to_hex(base::random_bytes(kTextBytes));
};

// Nothing is read of the table: it may have become a view of the site's owner.
bool sees_proof(db::Connection& session, const store::GrantNames& names) {
  return session
      .prepare(
          "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?"
          " AND table_type = 'BASE TABLE'")
      .bind(names.database)
      .bind(names.table_prefix + "ratingd_proof")
      .query()
      .next();
}

std::string columns_of(const store::Right& right) {
  return right.columns.empty() ? "1" : base::joined(right.columns, ", ", quoted_name);
}

}  // namespace

db::Endpoint site_account(const config::Config& config, const config::Config& wp) {
  db::Endpoint endpoint = db::endpoint_of(config, kWaitOfSetup);
  endpoint.user = wp.database.user;
  endpoint.password = wp.database.password;
  return endpoint;
}

void require_reads(db::Connection& site, const store::GrantNames& names) {
  for (const store::Right& right : store::rights_of(names, names.workers)) {
    if (right.table.starts_with(names.table_prefix + "ratingd_")) continue;
    try {
      site.query("SELECT " + columns_of(right) + " FROM " + quoted_name(right.table) + " LIMIT 0");
    } catch (const db::ConnectionLost&) {
      throw;
    } catch (const db::Failure& failure) {
      throw Error("the site's own account, DB_USER of wp-config.php, cannot read " + right.table +
                  " in the database " + right.schema + ": " + failure.what() +
                  "\nIf WordPress is new, first open /wp-admin/install.php of the site in a "
                  "browser.");
    }
  }
}

std::string proof_text(const config::Config& config, const std::string& password) {
  return base::to_hex(base::hmac_sha256(password, config::site_lines(config)));
}

std::string proof_sql(const store::GrantNames& names, const std::string& text) {
  return "-- By this table setup knows that the site uses this server; setup drops it.\n" +
         drop_statement(names) + ";\n" + create_proof(names, text) + ";\nGRANT DROP ON " +
         proof_table(names) + " TO " + in_sql(names.ratingctl) + ";\n";
}

bool reads_proof(db::Connection& site, const std::string& text) {
  try {
    db::Rows row = site.query("SELECT proof FROM {prefix}ratingd_proof");
    return row.next() && row.text(1) == text;
  } catch (const db::ConnectionLost&) {
    throw;
  } catch (const db::Failure&) {
    return false;  // there is none, or only for others
  }
}

Step prove(db::Connection& root, const db::Endpoint& site, const store::GrantNames& names) {
  return {{"prove that the site's own account uses this database: it reads what root writes to a "
           "table, which is dropped again"},
          [&root, site, names] {
            const ProofTable table(root, names);
            db::Connection session(site);
            if (reads_proof(session, table.text())) return;
            throw Error(
                "the site's own account, DB_USER of wp-config.php, does not read all tables of the "
                "database " +
                names.database +
                ", so wp-config.php is no proof that the database is the site's. Grant it SELECT "
                "on the whole database; or, if you know better, give db-host or db-socket, db-name "
                "and table-prefix yourself in the configuration of ratingd and ratingctl");
          },
          {}};
}

Step drop_proof(const config::Config& config, const std::string& account,
                const std::string& password, const store::GrantNames& names) {
  try {
    if (!sees_proof(*connect(config, account, password), names)) return {};
  } catch (const db::Failure&) {
    return {};  // an account that may not use the database may not drop a table in it
  }
  return {
      {"drop the table " + proof_table(names) + ", by which setup knew the database"},
      [=] {
        connect(config, account, password)->execute("DROP TABLE IF EXISTS {prefix}ratingd_proof");
      },
      {}};
}

}  // namespace setup
