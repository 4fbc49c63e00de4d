// The commands `export`, `import` (from files), `clean` and `merge`.

#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/adapters.h"
#include "admin/backup_files.h"
#include "admin/commands.h"
#include "admin/flags.h"
#include "admin/network.h"
#include "admin/output.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/text.h"
#include "db/endpoint.h"
#include "json/fields.h"
#include "rollups/rollup_state.h"
#include "rollups/verification.h"
#include "runtime/blocked_signals.h"
#include "store/settings_store.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"
#include "transfer/merge_objects.h"
#include "transfer/requests.h"

namespace admin {
namespace {

using transfer::Format;

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Returns whether the argument names a file. If the argument is "-" or missing, the command uses
// standard input or standard output.
bool names_file(const Invocation& call) {
  return !call.arguments.empty() && call.arguments.front() != kStandardStream;
}

std::string input_name(const Invocation& call) {
  return names_file(call) ? call.arguments.front() : "standard input";
}

// Opens and returns the file named by the argument. If the argument names no file, returns "usual"
// (standard input or standard output).
File open_file(const Invocation& call, const char* mode, std::FILE* usual) {
  if (!names_file(call)) return File(usual);
  File file(std::fopen(call.arguments.front().c_str(), mode));
  if (!file) throw file_error(call.arguments.front());
  return file;
}

// Reads "file" in pieces and calls "take" with each piece. Throws std::runtime_error if the file
// cannot be read.
template <typename Take>
void read_pieces(const File& file, const std::string& name, const Take& take) {
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    take(std::string_view(buffer.data(), count));
  }
  if (std::ferror(file.get()) != 0) throw file_error(name);
}

// Returns functions that look up the site's posts and time zones. "connection" must outlive these
// functions.
transfer::Lookups lookups_of(const config::Config& config, db::Connection& connection) {
  return {.posts_of =
              [&](const std::string& type) {
                return adapters::make_cms(config)->posts_of(connection, type);
              },
          .zones = [&] { return rollups::stored_zones(connection); }};
}

// Returns the format implied by the file name.
Format usual_format(const Invocation& call) {
  const auto& files = call.arguments;
  const bool is_csv = !files.empty() && base::to_lower(files.front()).ends_with(".csv");
  return is_csv ? Format::csv : Format::ndjson;
}

// Returns the approximate number of ratings, or 0 (unknown) if only some ratings are selected.
std::int64_t about(db::Connection& connection, const transfer::Selection& selection) {
  if (!selection.is_all()) return 0;
  return rollups::estimate_rows(connection).votes;
}

// Removes an incomplete file written by this program, because a partial export must not look
// complete.
class IncompleteExport {
 public:
  // "name" is empty for standard output.
  explicit IncompleteExport(std::string name) : name_(std::move(name)) {}
  IncompleteExport(const IncompleteExport&) = delete;
  IncompleteExport& operator=(const IncompleteExport&) = delete;
  ~IncompleteExport() {
    std::error_code error;
    if (!name_.empty()) std::filesystem::remove(name_, error);
  }

  void keep() { name_.clear(); }

 private:
  std::string name_;
};

void write_export(const Invocation& call, db::Connection& connection,
                  const transfer::ExportRequest& request) {
  const std::int64_t all =
      request.scopes.ratings ? about(connection, request.selection) : std::int64_t{0};
  transfer::Export rows(connection, request);
  umask(S_IRWXG | S_IRWXO);  // ratings are personal data
  std::optional<const runtime::BlockedSignals> signals;
  if (names_file(call)) signals.emplace();  // an incomplete file must be removed
  const File file = open_file(call, "wbx", stdout);
  IncompleteExport incomplete(names_file(call) ? call.arguments.front() : "");
  Progress progress("exporting");
  std::string piece;
  while (rows.next(piece)) {
    if (std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size()) break;
    if (signals && signals->take()) throw Interrupted();
    piece.clear();
    progress(static_cast<std::int64_t>(rows.rows()), all);
  }
  if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0) {
    throw file_error(names_file(call) ? call.arguments.front() : "standard output");
  }
  incomplete.keep();
}

transfer::ImportReport import_file(const Invocation& call, db::Connection& connection,
                                   const transfer::ImportRequest& request) {
  const File file = open_file(call, "rb", stdin);
  std::int64_t size = 0;
  if (std::fseek(file.get(), 0, SEEK_END) == 0) {
    size = std::ftell(file.get());
    std::rewind(file.get());
  }
  transfer::Import import(connection, request.format, base::SystemClock().now(), request.mode);
  Progress progress("importing");
  std::int64_t done = 0;
  read_pieces(file, input_name(call), [&](std::string_view piece) {
    import.read(piece);
    progress(done += std::ssize(piece), size);
  });
  return import.finish();
}

// Prints how many rows for each object an import would add, change or keep.
void print_objects(const transfer::ImportReport& report) {
  if (report.by_object.empty()) return;
  fmt::print("rows of {}:\n",
             base::counted(static_cast<std::int64_t>(report.objects), "object", "objects"));
  for (const auto& [object, counts] : report.by_object) {
    print_line(fmt::format("  {} {}: {} new, {} changed, {} kept", object.type, object.id,
                           counts.added, counts.changed, counts.kept + counts.too_old));
  }
  if (report.objects > report.by_object.size()) std::puts("  ...");
}

int print_import(const transfer::ImportReport& report) {
  fmt::print("read     {}\nnew      {}\nchanged  {}\nkept     {}\n", report.read, report.added,
             report.changed, report.kept);
  if (report.too_old > 0) {
    fmt::print("skipped  {}\n         (older than the votes that retention_months kept)\n",
               report.too_old);
  }
  fmt::print("refused  {}\n", report.refused);
  for (const auto& [line, message] : report.reasons) {
    print_line(fmt::format("line {}: {}", line, message.text()));
  }
  if (report.refused > report.reasons.size()) std::puts("...");
  for (const auto& [line, message] : report.notes) {
    print_line(fmt::format("line {}: {}", line, message.text()));
  }
  print_objects(report);
  if (!report.is_complete)
    std::puts("The file is incomplete: its last line with the count is missing.");
  return report.refused == 0 && report.is_complete ? 0 : 1;
}

void print_cleaned(const transfer::CleanReport& report) {
  const auto print = [](std::string_view what, std::uint64_t count, std::string_view one,
                        std::string_view many) {
    if (count > 0) fmt::print("{} {}\n", what, base::counted(count, one, many));
  };
  print("deleted", report.ratings, "rating", "ratings");
  print("deleted", report.aggregates, "aggregate", "aggregates");
  print("deleted", report.settings, "setting", "settings");
  print("deleted", report.templates, "template", "templates");
  print("erased the addresses of", report.addresses, "rating", "ratings");
  if (report == transfer::CleanReport()) std::puts("there was nothing to delete");
}

// Returns the content of the file that lists the objects to merge. Throws std::runtime_error if the
// file cannot be read, or if it is larger than kMaxList.
std::string read_list(const Invocation& call) {
  constexpr std::size_t kMaxList = 64 << 20;  // bytes
  const File file = open_file(call, "rb", stdin);
  std::string text;
  read_pieces(file, input_name(call), [&](std::string_view piece) {
    text += piece;
    if (text.size() > kMaxList)
      throw std::runtime_error("the list is larger than 64 MiB. Divide it into several files.");
  });
  return text;
}

void print_merged(const transfer::MergedObjects& report) {
  fmt::print(
      "moved       {}\nreplaced    {}  (older ratings of the same voters)\n"
      "dropped     {}  (older than the rating that their voter gave the other object)\n"
      "aggregates  {}\n",
      report.moved, report.newer, report.older, report.aggregates);
  if (report.kept > 0) {
    fmt::print("skipped     {}  (older than the votes that retention_months kept)\n", report.kept);
  }
}

// Unless the command runs for all sites, says which sites of a network the command has not "done",
// such as "exported".
void print_other_sites(const Invocation& call, const char* done) {
  const config::Network& network = call.config.network;
  if (!network.exists || call.has(kAllSites)) return;
  print_text(fmt::format("The other sites of the network were not {}.{}", done,
                         network.serves_all ? " For all sites, use --all-sites." : ""),
             stderr);
}

int export_site(const Invocation& call) {
  const json::Parameters parameters = parameters_of(call);
  json::Fields fields(parameters);
  db::Connection connection(db::without_idle_limit(db::endpoint_of(call.config, kShortWait)));
  require_tables(connection);
  const auto request =
      transfer::read_export(fields, lookups_of(call.config, connection), usual_format(call));
  if (!fields.invalid().empty()) return refuse(call, fields);
  write_export(call, connection, request);
  print_other_sites(call, "exported");
  return 0;
}

// Returns the site's file, such as "site-2.ndjson", in the folder named by the argument.
std::vector<std::string> file_of_site(const Invocation& call, unsigned blog_id) {
  const std::string name =
      fmt::format("site-{}.{}", blog_id, call.value("format").value_or("ndjson"));
  return {(std::filesystem::path(call.arguments.front()) / name).string()};
}

}  // namespace

int export_data(const Invocation& call) {
  if (!call.has(kAllSites)) return export_site(call);
  if (call.arguments.empty()) return refuse("ratingctl: export --all-sites requires a folder");
  return run_for_all_sites(call, export_site, file_of_site);
}

int import_data(const Invocation& call) {
  const json::Parameters parameters = parameters_of(call);
  json::Fields fields(parameters);
  const transfer::ImportRequest request = transfer::read_import(fields, usual_format(call));
  if (!fields.invalid().empty()) return refuse(call, fields);
  if (request.mode == transfer::Import::Mode::preview)
    std::fputs("dry run: nothing is stored\n", stderr);
  db::Connection connection = connect(call.config, kShortWait);
  require_tables(connection);
  return print_import(import_file(call, connection, request));
}

int clean_data(const Invocation& call) {
  db::Connection connection = connect(call.config, kShortWait);
  require_tables(connection);
  json::Parameters parameters = parameters_of(call);
  parameters.add("scope", {call.arguments.front()});
  json::Fields fields(parameters);
  const auto request =
      transfer::read_clean(fields, lookups_of(call.config, connection), base::SystemClock().now());
  if (!fields.invalid().empty()) return refuse(call, fields);
  const std::int64_t all = about(connection, request.selection);
  Progress progress("cleaning");
  print_cleaned(
      transfer::clean(connection, request.scope, request.selection,
                      [&](std::uint64_t rows) { progress(static_cast<std::int64_t>(rows), all); }));
  print_other_sites(call, "changed");
  return 0;
}

int merge_data(const Invocation& call) {
  const json::Parameters parameters = parameters_of(call);
  json::Fields fields(parameters);
  const std::string type = fields.object_type("object_type").value_or("post");
  if (!fields.invalid().empty()) return refuse(call, fields);
  const auto read = transfer::parse_pairs(read_list(call), type);
  if (!read) throw std::runtime_error(call.arguments.front() + ", " + read.error());
  db::Connection connection = connect(call.config, kShortWait);
  require_tables(connection);
  const auto pairs = transfer::with_facets(*read, store::load_settings(connection).settings.facets);
  if (call.has("dry-run")) {
    print_merged(transfer::preview_merge(connection, pairs));
    return 0;
  }
  Progress progress("merging");
  print_merged(transfer::merge_objects(connection, pairs, [&](std::uint64_t ratings) {
    progress(static_cast<std::int64_t>(ratings), 0);
  }));
  return 0;
}

}  // namespace admin
