// The commands export, import (of a file), clean and merge.

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
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
#include "admin/commands.h"
#include "admin/network.h"
#include "admin/output.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/parse.h"
#include "db/endpoint.h"
#include "json/codec.h"
#include "rollups/rollup_state.h"
#include "rollups/verification.h"
#include "store/settings_store.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"
#include "transfer/merge_objects.h"

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

// The file in "arguments"; "usual" without one, and for "-".
File open_file(const Invocation& call, const char* mode, std::FILE* usual) {
  if (call.arguments.empty() || call.arguments.front() == "-") return File(usual);
  File file(std::fopen(call.arguments.front().c_str(), mode));
  if (!file) throw file_error(call.arguments.front());
  return file;
}

// Calls "take" with each piece of the file "name". Errors: std::runtime_error.
template <typename Take>
void read_pieces(const File& file, const std::string& name, const Take& take) {
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    take(std::string_view(buffer.data(), count));
  }
  if (std::ferror(file.get()) != 0) throw file_error(name);
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
  explicit Reader(const Invocation& call) : call_(call) {}

  [[nodiscard]] const std::string& error() const { return error_; }

  transfer::Selection selection() {
    transfer::Selection selection;
    selection.object_id = id("object");
    selection.voter = id("user");
    if (const auto text = call_.value("type")) {
      selection.object_type = model::parse_object_type(*text);
      if (!selection.object_type) refuse("--type is 1 to 64 of A-Z a-z 0-9 _ . : -");
    }
    selection.visitor = visitor();
    if (selection.visitor && selection.voter) refuse("give --user, or --issuer and --subject");
    return selection;
  }

  Format format() {
    const auto name = call_.value("format");
    if (name && name != "csv" && name != "ndjson") refuse("--format is ndjson or csv");
    const auto& files = call_.arguments;
    const bool is_csv_file = !files.empty() && files.front().ends_with(".csv");
    return name.value_or(is_csv_file ? "csv" : "ndjson") == "csv" ? Format::csv : Format::ndjson;
  }

  transfer::Scopes scopes(const transfer::Selection& selection) {
    const auto names = call_.value("scope");
    if (!names) return transfer::default_scopes(selection);
    const auto scopes = transfer::parse_scopes(json::list_in({*names}));
    if (!scopes) refuse("--scope is a list, with commas, of ratings, settings and templates");
    return scopes.value_or(transfer::Scopes());
  }

  std::optional<base::Time> before(const base::ZoneHistory& zones) {
    const auto text = call_.value("before");
    if (!text) return std::nullopt;
    const auto before = transfer::parse_before(*text, zones);
    if (!before) {
      refuse("--before is a date such as 2026-11-21, or a time such as 2026-11-21T05:00:00Z");
    } else if (*before > base::SystemClock().now()) {
      refuse("--before lies in the future; to delete everything, say --all");
    }
    return before;
  }

  CleanScope clean_scope() {
    const auto* const found = std::ranges::find(transfer::kCleanScopes, call_.arguments.front());
    if (found == transfer::kCleanScopes.end()) {
      refuse("clean what? ratings, addresses, settings or templates");
      return CleanScope::ratings;
    }
    return static_cast<CleanScope>(found - transfer::kCleanScopes.begin());
  }

  void check_clean(CleanScope scope, const transfer::Selection& selection) {
    if (!takes_filters(scope) && !selection.is_all())
      refuse("filters are for ratings and addresses");
    if (selection.is_all() != call_.has("all")) refuse("give filters, or --all for everything");
    if (!call_.has("confirm")) refuse("what is deleted does not come back: add --confirm");
  }

 private:
  std::optional<model::FrontEndVisitor> visitor() {
    const auto issuer = call_.value("issuer");
    const auto subject = call_.value("subject");
    if (!issuer && !subject) return std::nullopt;
    if (!issuer || !subject) refuse("--issuer and --subject go together");
    model::FrontEndVisitor visitor{issuer.value_or(""), subject.value_or("")};
    if (!model::is_issuer(visitor.issuer)) refuse("--issuer is 1 to 64 of A-Z a-z 0-9 _ . -");
    if (!model::is_subject(visitor.subject)) refuse("--subject is 1 to 255 bytes of UTF-8");
    return visitor;
  }

  std::optional<std::uint64_t> id(const std::string& name) {
    const auto text = call_.value(name);
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

  const Invocation& call_;
  std::string error_;
};

// The approximate number of all ratings; 0 for a selection, whose number is unknown.
std::int64_t about(db::Connection& connection, const transfer::Selection& selection) {
  if (!selection.is_all()) return 0;
  return rollups::estimate_rows(connection).votes;
}

// Removes a file that this program has made, unless it is complete: a part of an export must not
// look like all of it.
class IncompleteExport {
 public:
  // "name": empty for standard output.
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
  const File file = open_file(call, "wbx", stdout);
  IncompleteExport incomplete(call.arguments.empty() ? "" : call.arguments.front());
  Progress progress("exporting");
  std::string piece;
  while (rows.next(piece)) {
    if (std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size()) break;
    piece.clear();
    progress(static_cast<std::int64_t>(rows.rows()), all);
  }
  if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0) {
    throw file_error(call.arguments.empty() ? "standard output" : call.arguments.front());
  }
  incomplete.keep();
}

transfer::ImportReport read_import(const Invocation& call, db::Connection& connection,
                                   Format format) {
  const File file = open_file(call, "rb", stdin);
  std::int64_t size = 0;
  if (std::fseek(file.get(), 0, SEEK_END) == 0) {
    size = std::ftell(file.get());
    std::rewind(file.get());
  }
  transfer::Import import(connection, format, base::SystemClock().now());
  Progress progress("importing");
  std::int64_t done = 0;
  const std::string name = call.arguments.empty() ? "standard input" : call.arguments.front();
  read_pieces(file, name, [&](std::string_view piece) {
    import.read(piece);
    progress(done += std::ssize(piece), size);
  });
  return import.finish();
}

int print_import(const transfer::ImportReport& report) {
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
  for (const auto& [line, message] : report.notes) {
    print_line(fmt::format("line {}: {}", line, message.text()));
  }
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

// Errors: std::runtime_error - the file cannot be read, or is larger than any list of objects.
std::string read_list(const Invocation& call) {
  constexpr std::size_t kMaxList = 64 << 20;  // bytes
  const File file = open_file(call, "rb", stdin);
  std::string text;
  read_pieces(file, call.arguments.front(), [&](std::string_view piece) {
    text += piece;
    if (text.size() > kMaxList) throw std::runtime_error("the list is larger than 64 MiB");
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

int export_site(const Invocation& call) {
  Reader reader(call);
  transfer::ExportRequest request;
  request.format = reader.format();
  request.selection = reader.selection();
  request.scopes = reader.scopes(request.selection);
  if (!reader.error().empty()) return refuse(reader.error());
  db::Connection connection(db::without_idle_limit(db::endpoint_of(call.config, kShortWait)));
  look_up_posts(call.config, connection, request.selection);
  write_export(call, connection, request);
  return 0;
}

// "site-2.ndjson" in the folder that is the argument.
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
  Reader reader(call);
  const Format format = reader.format();
  if (!reader.error().empty()) return refuse(reader.error());
  db::Connection connection = connect(call.config, kShortWait);
  return print_import(read_import(call, connection, format));
}

int clean_data(const Invocation& call) {
  db::Connection connection = connect(call.config, kShortWait);
  Reader reader(call);
  const CleanScope scope = reader.clean_scope();
  transfer::Selection selection = reader.selection();
  selection.before = reader.before(rollups::stored_zones(connection));
  reader.check_clean(scope, selection);
  if (!reader.error().empty()) return refuse(reader.error());
  look_up_posts(call.config, connection, selection);
  const std::int64_t all = about(connection, selection);
  Progress progress("cleaning");
  print_cleaned(transfer::clean(connection, scope, selection, [&](std::uint64_t rows) {
    progress(static_cast<std::int64_t>(rows), all);
  }));
  return 0;
}

int merge_data(const Invocation& call) {
  Reader reader(call);
  const std::string type = reader.selection().object_type.value_or("post");
  if (!reader.error().empty()) return refuse(reader.error());
  const auto wholes = transfer::parse_pairs(read_list(call), type);
  if (!wholes) throw std::runtime_error(call.arguments.front() + ", " + wholes.error());
  db::Connection connection = connect(call.config, kShortWait);
  const auto pairs =
      transfer::with_facets(*wholes, store::load_settings(connection).settings.facets);
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
