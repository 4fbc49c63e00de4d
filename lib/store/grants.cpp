#include "store/grants.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "db/migrations.h"

namespace store {
namespace {

struct Token {
  enum class Kind { word, name, symbol };  // a name is quoted, and a word is not quoted

  Kind kind;
  std::string text;
};

bool is_of_word(char c) {
  return base::is_letter_or_digit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Removes a quoted name from the beginning of "text". The quotation mark is usually a backtick, but
// is a different character in some SQL modes. Returns nothing if the closing quotation mark is
// missing.
std::optional<Token> take_name(std::string_view& text) {
  const char quote = text.front();
  Token token{Token::Kind::name, ""};
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      const bool doubled = i + 1 < text.size() && text[i + 1] == quote;
      if (!doubled) {
        text.remove_prefix(i + 1);
        return token;
      }
      ++i;
    }
    token.text += text[i];
  }
  return std::nullopt;
}

Token take_word(std::string_view& text) {
  const auto* const end = std::ranges::find_if_not(text, is_of_word);
  const auto size = static_cast<std::size_t>(end - text.begin());
  Token token{Token::Kind::word, std::string(text.substr(0, size))};
  text.remove_prefix(size);
  return token;
}

std::optional<std::vector<Token>> tokens_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  constexpr std::string_view kQuotes = "`'\"";
  std::vector<Token> tokens;
  while (!text.empty()) {
    if (kBlanks.find(text.front()) != std::string_view::npos) {
      text.remove_prefix(1);
    } else if (kQuotes.find(text.front()) != std::string_view::npos) {
      auto name = take_name(text);
      if (!name) return std::nullopt;
      tokens.push_back(*std::move(name));
    } else if (is_of_word(text.front())) {
      tokens.push_back(take_word(text));
    } else {
      tokens.push_back({Token::Kind::symbol, std::string(1, text.front())});
      text.remove_prefix(1);
    }
  }
  return tokens;
}

// Parses a GRANT or REVOKE statement token by token. Each take_...() function returns false or
// nothing if the next token is not the expected token.
class Reader {
 public:
  explicit Reader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::optional<Grant> read() {
    Grant grant;
    grant.taken = take_word("REVOKE");
    if (!grant.taken && !take_word("GRANT")) return std::nullopt;
    auto privileges = take_privileges();
    if (!privileges || !take_word("ON")) return std::nullopt;
    const auto schema = take_scope();
    if (!schema || !take_symbol('.')) return std::nullopt;
    const auto table = take_scope();
    if (!table || !take_word(grant.taken ? "FROM" : "TO") || !take_account(grant.account)) {
      return std::nullopt;
    }
    for (Privilege& privilege : *privileges) {
      privilege.schema = *schema;
      privilege.table = *table;
    }
    grant.privileges = *std::move(privileges);
    grant.grantable = rest_is_grantable();
    return grant;
  }

 private:
  [[nodiscard]] bool is_at(Token::Kind kind) const {
    return next_ < tokens_.size() && tokens_[next_].kind == kind;
  }
  [[nodiscard]] bool is_at_word(std::string_view word) const {
    return is_at(Token::Kind::word) && base::equals_ignoring_case(tokens_[next_].text, word);
  }
  bool take_word(std::string_view word) {
    const bool found = is_at_word(word);
    if (found) ++next_;
    return found;
  }
  bool take_symbol(char symbol) {
    const bool found = is_at(Token::Kind::symbol) && tokens_[next_].text.front() == symbol;
    if (found) ++next_;
    return found;
  }

  // Consumes a list of privileges such as "SELECT (a, b), INSERT, CREATE TEMPORARY TABLES".
  std::optional<std::vector<Privilege>> take_privileges() {
    std::vector<Privilege> privileges;
    do {
      Privilege privilege;
      while (is_at(Token::Kind::word) && !is_at_word("ON")) {
        if (!privilege.action.empty()) privilege.action += ' ';
        privilege.action += capitals(tokens_[next_++].text);
      }
      if (privilege.action.empty()) return std::nullopt;
      if (take_symbol('(') && !take_columns(privilege.columns)) return std::nullopt;
      privileges.push_back(std::move(privilege));
    } while (take_symbol(','));
    return privileges;
  }

  bool take_columns(std::vector<std::string>& columns) {
    do {
      if (!is_at(Token::Kind::name) && !is_at(Token::Kind::word)) return false;
      columns.push_back(tokens_[next_++].text);
    } while (take_symbol(','));
    std::ranges::sort(columns);
    return take_symbol(')');
  }

  // Consumes the name of a schema or a table, which must be quoted, or "*". If the next token is an
  // unquoted word, such as PROCEDURE, the statement is not about tables.
  std::optional<std::string> take_scope() {
    if (take_symbol('*')) return "*";
    if (!is_at(Token::Kind::name)) return std::nullopt;
    return tokens_[next_++].text;
  }

  bool take_account(std::string& account) {
    if (!is_at(Token::Kind::name) && !is_at(Token::Kind::word)) return false;
    account = tokens_[next_++].text;
    if (!take_symbol('@')) return true;
    if (!is_at(Token::Kind::name)) return false;
    account += '@' + tokens_[next_++].text;
    return true;
  }

  // Returns whether the remaining text contains "WITH GRANT OPTION".
  bool rest_is_grantable() {
    for (; next_ < tokens_.size(); ++next_) {
      if (take_word("GRANT") && is_at_word("OPTION")) return true;
    }
    return false;
  }

  static std::string capitals(std::string text) {
    for (char& c : text) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
  }

  const std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

bool is_allowed(const std::vector<Privilege>& allowed, const Privilege& privilege) {
  return privilege.action == "USAGE" ||  // not a privilege
         std::ranges::any_of(allowed, [&](const Privilege& one) { return covers(one, privilege); });
}

void add_item(std::string& list, const std::string& item) {
  list.append(list.empty() ? "" : ", ").append(item);
}

// Returns a privilege with its columns, such as "SELECT (ID, user_login)".
std::string action_and_columns(const Privilege& privilege) {
  if (privilege.columns.empty()) return privilege.action;
  return privilege.action + " (" + base::joined(privilege.columns) + ")";
}

std::string table_name_of(const Privilege& privilege) {
  return privilege.schema + "." + privilege.table;
}

// Returns whether the line from SHOW GRANTS grants no privileges. SHOW GRANTS lists the privileges
// of an active role in a separate line.
bool gives_nothing(std::string_view line) {
  return line.starts_with("REVOKE ") || line.starts_with("SET DEFAULT ROLE ");
}

// Returns the text before the account in a GRANT statement, because the text after the account may
// contain a password hash.
std::string front_of(std::string_view line) {
  const std::size_t end = line.find(" TO ");
  if (!line.starts_with("GRANT ") || end == std::string_view::npos) return "a grant of a new kind";
  return std::string(line.substr(0, end));
}

}  // namespace

bool covers(const Privilege& allowed, const Privilege& wanted) {
  const auto is_for = [](const std::string& name, const std::string& wanted_name) {
    return name == "*" || name == wanted_name;
  };
  return is_for(allowed.schema, wanted.schema) && is_for(allowed.table, wanted.table) &&
         (allowed.action == wanted.action || allowed.action == "ALL PRIVILEGES") &&
         (allowed.columns.empty() ||
          (!wanted.columns.empty() && std::ranges::includes(allowed.columns, wanted.columns)));
}

std::optional<Grant> read_grant(std::string_view statement) {
  auto tokens = tokens_of(statement);
  return tokens ? Reader(*std::move(tokens)).read() : std::nullopt;
}

std::vector<Privilege> in_lower_case(std::vector<Privilege> privileges) {
  for (Privilege& privilege : privileges) {
    privilege.schema = base::to_lower(privilege.schema);
    privilege.table = base::to_lower(privilege.table);
  }
  return privileges;
}

std::vector<std::string> privileges_beyond(const std::vector<Privilege>& allowed,
                                           const std::vector<std::string>& shown,
                                           const SameTable& same_table, bool in_any_case) {
  const std::vector<Privilege> compared = in_any_case ? in_lower_case(allowed) : allowed;
  std::vector<std::string> beyond;
  for (const std::string& line : shown) {
    if (gives_nothing(line)) continue;
    const auto grant = read_grant(line);
    if (!grant) {
      beyond.push_back(front_of(line));
      continue;
    }
    std::string words;
    for (const Privilege& privilege : grant->privileges) {
      Privilege same = privilege;
      same.table = same_table(privilege.table);
      std::vector<Privilege> either = {privilege, same};
      if (in_any_case) either = in_lower_case(either);
      if (is_allowed(compared, either[0]) || is_allowed(compared, either[1])) continue;
      add_item(words, action_and_columns(privilege));
    }
    if (grant->grantable) add_item(words, "GRANT OPTION");
    if (!words.empty()) beyond.push_back(words + " on " + table_name_of(grant->privileges.front()));
  }
  return beyond;
}

std::string to_words(const Privilege& privilege) {
  return action_and_columns(privilege) + " on " + table_name_of(privilege);
}

// --- The grants for ratingd's accounts -----------------------------------------------------------

namespace {

std::string escaped(std::string_view name) { return base::replace_all(name, "`", "``"); }

std::string with_host(const std::string& account) {
  return account.find('@') == std::string::npos ? account + "@localhost" : account;
}

// Replaces each line that contains the placeholder {own_table} with one line for each of ratingd's
// tables.
std::string lines_for(std::string_view text, const GrantNames& names) {
  constexpr std::string_view kOwnTable = "{own_table}";
  std::istringstream lines{std::string(text)};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("--") || line.find(kOwnTable) == std::string::npos) {
      result += line + "\n";
    } else {
      for (const std::string& table : db::table_names(names.table_prefix)) {
        result += base::replace_all(line, kOwnTable, table) + "\n";
      }
    }
  }
  return result;
}

}  // namespace

std::string quoted_name(std::string_view name) { return "`" + escaped(name) + "`"; }

std::string quoted_account(const std::string& account) {
  const std::string full = with_host(account);
  const std::size_t at = full.rfind('@');
  return quoted_name(full.substr(0, at)) + "@" + quoted_name(full.substr(at + 1));
}

std::string grant_statements(const GrantNames& names) {
  std::string text = lines_for(grants_text(), names);
  if (!names.cms_grants.empty()) text += "\n" + names.cms_grants;
  text = db::with_prefix(text, names.table_prefix);
  text = base::replace_all(text, "{database}", escaped(names.database));
  text = base::replace_all(text, "{workers}", quoted_account(names.workers));
  return base::replace_all(text, "{ratingctl}", quoted_account(names.ratingctl));
}

std::string read_grants(const GrantNames& names, const std::string& account,
                        std::span<const std::string_view> tables) {
  std::string text;
  for (const std::string_view table : tables) {
    text += "GRANT SELECT ON `" + escaped(names.database) + "`.`" + names.table_prefix +
            std::string(table) + "` TO " + quoted_account(account) + ";\n";
  }
  return text;
}

std::vector<Privilege> privileges_of(const GrantNames& names, const std::string& account) {
  std::vector<Privilege> privileges;
  for (const std::string& statement : db::statements_of(grant_statements(names))) {
    const auto grant = read_grant(statement);
    if (!grant || grant->account != with_host(account)) continue;
    for (const Privilege& privilege : grant->privileges) {
      if (grant->taken) {
        std::erase(privileges, privilege);
      } else {
        privileges.push_back(privilege);
      }
    }
  }
  return privileges;
}

}  // namespace store
