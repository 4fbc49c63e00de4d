#include "wordpress/wp_config.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/text.h"
#include "wordpress/php_tokens.h"

namespace wordpress {
namespace {

using Kind = PhpToken::Kind;
using Tokens = std::span<const PhpToken>;

constexpr std::string_view kTablePrefix = "$table_prefix";
constexpr std::string_view kSuperAdmins = "$super_admins";

// The value of a PHP condition, or "unknown" if the parser cannot evaluate the condition.
enum class Truth { no, unknown, yes };

Truth both(Truth a, Truth b) { return std::min(a, b); }

Truth opposite(Truth truth) {
  if (truth == Truth::unknown) return truth;
  return truth == Truth::yes ? Truth::no : Truth::yes;
}

bool opens(const PhpToken& token) {
  return token.is_symbol("(") || token.is_symbol("[") || token.is_symbol("{");
}

bool closes(const PhpToken& token) {
  return token.is_symbol(")") || token.is_symbol("]") || token.is_symbol("}");
}

bool is_any_name(const PhpToken& token, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return token.is_name(name); });
}

// Returns the position of the first match outside brackets: a symbol in "symbols" or an unmatched
// closing bracket. Returns the number of tokens if there is no match.
std::size_t find_outside_brackets(Tokens tokens, std::initializer_list<std::string_view> symbols) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const PhpToken& token = tokens[i];
    const auto matches = [&](std::string_view symbol) { return token.is_symbol(symbol); };
    if (depth == 0 && (std::ranges::any_of(symbols, matches) || closes(token))) return i;
    if (opens(token)) ++depth;
    if (closes(token)) --depth;
  }
  return tokens.size();
}

// The PHP constants for mysqli's connection flags (ext/mysqli/mysqli.c, mysqlnd_enum_n_def.h).
std::optional<std::uint32_t> flag_named(const PhpToken& token) {
  struct Flag {
    std::string_view name;
    std::uint32_t value;
  };
  static constexpr auto kFlags = std::to_array<Flag>({
      {"MYSQLI_CLIENT_FOUND_ROWS", 1U << 1},
      {"MYSQLI_CLIENT_NO_SCHEMA", 1U << 4},
      {"MYSQLI_CLIENT_COMPRESS", 1U << 5},
      {"MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT", 1U << 6},
      {"MYSQLI_CLIENT_IGNORE_SPACE", 1U << 8},
      {"MYSQLI_CLIENT_INTERACTIVE", 1U << 10},
      {"MYSQLI_CLIENT_SSL", 1U << 11},
      {"MYSQLI_CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS", 1U << 22},
      {"MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT", 1U << 30},
      {"MYSQL_CLIENT_COMPRESS", 1U << 5},
      {"MYSQL_CLIENT_IGNORE_SPACE", 1U << 8},
      {"MYSQL_CLIENT_INTERACTIVE", 1U << 10},
      {"MYSQL_CLIENT_SSL", 1U << 11},
  });
  if (token.kind != Kind::name) return std::nullopt;
  // Constant names are case-sensitive, unlike function names.
  const auto* const flag = std::ranges::find(kFlags, token.text, &Flag::name);
  return flag == kFlags.end() ? std::nullopt : std::optional(flag->value);
}

std::optional<std::uint32_t> integer(const PhpToken& token) {
  if (token.kind != Kind::integer) return std::nullopt;
  return base::parse_number<std::uint32_t>(token.text);
}

// Returns the combined flags in a string such as "A", "A | B" or "(2048 | A)".
std::optional<std::string> flags(Tokens value) {
  if (value.size() > 2 && value.front().is_symbol("(") && value.back().is_symbol(")")) {
    value = value.subspan(1, value.size() - 2);
  }
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i % 2 == 1) {
      if (!value[i].is_symbol("|")) return std::nullopt;
      continue;
    }
    const auto named = flag_named(value[i]);
    const auto flag = named ? named : integer(value[i]);
    if (!flag) return std::nullopt;
    all |= *flag;
  }
  if (value.size() % 2 == 0) return std::nullopt;
  return std::to_string(all);
}

std::optional<std::string> literal(Tokens value) {
  const bool negative = value.size() == 2 && value[0].is_symbol("-");
  if (negative && value[1].kind == Kind::integer) return "-" + value[1].text;
  if (value.size() != 1) return flags(value);
  const PhpToken& token = value[0];
  if (token.kind == Kind::string || token.kind == Kind::integer) return token.text;
  if (token.is_name("true")) return "1";
  if (is_any_name(token, {"false", "null"})) return "";
  return flags(value);
}

// Returns the strings in a literal list such as array('a', 'b') or ['a', 'b']. Each string in the
// result is followed by a line feed.
std::optional<std::string> literal_list(Tokens value) {
  if (!value.empty() && value[0].is_name("array")) value = value.subspan(1);
  const bool is_list =
      value.size() > 1 && ((value[0].is_symbol("[") && value.back().is_symbol("]")) ||
                           (value[0].is_symbol("(") && value.back().is_symbol(")")));
  if (!is_list) return std::nullopt;
  Tokens items = value.subspan(1, value.size() - 2);
  std::string list;
  while (!items.empty()) {
    const bool ends_well = items.size() == 1 || items[1].is_symbol(",");
    if (items[0].kind != Kind::string || !ends_well ||
        items[0].text.find('\n') != std::string::npos) {
      return std::nullopt;
    }
    list += items[0].text + '\n';
    items = items.subspan(std::min<std::size_t>(2, items.size()));
  }
  return list;
}

// Reads the statements in a file and records the definitions that they contain.
class StatementReader {
 public:
  explicit StatementReader(std::vector<PhpToken> tokens) : tokens_(std::move(tokens)) {}

  WpConfig read() {
    while (!rest().empty()) statement();
    return std::move(result_);
  }

 private:
  struct Scope {
    Truth runs;                        // tells whether PHP runs this statement
    Truth otherwise = Truth::unknown;  // whether a following "else" is taken if this scope runs
  };

  [[nodiscard]] Tokens rest() const { return Tokens(tokens_).subspan(at_); }
  [[nodiscard]] bool at_symbol(std::string_view symbol) const {
    return !rest().empty() && rest()[0].is_symbol(symbol);
  }

  void statement() {
    const PhpToken& first = rest()[0];
    if (first.is_symbol("{")) return open_block();
    if (closes(first) ||
        is_any_name(first, {"endif", "endwhile", "endfor", "endforeach", "endswitch"})) {
      return close_block();
    }
    if (is_any_name(first, {"if", "elseif"})) return if_or_elseif();
    if (first.is_name("else")) return else_branch();
    if (is_any_name(first, {"while", "for", "foreach", "switch"})) return loop();
    simple_statement();
  }

  void open_block() {
    ++at_;
    scopes_.push_back({both(scopes_.back().runs, next_runs_)});
    next_runs_ = Truth::yes;
  }

  void close_block() {
    ++at_;
    if (scopes_.size() > 1) scopes_.pop_back();
    next_runs_ = Truth::yes;
  }

  void if_or_elseif() {
    const bool is_elseif = rest()[0].is_name("elseif");
    const Truth reached = is_elseif ? scopes_.back().otherwise : next_runs_;
    const Truth holds = condition(bracketed_after_keyword());
    if (is_elseif && at_symbol(":")) return next_branch_of_block();
    begin_branch(both(reached, holds), both(reached, opposite(holds)));
  }

  void else_branch() {
    ++at_;
    if (at_symbol(":")) return next_branch_of_block();
    begin_branch(scopes_.back().otherwise, Truth::unknown);
  }

  void loop() {
    (void)bracketed_after_keyword();
    begin_branch(Truth::unknown, Truth::unknown);
  }

  // Call this function at the beginning of the body of an "if", "elseif" or "else". The body is a
  // statement, a block, or the part between "if (...):" and "endif".
  void begin_branch(Truth runs, Truth otherwise) {
    scopes_.back().otherwise = otherwise;
    next_runs_ = runs;
    if (at_symbol(":")) open_block();
  }

  // Handles "else:" between "if (...):" and "endif".
  void next_branch_of_block() {
    ++at_;
    scopes_.back().runs = Truth::unknown;
  }

  Tokens bracketed_after_keyword() {
    ++at_;
    if (!at_symbol("(")) return {};
    const Tokens inner = rest().subspan(1);
    const std::size_t length = find_outside_brackets(inner, {});
    at_ += std::min(length + 2, rest().size());
    return inner.first(length);
  }

  // Reads up to the next ";", or up to the "{" at the beginning of a function, a class or a similar
  // block.
  void simple_statement() {
    const std::size_t length = find_outside_brackets(rest(), {";", "{"});
    examine(rest().first(length), both(scopes_.back().runs, next_runs_));
    at_ += length;
    next_runs_ = at_symbol("{") ? Truth::unknown : Truth::yes;
    if (at_symbol(";")) ++at_;
  }

  void examine(Tokens statement, Truth runs) {
    runs = both(runs, strip_guards(statement));
    if (runs == Truth::no || statement.empty()) return;
    if (statement[0].is_name("const")) return constants(statement.subspan(1), runs);
    if (statement[0].is_symbol("@")) statement = statement.subspan(1);
    const bool bedrock = statement.size() > 2 && statement[0].is_name("Config");
    if (bedrock && statement[1].is_symbol("::")) statement = statement.subspan(2);
    const std::size_t settings_file = last_settings_file(statement);
    for (std::size_t i = 0; i < statement.size(); ++i) {
      const PhpToken& token = statement[i];
      const Tokens following = statement.subspan(i + 1);
      // Only an expression at the beginning of a statement is certain to run.
      const Truth certain = i == 0 ? runs : Truth::unknown;
      if (is_any_name(token, {"include", "include_once", "require", "require_once"})) {
        includes(i < settings_file, token.line);
      } else if (token.is_name("define") && (i == 0 || is_function_call(statement[i - 1]))) {
        i += define(following, certain);
      } else if (token.kind == Kind::variable && is_read_variable(token.text)) {
        assignment(token.text, following, certain, token.line);
      }
    }
  }

  static bool is_read_variable(std::string_view name) {
    return name == kTablePrefix || name == kSuperAdmins;
  }

  // Given the token before a function name, returns false if the name is part of a method call or a
  // function definition.
  static bool is_function_call(const PhpToken& before) {
    return !before.is_symbol("->") && !before.is_symbol("::") && !before.is_name("function");
  }

  // Removes leading guards such as "defined('X') ||" from the statement. Returns whether PHP runs
  // the rest of the statement.
  Truth strip_guards(Tokens& statement) const {
    Truth runs = Truth::yes;
    for (;;) {
      const std::size_t negated = !statement.empty() && statement[0].is_symbol("!") ? 1 : 0;
      const std::size_t length = negated + 4;
      if (statement.size() <= length || !statement[negated].is_name("defined")) return runs;
      const PhpToken& glue = statement[length];
      const bool is_or = glue.is_symbol("||") || glue.is_name("or");
      if (!is_or && !glue.is_symbol("&&") && !glue.is_name("and")) return runs;
      const Truth holds = condition(statement.first(length));
      runs = both(runs, is_or ? opposite(holds) : holds);
      statement = statement.subspan(length + 1);
    }
  }

  // Returns the truth value of conditions such as "defined('X')", "!defined('X')" and
  // "isset($table_prefix)". Returns "unknown" for all other conditions.
  [[nodiscard]] Truth condition(Tokens tokens) const {
    const bool negated = !tokens.empty() && tokens[0].is_symbol("!");
    if (negated) tokens = tokens.subspan(1);
    if (tokens.size() != 4 || !tokens[1].is_symbol("(") || !tokens[3].is_symbol(")")) {
      return Truth::unknown;
    }
    const PhpToken& name = tokens[2];
    const bool of_constant = tokens[0].is_name("defined") && name.kind == Kind::string;
    const bool of_variable = tokens[0].is_name("isset") && is_read_variable(name.text);
    if (!of_constant && !of_variable) return Truth::unknown;
    return negated ? opposite(is_defined(name.text)) : is_defined(name.text);
  }

  [[nodiscard]] Truth is_defined(std::string_view name) const {
    const auto found = result_.values.find(name);
    if (found != result_.values.end()) return found->second.text ? Truth::yes : Truth::unknown;
    return result_.include_line == 0 ? Truth::no : Truth::unknown;
  }

  // Reads the arguments ('X', value) of a call to define(). Returns the number of tokens read.
  std::size_t define(Tokens call, Truth runs) {
    if (call.size() < 4 || !call[0].is_symbol("(") || call[1].kind != Kind::string ||
        !call[2].is_symbol(",")) {
      return 0;
    }
    const Tokens value = call.subspan(3);
    const std::size_t length = find_outside_brackets(value, {","});
    const std::size_t end = 1 + find_outside_brackets(call.subspan(1), {});
    const bool whole = end + 1 == call.size();
    note_constant(call[1], value.first(length), whole ? runs : both(runs, Truth::unknown));
    return std::min(end + 1, call.size());
  }

  // Reads definitions such as X = value, Y = value after "const".
  void constants(Tokens list, Truth runs) {
    while (list.size() > 2 && list[0].kind == Kind::name && list[1].is_symbol("=")) {
      const Tokens value = list.subspan(2);
      const std::size_t length = find_outside_brackets(value, {","});
      note_constant(list[0], value.first(length), runs);
      list = value.subspan(std::min(length + 1, value.size()));
    }
  }

  void note_constant(const PhpToken& name, Tokens value, Truth runs) {
    auto text = runs == Truth::yes ? literal(value) : std::nullopt;
    result_.values.try_emplace(name.text, WpValue{std::move(text), name.line});
  }

  // Records an assignment to a variable. A later assignment to the same variable replaces an
  // earlier assignment.
  void assignment(const std::string& name, Tokens following, Truth runs, unsigned line) {
    // In an assignment to a list item, such as $super_admins[] = 'a', an index follows the name. To
    // keep the parser's running time linear, an assignment with a very long index counts as an
    // assignment to the whole list.
    constexpr std::size_t kLongestIndex = 32;
    const bool is_item = !following.empty() && following[0].is_symbol("[");
    if (is_item) {
      const Tokens index = following.first(std::min(following.size(), kLongestIndex));
      const std::size_t length = find_outside_brackets(index, {"=", ".=", "\?\?="});
      if (length == kLongestIndex) {
        result_.values.insert_or_assign(name, WpValue{std::nullopt, line});
        return;
      }
      following = following.subspan(length);
    }
    if (following.empty()) return;
    const PhpToken& sign = following[0];
    if (!sign.is_symbol("=") && !sign.is_symbol(".=") && !sign.is_symbol("\?\?=")) return;
    const bool plain = runs == Truth::yes && sign.is_symbol("=") && !is_item;
    const auto value = name == kSuperAdmins ? literal_list : literal;
    result_.values.insert_or_assign(
        name, WpValue{plain ? value(following.subspan(1)) : std::nullopt, line});
  }

  // Returns the position of the last path to wp-settings.php in a statement, or 0 if there is none.
  static std::size_t last_settings_file(Tokens statement) {
    std::size_t position = statement.size();
    while (position > 0 && !statement[position - 1].text.ends_with("wp-settings.php")) --position;
    return position > 0 ? position - 1 : 0;
  }

  // Every wp-config.php includes wp-settings.php at its end.
  void includes(bool is_of_settings, unsigned line) {
    if (!is_of_settings && result_.include_line == 0) result_.include_line = line;
  }

  const std::vector<PhpToken> tokens_;
  std::size_t at_ = 0;
  std::vector<Scope> scopes_ = {{Truth::yes}};
  Truth next_runs_ = Truth::yes;  // whether the next statement or block runs, if its scope runs
  WpConfig result_;
};

}  // namespace

WpConfig parse_wp_config(std::string_view text, const std::string& file) {
  return StatementReader(php_tokens(text, file)).read();
}

}  // namespace wordpress
