#pragma once

// The texts that "ratingctl COMMAND --help" prints, formatted for a terminal with 80 columns. Each
// text describes a command and contains an example. The "Usage: ..." line is also printed if the
// arguments are invalid. Each line that begins with two spaces and "--" declares a flag. A command
// accepts only the flags in its help (admin/commands.cpp). The script man/fill.py also parses the
// help texts.

namespace admin::commands_help {

inline constexpr const char* kSetup = R"(
Set up a site: its configuration, secret, database accounts and tables, the
WordPress plugin, the workers and the web server. The command shows all steps
and asks once. If you repeat it, it completes what is missing.

  sudo ratingctl setup --nginx /etc/nginx/sites-available/example.org.conf

Usage: ratingctl setup [OPTION ...]

  --wp-config FILE    the site's wp-config.php, if this host has several
  --nginx FILE        the nginx file with the site's server { }; adds two lines
  --apache FILE       the Apache file with the site's <VirtualHost>; adds one
                      line and starts a private nginx behind Apache
  --dry-run           show the steps and change nothing
  --yes               do not ask
  --remove            remove everything except the votes and the secret

With --site NAME, for another site on this host:
  --base-path PATH    the API's path, if it does not follow the site's address
  --blog-id N         the number of a site in a WordPress network
  --all-sites         serve all sites of a WordPress network (docs/networks.md)
  --units             only write the site's systemd units again

With --site NAME, for a site without WordPress (docs/other-cms.md):
  --cms none          also create a database and a ticket key
  --site-address URL  the site's address (required)
  --time-zone ZONE    its time zone, such as Europe/Berlin (default UTC)
  --db-host HOST      its database server (default localhost)
  --db-name NAME      its database (default ratingd_ and the name of the site)
  --table-prefix TEXT its table prefix (default the name of the site and _)
)";

inline constexpr const char* kReload = R"(
Replace the workers one after the other, so that they read changed files. No
request is lost. If a new worker does not become ready, the command shows why
and keeps the other workers.

  sudo ratingctl reload

Usage: ratingctl reload
)";

inline constexpr const char* kInitSecret = R"(
Create the site's secret file. It signs the visitors' cookies. All hosts of a
site need the same file. An existing file is never replaced.

  sudo ratingctl init-secret

Usage: ratingctl init-secret
)";

inline constexpr const char* kRotateSecret = R"(
Add a new secret to the site's secret file. The previous secret stays valid, so
visitors keep their votes. Run "ratingctl reload" afterwards.

  sudo ratingctl rotate-secret

Usage: ratingctl rotate-secret
)";

inline constexpr const char* kRetireSecret = R"(
Remove the older of the two secrets from the site's secret file. Cookies that
only the older secret signed become invalid. Run "ratingctl reload" afterwards.

  sudo ratingctl retire-secret

Usage: ratingctl retire-secret
)";

inline constexpr const char* kTicketKeyAdd = R"(
Add a key that verifies the tickets of a front end, and print its secret once.
If a key with this name exists, the new key gets its rights. Both are valid.

  sudo ratingctl ticket-key add shop

Usage: ratingctl ticket-key add [OPTION ...] NAME

  --rights LIST       the rights that tickets may give: administer, see_persons,
                      see_unpublished, separated by commas
  --may-forward       tickets may name the visitor's address
  --cms-users         the visitors in the tickets are users of the CMS
  --sent-by WHO       browsers or server: who sends the tickets. Rate limits
                      count the address of a browser, but not of a server.
                      (default browsers; with --may-forward: server)
  --public-key FILE   verify ES256 signatures with this public key; the front
                      end keeps the private key
)";

inline constexpr const char* kTicketKeyList = R"(
Show the names, ages and rights of the ticket keys, without their secrets.

  sudo ratingctl ticket-key list

Usage: ratingctl ticket-key list
)";

inline constexpr const char* kTicketKeyRemove = R"(
Remove a ticket key. Its tickets are rejected after "ratingctl reload".

  sudo ratingctl ticket-key remove shop --older

Usage: ratingctl ticket-key remove [OPTION ...] NAME

  --older             remove the older of two keys with this name
  --added TIME        remove the key that was added at this time, as shown by
                      "ratingctl ticket-key list"
)";

inline constexpr const char* kGrants = R"(
Print the SQL that grants the two database accounts their privileges. Run it as
root of the database server.

  sudo ratingctl grants | sudo mariadb
  sudo ratingctl grants ratingd@10.0.0.% ratingctl@10.0.0.%

Usage: ratingctl grants [OPTION ...] [WORKERS_ACCOUNT [RATINGCTL_ACCOUNT]]

  --from NAME         print the privileges for imports from this plugin instead
  --all-sites         for each site of a WordPress network
)";

inline constexpr const char* kMigrate = R"(
Create ratingd's tables in the database, or update them to this version.

  sudo ratingctl migrate

Usage: ratingctl migrate [OPTION ...]

  --all-sites         for each site of a WordPress network. Run as root on the
                      database server's host, it also grants missing privileges.
  --new               with --all-sites: only for sites without tables
)";

inline constexpr const char* kStatus = R"(
Show the workers of this host with their counters, and the database with the
version of its tables.

  sudo ratingctl status

Usage: ratingctl status [OPTION ...]

  --all-sites         for each site of a WordPress network
)";

inline constexpr const char* kDoctor = R"(
Check the installation and say what to do about each problem. Start here if
something does not work. The exit status is 1 if a check fails.

  sudo ratingctl doctor

Usage: ratingctl doctor [OPTION ...]

  --all-sites         for each site of a WordPress network; prints only problems
                      and a summary
  --metrics FILE      also write the results to FILE for Prometheus, through the
                      textfile collector of the node exporter
)";

inline constexpr const char* kVerify = R"(
Compute the sums from the votes again and list the differences. Changes nothing.
If there are differences, run "ratingctl rebuild".

  sudo ratingctl verify

Usage: ratingctl verify [OPTION ...]

  --all-sites         for each site of a WordPress network
)";

inline constexpr const char* kRebuild = R"(
Repair the sums that do not match the votes, while the service runs. You can
interrupt and repeat it.

  sudo ratingctl rebuild

Usage: ratingctl rebuild [OPTION ...]

  --all-sites         for each site of a WordPress network
)";

inline constexpr const char* kMaintain = R"(
Replace old votes with sums, erase old addresses, and delete the data of voters
without votes. A timer runs this command every night. The settings decide how
old the data may become. With "all-sites = yes" in the configuration, it always
runs for all sites.

  sudo ratingctl maintain
  sudo ratingctl maintain --orphans

Usage: ratingctl maintain [OPTION ...]

  --orphans[=remove]  only count the ratings of deleted content, or remove them
  --all-sites         for each site of a WordPress network
)";

inline constexpr const char* kBackup = R"(
Write all data of ratingd to a new file, while votes arrive. Only the owner of
the file can read it. FILE may be - for standard output.

  sudo ratingctl backup --with-secret ratingd.backup

Usage: ratingctl backup [OPTION ...] FILE
       ratingctl backup [OPTION ...] --all-sites FOLDER

  --with-secret       include the site's secret. Without it, a new machine would
                      treat all earlier voters as new voters.
  --all-sites         for each site of a WordPress network, write a file such as
                      site-1.backup to FOLDER
)";

inline constexpr const char* kRestore = R"(
Restore all data from a backup. If the file is damaged, nothing changes. Votes
wait until the end. FILE may be - for standard input.

  sudo ratingctl restore --replace ratingd.backup

Usage: ratingctl restore [OPTION ...] FILE
       ratingctl restore [OPTION ...] --all-sites FOLDER

  --replace           required if votes are stored; the backup replaces them
  --with-secret       replace the secret with the secret in the backup
  --keep-secret       keep the secret of this host
  --all-sites         for each site of a WordPress network, restore its file
                      such as site-1.backup from FOLDER
)";

inline constexpr const char* kExport = R"(
Write ratings, settings and templates to a file, or to standard output.

  sudo ratingctl export ratings.ndjson
  sudo ratingctl export --user 7 answer.csv

Usage: ratingctl export [OPTION ...] [FILE]
       ratingctl export [OPTION ...] --all-sites FOLDER

  --scope LIST        ratings, settings or templates, separated by commas
                      (default all, or ratings if a filter is given)
  --format F          ndjson or csv (default: csv if FILE ends with .csv)
  --user ID           only the ratings of this user
  --issuer NAME       only the ratings of a visitor of this front end
  --subject S         with --issuer: the visitor's id at the front end
  --object ID         only the ratings of the object with this id
  --type T            only the ratings of this type; "post" means all posts
  --all-sites         for each site of a WordPress network, write a file such as
                      site-1.ndjson to FOLDER
)";

inline constexpr const char* kImport = R"(
Import a file that "ratingctl export" wrote, or the votes of another plugin.
You can repeat an import: no vote counts twice.

  sudo ratingctl import --dry-run ratings.ndjson

Usage: ratingctl import [OPTION ...] [FILE]
       ratingctl import [OPTION ...] --from NAME

  --dry-run           show what the import would store, and store nothing
  --format F          ndjson or csv (default: csv if FILE ends with .csv)
  --from NAME         import the votes of this plugin (docs/plugins.md)
)";

inline constexpr const char* kClean = R"(
Delete ratings, addresses, settings or templates, permanently. Export them
first. WHAT is ratings, addresses, settings or templates.

  sudo ratingctl clean ratings --user 7 --confirm

Usage: ratingctl clean WHAT [OPTION ...] --confirm

  --confirm           required, because the deletion is permanent
  --user ID           of this user
  --issuer NAME       of a visitor of this front end
  --subject S         with --issuer: the visitor's id at the front end
  --object ID         of the object with this id
  --type T            of this type; "post" means all posts
  --before DAY        changed last before this day, such as 2026-11-21
  --all               all of them, instead of filters
  --all-sites         for each site of a WordPress network
)";

inline constexpr const char* kMerge = R"(
Move the ratings of objects to other objects, for example from translations to
the original. Each line of FILE has two ids: FROM,INTO. If a voter rated both
objects, the later rating stays. Facets are moved, too. You can repeat it.

  sudo ratingctl merge --dry-run translations.csv

Usage: ratingctl merge [OPTION ...] FILE

  --type T            the type of all objects (default post)
  --dry-run           show what would be moved, and change nothing
)";

inline constexpr const char* kDemoData = R"(
Create demo votes on a site without votes.

  sudo ratingctl demo-data --votes 1000

Usage: ratingctl demo-data [OPTION ...]

  --votes N           number of votes (default 100000)
  --objects M         number of objects (default 1000): the newest published
                      posts and pages
  --days D            number of days, up to today (default 365)
  --seed S            the same number makes the same votes again
  --invent-posts      use the ids 1 to M, even if there are no such posts
)";

inline constexpr const char* kDrop = R"(
Delete ratingd's tables with all data, permanently. Without --confirm, only list
the tables. Make a backup first.

  sudo ratingctl drop

Usage: ratingctl drop [OPTION ...]

  --confirm           delete the tables
  --all-sites         for each site of a WordPress network
)";

inline constexpr const char* kFreeMemory = R"(
Remove the workers' shared memory after the last worker has stopped. The
counters restart at zero. Needed before cache-memory or runtime-dir changes.

  sudo systemctl stop ratingd.target
  sudo ratingctl free-memory

Usage: ratingctl free-memory
)";

inline constexpr const char* kSettingsGet = R"(
Show all settings, or the value of one setting.

  sudo ratingctl settings get
  sudo ratingctl settings get retention_months

Usage: ratingctl settings get [NAME]
       ratingctl settings get --all-sites

  --all-sites         show the settings that are enforced for all sites of a
                      WordPress network
)";

inline constexpr const char* kSettingsSet = R"(
Change settings. Workers use the new values within two seconds. Separate the
items of a list with commas.

  sudo ratingctl settings set retention_months=24

Usage: ratingctl settings set [OPTION ...] NAME=VALUE ...

  --all-sites         enforce the values for all sites of a WordPress network;
                      no site can change them
)";

inline constexpr const char* kSettingsReset = R"(
Reset settings to their defaults.

  sudo ratingctl settings reset retention_months

Usage: ratingctl settings reset [OPTION ...] NAME ...
       ratingctl settings reset --all

  --all               reset all settings
  --all-sites         no longer enforce the settings for all sites of a
                      WordPress network
)";

}  // namespace admin::commands_help
