#include "admin/transfer.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "adapters/adapters.h"
#include "admin/database_waits.h"
#include "admin/print_line.h"
#include "admin/progress.h"
#include "base/clock.h"
#include "base/counted.h"
#include "base/parse.h"
#include "db/endpoint.h"
#include "json/values.h"
#include "rollups/rollup_state.h"
#include "rollups/verification.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"

namespace admin {
namespace {

using transfer::CleanScope;
using transfer::Format;

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::runtime_error file_error(const std::string& path) {
  const std::error_code code(errno, std::generic_category());
  return std::runtime_error(path + ": " + code.message());
}

// The file in "arguments"; "usual" without one, and for "-".
File open_file(Arguments arguments, const char* mode, std::FILE* usual) {
  if (arguments.empty() || arguments.front() == "-") return File(usual);
  File file(std::fopen(arguments.front().c_str(), mode));
  if (!file) throw file_error(arguments.front());
  return file;
}

// The posts of the CMS's type that the selection names are selected, too.
void look_up_posts(const config::Config& config, db::Connection& connection,
                   transfer::Selection& selection) {
  if (!selection.object_type) return;
  selection.posts = adapters::make_cms(config)->posts_of(connection, *selection.object_type);
}

// Reads the flags of a command. Reports the first error; after it, the values are meaningless.
class Reader {
 public:
  explicit Reader(const Flags& flags) : flags_(flags) {}

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] bool has(const std::string& name) const { return flags_.contains(name); }

  transfer::Selection selection() {
    transfer::Selection selection;
    selection.object_id = id("object");
    selection.voter = id("user");
    if (const auto text = value("type")) {
      selection.object_type = model::parse_object_type(*text);
      if (!selection.object_type) refuse("--type is 1 to 64 of A-Z a-z 0-9 _ . : -");
    }
    selection.visitor = visitor();
    if (selection.visitor && selection.voter) refuse("give --user, or --issuer and --subject");
    return selection;
  }

  Format format(Arguments arguments) {
    const auto name = value("format");
    if (name && name != "csv" && name != "ndjson") refuse("--format is ndjson or csv");
    const bool is_csv_file = !arguments.empty() && arguments.front().ends_with(".csv");
    return name.value_or(is_csv_file ? "csv" : "ndjson") == "csv" ? Format::csv : Format::ndjson;
  }

  transfer::Scopes scopes(const transfer::Selection& selection) {
    const auto names = value("scope");
    if (!names) return transfer::default_scopes(selection);
    const auto scopes = transfer::parse_scopes(json::list_in({*names}));
    if (!scopes) refuse("--scope is a list, with commas, of ratings, settings and templates");
    return scopes.value_or(transfer::Scopes());
  }

  std::optional<base::Time> before(const base::Zone& zone) {
    const auto text = value("before");
    if (!text) return std::nullopt;
    const auto before = transfer::parse_before(*text, zone);
    if (!before) {
      refuse("--before is a date such as 2026-11-21, or a time such as 2026-11-21T05:00:00Z");
    } else if (*before > base::SystemClock().now()) {
      refuse("--before lies in the future; to delete everything, say --all");
    }
    return before;
  }

  CleanScope clean_scope(const std::string& name) {
    const auto* const found = std::ranges::find(transfer::kCleanScopes, name);
    if (found == transfer::kCleanScopes.end()) {
      refuse("clean what? ratings, addresses, settings or templates");
      return CleanScope::ratings;
    }
    return static_cast<CleanScope>(found - transfer::kCleanScopes.begin());
  }

  void check_clean(CleanScope scope, const transfer::Selection& selection) {
    if (!takes_filters(scope) && !selection.is_all())
      refuse("filters are for ratings and addresses");
    if (selection.is_all() != has("all")) refuse("give filters, or --all for everything");
    if (!has("confirm")) refuse("what is deleted does not come back: add --confirm");
  }

 private:
  std::optional<std::string> value(const std::string& name) const {
    const auto found = flags_.find(name);
    if (found == flags_.end()) return std::nullopt;
    return found->second;
  }

  std::optional<model::Visitor> visitor() {
    const auto issuer = value("issuer");
    const auto subject = value("subject");
    if (!issuer && !subject) return std::nullopt;
    if (!issuer || !subject) refuse("--issuer and --subject go together");
    model::Visitor visitor{issuer.value_or(""), subject.value_or("")};
    if (!model::is_issuer(visitor.issuer)) refuse("--issuer is 1 to 64 of A-Z a-z 0-9 _ . -");
    if (!model::is_subject(visitor.subject)) refuse("--subject is 1 to 255 bytes of UTF-8");
    return visitor;
  }

  std::optional<std::uint64_t> id(const std::string& name) {
    const auto text = value(name);
    if (!text) return std::nullopt;
    const auto id = base::parse_number<std::uint64_t>(*text);
    if (!id || *id < 1 || *id > model::kMaxObjectId) {
      refuse("--" + name + " is an integer from 1 to 9223372036854775807");
    }
    return id;
  }

  // Only the first error is reported.
  void refuse(const std::string& sentence) {
    if (error_.empty()) error_ = sentence;
  }

  const Flags& flags_;
  std::string error_;
};

int complain(const Reader& reader) {
  print_line(reader.error(), stderr);
  return kWrongArguments;
}

// Shows the progress of about "all"; nothing while that is unknown.
class Bar {
 public:
  Bar(const char* what, std::int64_t all) : progress_(what), all_(all) {}
  void show(std::uint64_t done) {
    if (all_ > 0) progress_.show(std::min(static_cast<std::int64_t>(done), all_), all_);
  }

 private:
  Progress progress_;
  const std::int64_t all_;
};

// The approximate number of all ratings; 0 for a selection, whose number is unknown.
std::int64_t about(db::Connection& connection, const config::Config& config,
                   const transfer::Selection& selection) {
  if (!selection.is_all()) return 0;
  return rollups::estimate_rows(connection, config.table_prefix).votes;
}

void write_export(const config::Config& config, db::Connection& connection,
                  const transfer::ExportRequest& request, Arguments arguments) {
  const std::int64_t all =
      request.scopes.ratings ? about(connection, config, request.selection) : std::int64_t{0};
  transfer::Export rows(connection, config.table_prefix, request);
  umask(S_IRWXG | S_IRWXO);  // ratings are personal data
  const File file = open_file(arguments, "wbx", stdout);
  Bar bar("exporting", all);
  std::string piece;
  while (rows.next(piece)) {
    if (std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size()) break;
    piece.clear();
    bar.show(rows.rows());
  }
  if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0) {
    throw file_error(arguments.empty() ? "standard output" : arguments.front());
  }
}

transfer::ImportReport read_import(const config::Config& config, db::Connection& connection,
                                   Format format, Arguments arguments) {
  const File file = open_file(arguments, "rb", stdin);
  std::int64_t size = 0;
  if (std::fseek(file.get(), 0, SEEK_END) == 0) {
    size = std::ftell(file.get());
    std::rewind(file.get());
  }
  transfer::Import import(connection, config.table_prefix, format, base::SystemClock().now());
  Bar bar("importing", size);
  std::array<char, 65536> buffer;
  std::uint64_t done = 0;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    import.read({buffer.data(), count});
    bar.show(done += count);
  }
  if (std::ferror(file.get()) != 0) {
    throw file_error(arguments.empty() ? "standard input" : arguments.front());
  }
  return import.finish();
}

int print_report(const transfer::ImportReport& report) {
  fmt::print("read     {}\nnew      {}\nchanged  {}\nkept     {}\n", report.read, report.added,
             report.changed, report.kept);
  if (report.rolled_up > 0) {
    fmt::print("skipped  {}\n         (older than the votes that retention_months kept)\n",
               report.rolled_up);
  }
  fmt::print("refused  {}\n", report.refused);
  for (const auto& [line, message] : report.reasons) {
    print_line(fmt::format("line {}: {}", line, message.text()));
  }
  if (report.refused > report.reasons.size()) std::puts("...");
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
  print("deleted", report.aggregates, "balance", "balances");
  print("deleted", report.settings, "setting", "settings");
  print("deleted", report.templates, "template", "templates");
  print("erased the addresses of", report.addresses, "rating", "ratings");
  if (report == transfer::CleanReport()) std::puts("there was nothing to delete");
}

}  // namespace

int export_data(const config::Config& config, Arguments arguments, const Flags& flags) {
  Reader reader(flags);
  transfer::ExportRequest request;
  request.format = reader.format(arguments);
  request.selection = reader.selection();
  request.scopes = reader.scopes(request.selection);
  if (!reader.error().empty()) return complain(reader);
  db::Connection connection(db::without_idle_limit(db::endpoint_of(config.database, kWaitForMany)));
  look_up_posts(config, connection, request.selection);
  write_export(config, connection, request, arguments);
  return 0;
}

int import_data(const config::Config& config, Arguments arguments, const Flags& flags) {
  Reader reader(flags);
  const Format format = reader.format(arguments);
  if (!reader.error().empty()) return complain(reader);
  db::Connection connection(db::endpoint_of(config.database, kWaitForMany));
  return print_report(read_import(config, connection, format, arguments));
}

int clean_data(const config::Config& config, Arguments arguments, const Flags& flags) {
  db::Connection connection(db::endpoint_of(config.database, kWaitForMany));
  Reader reader(flags);
  const CleanScope scope = reader.clean_scope(arguments.front());
  transfer::Selection selection = reader.selection();
  selection.before = reader.before(rollups::RollupStateStore(config.table_prefix).zone(connection));
  reader.check_clean(scope, selection);
  if (!reader.error().empty()) return complain(reader);
  look_up_posts(config, connection, selection);
  Bar bar("cleaning", about(connection, config, selection));
  print_cleaned(transfer::clean(connection, config.table_prefix, scope, selection,
                                [&](std::uint64_t rows) { bar.show(rows); }));
  return 0;
}

}  // namespace admin
