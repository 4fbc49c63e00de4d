#include "wordpress/wp_config.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "config/config.h"

namespace wordpress {
namespace {

constexpr const char* kComputed = "(computed)";
constexpr const char* kMissing = "(missing)";

// Parses the PHP code "php", and returns the value of the constant "name".
std::string value(const std::string& php, const std::string& name = "X") {
  const WpConfig wp = parse_wp_config("<?php\n" + php, "wp-config.php");
  const auto found = wp.values.find(name);
  if (found == wp.values.end()) return kMissing;
  return found->second.text.value_or(kComputed);
}

std::string prefix(const std::string& php) { return value(php, "$table_prefix"); }

std::string error(const std::string& text) {
  try {
    (void)parse_wp_config(text, "wp-config.php");
  } catch (const config::Error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(WpConfig, ReadsEachWayToDefineAConstant) {
  for (const char* const php : {
           "define('X', 'v');",
           R"(define("X", "v");)",
           "DEFINE ( 'X' , 'v' ) ;",
           "\\define('X', 'v');",
           "@define('X', 'v');",
           "define('X', 'v', true);",
           "define('X',\n  // why\n  'v'\n);",
           "const X = 'v';",
           "const A = 1, X = 'v', B = 2;",
           "defined('X') || define('X', 'v');",
           "defined('X') or define('X', 'v');",
           "!defined('X') && define('X', 'v');",
           "if (!defined('X')) define('X', 'v');",
           "if ( ! defined( 'X' ) ) {\n\tdefine( 'X', 'v' );\n}",
           "if (!defined('X')): define('X', 'v'); endif;",
           "if (defined('X')) { die(); } else { define('X', 'v'); }",
           "Config::define('X', 'v');",
           "{ define('X', 'v'); }",
           "?> text <?php define('X', 'v') ?>",
       }) {
    EXPECT_EQ(value(php), "v") << php;
  }
}

TEST(WpConfig, ReadsLiteralsAsPhpTurnsThemIntoStrings) {
  const std::vector<std::pair<const char*, const char*>> literals = {
      {"''", ""},
      {R"('it\'s')", "it's"},
      {R"('back\\slash')", R"(back\slash)"},
      {R"('\n$x?>//#')", R"(\n$x?>//#)"},
      {R"("a\n\t\\\$\"")", "a\n\t\\$\""},
      {R"("\x41\102\q")", R"(AB\q)"},
      {R"("5$ {x} $5")", "5$ {x} $5"},
      {"7", "7"},
      {"-1", "-1"},
      {"true", "1"},
      {"FALSE", ""},
      {"null", ""},
      {"' a '", " a "},
  };
  for (const auto& [php, expected] : literals) {
    EXPECT_EQ(value(std::string("define('X', ") + php + ");"), expected) << php;
  }
}

TEST(WpConfig, JoinsTheFlagsOfMysqlClients) {
  const std::vector<std::pair<const char*, const char*>> flags = {
      {"MYSQLI_CLIENT_SSL", "2048"},
      {"MYSQL_CLIENT_SSL", "2048"},
      {"\\MYSQLI_CLIENT_SSL", "2048"},
      {"MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_COMPRESS", "2080"},
      {"MYSQLI_CLIENT_COMPRESS|MYSQLI_CLIENT_SSL|MYSQLI_CLIENT_SSL", "2080"},
      {"( MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT )", "2112"},
      {"2048 | 64", "2112"},
      {"MYSQLI_CLIENT_SSL | OTHER", kComputed},
      {"MYSQLI_CLIENT_SSL ||  MYSQLI_CLIENT_COMPRESS", kComputed},
      {"MYSQLI_CLIENT_SSL & MYSQLI_CLIENT_COMPRESS", kComputed},
      {"MYSQLI_CLIENT_SSL |", kComputed},
      {"mysqli_client_ssl", kComputed},
      {"MYSQLI_CLIENT_SSL | 9999999999", kComputed},
      {"MYSQLI_CLIENT_SSL | 'x'", kComputed},
  };
  for (const auto& [php, expected] : flags) {
    EXPECT_EQ(value(std::string("define('X', ") + php + ");"), expected) << php;
  }
}

TEST(WpConfig, KeepsEveryCharacterOfASalt) {
  for (const std::string salt : {
           "zn7$GqP!M7+Pg6P_wI4t66CsMK:((t}YV@6!L<h<8lRe^M_-/R9t;S@CVIQ1ftzt",
           "Zg`Pnti%dQU^pUEjsn{?g6xhw4UTRRMk[C3xeXe]x6f~yCm^c /@0mxIih#]`d3C",
           "x_c/AL{xqfGn/y(a-1tYHn$4o HTd`nCGAWf8 qPUm/lzA|P(4FpF}JM_m35ZsU;",
           " //?>/*{$x}\"#<?php ",
       }) {
    EXPECT_EQ(value("define( 'X', '" + salt + "' );"), salt);
  }
}

TEST(WpConfig, CountsValuesThatOnlyPhpKnowsAsComputed) {
  for (const char* const computed : {
           "getenv('X')",
           "getenv('X') ?: 'v'",
           "$_ENV['X']",
           "'a' . 'b'",
           "OTHER",
           "\"a$b\"",
           R"("{$a["b"]}")",
           "\"${a}\"",
           R"("\u{41}")",
           "`cmd`",
           "0x10",
           "1.5",
           "07",
           "('v')",
           "getenv_docker('X', 'v')",
           "__DIR__ . '/x'",
           "array('v')",
           "!true",
           "<<<END\n define('Y', 'v');\n END",
           "<<<'END'\nv\nEND",
           "function () { return 1; }",
       }) {
    EXPECT_EQ(value(std::string("define('X', ") + computed + ");"), kComputed) << computed;
  }
}

TEST(WpConfig, CountsDefinitionsThatMayNotBeReachedAsComputed) {
  for (const char* const php : {
           "if ($_SERVER['HTTP_HOST'] == 'a') { define('X', 'a'); } else { define('X', 'b'); }",
           "if ($a) define('X', 'v');",
           "if ($a): define('X', 'v'); endif;",
           "if ($a): foo(); else: define('X', 'v'); endif;",
           "if ($a) foo(); elseif (!defined('Y')) define('X', 'v');",
           "if ($a) if ($b) foo(); else define('X', 'v');",
           "if (!defined('X') && $a) define('X', 'v');",
           "switch ($host) { case 'a': define('X', 'v'); break; }",
           "switch ($host): case 'a': define('X', 'v'); endswitch;",
           "foreach ($a as $b): foo(); define('X', 'v'); endforeach;",
           "while ($a) define('X', 'v');",
           "function f() { define('X', 'v'); }",
           "$f = function () { define('X', 'v'); };",
           "$a && define('X', 'v');",
           "defined('X') || $a && define('X', 'v');",
           "try { define('X', 'v'); } catch (Exception $e) {}",
           "call(define('X', 'v'));",
       }) {
    EXPECT_EQ(value(php), kComputed) << php;
  }
}

TEST(WpConfig, SeesNoDefinitionWhereThereIsNone) {
  for (const char* const php : {
           "# define('X', 'v');",
           "// define('X', 'v');",
           "/* define('X', 'v'); */",
           "/*/ define('X', 'v'); */",
           "$a = \"define('X', 'v');\";",
           "$a = <<<END\ndefine('X', 'v');\nEND;",
           "?> define('X', 'v');",
           "// ?> define('X', 'v');",
           "$object->define('X', 'v');",
           "Other::define('X', 'v');",
           "function define('X', 'v');",
           "define($x, 'v');",
           "undefined('X', 'v');",
           "if (defined('X')) define('X', 'v');",
           "defined('X') && define('X', 'v');",
       }) {
    EXPECT_EQ(value(php), kMissing) << php;
  }
  EXPECT_TRUE(parse_wp_config("define('X', 'v');", "wp-config.php").values.empty());
}

TEST(WpConfig, GoesOnAfterWhatItDoesNotRead) {
  for (const char* const before : {
           "# it's\n",
           "/* ' */",
           "// it's ?> it's <?php ",
           R"($a = "{$b['c']} \" '";)",
           "$a = <<<END\n it's \" \nENDING\n  END . 'x';",
           "function f() { if ($a) { return 1; } }",
           "class A { const B = 1; function f() {} }",
           "if ($a) { b(); } elseif ($c) { d(); }",
           "if ($a) b(); else if ($c) d(); else e();",
           "while ($a) { b(); }",
           "do { a(); } while ($b);",
           "if ($a): if ($b) c(); else d(); else: e(); endif;",
           "foreach ($a as $b): c(); endforeach;",
           "$f = function () { return 1; };",
           "$a = [1, [2, 3]];",
           "$a->b['c'] = fn($x) => $x + 1;",
           "declare(strict_types=1);",
           "for (;;) break;",
           "?><html>'</html><?= 'a' ?><?php ",
       }) {
    EXPECT_EQ(value(std::string(before) + " define('X', 'v');"), "v") << before;
  }
}

TEST(WpConfig, TheFirstDefinitionOfAConstantWins) {
  EXPECT_EQ(value("define('X', 'a'); define('X', 'b');"), "a");
  EXPECT_EQ(value("define('X', 'a'); if (!defined('X')) define('X', 'b');"), "a");
  EXPECT_EQ(value("define('X', 'a'); if ($b) define('X', 'b');"), "a");
  EXPECT_EQ(value("define('X', getenv('X')); define('X', 'b');"), kComputed);
  EXPECT_EQ(value("if ($a) define('X', 'a'); define('X', 'b');"), kComputed);
  EXPECT_EQ(value("if ($a) define('X', 'a'); defined('X') || define('X', 'b');"), kComputed);
}

TEST(WpConfig, AGuardOfOneConstantGuardsAllInItsBlock) {
  const std::string block = "if (!defined('A')) { define('A', 1); define('X', 'v'); }";
  EXPECT_EQ(value(block), "v");
  EXPECT_EQ(value("define('A', 2);" + block), kMissing);
}

TEST(WpConfig, ConstantsAreToldApartByCase) {
  EXPECT_EQ(value("define('x', 'a'); define('X', 'b');"), "b");
}

std::string super_admins(const std::string& php) { return value(php, "$super_admins"); }

TEST(WpConfig, ReadsTheSuperAdministrators) {
  for (const char* const php : {
           "$super_admins = array('a', 'b');",
           "$super_admins = ['a', \"b\",];",
           "$super_admins = ARRAY ( 'a' , 'b' ) ;",
           "if (!isset($super_admins)) $super_admins = ['a', 'b'];",
           "$super_admins = ['x']; $super_admins = ['a', 'b'];",
       }) {
    EXPECT_EQ(super_admins(php), "a\nb\n") << php;
  }
  EXPECT_EQ(super_admins("$super_admins = array();"), "");
  EXPECT_EQ(super_admins("if (in_array('a', $super_admins)) {}"), kMissing);
}

TEST(WpConfig, CountsSuperAdministratorsThatOnlyPhpKnowsAsComputed) {
  for (const char* const php : {
           "$super_admins = explode(',', 'a,b');",
           "$super_admins = array_merge(array('a'), $b);",
           "$super_admins = ['a', getenv('B')];",
           "$super_admins = ['a' . 'b'];",
           "$super_admins = ['k' => 'a'];",
           "$super_admins = [7];",
           "$super_admins = ['a'] + ['b'];",
           "$super_admins = [['a']];",
           "$super_admins = ['a\nb'];",
           "$super_admins = 'a';",
           "$super_admins = ['a'; define('X', 'v');",
           "$super_admins = ['a']; $super_admins[] = 'b';",
           "$super_admins = ['a']; $super_admins[f(1)] = 'b';",
           "if ($a) $super_admins = ['a'];",
       }) {
    EXPECT_EQ(super_admins(php), kComputed) << php;
  }
}

TEST(WpConfig, ReadsTheTablePrefix) {
  EXPECT_EQ(prefix("$table_prefix = 'wp_';"), "wp_");
  EXPECT_EQ(prefix("$table_prefix  = \"shop_\";"), "shop_");
  EXPECT_EQ(prefix("if (!isset($table_prefix)) $table_prefix = 'wp_';"), "wp_");
  EXPECT_EQ(prefix("echo $table_prefix; if ($table_prefix == 'a') {}"), kMissing);
}

TEST(WpConfig, TheLastTablePrefixWins) {
  EXPECT_EQ(prefix("$table_prefix = 'a_'; $table_prefix = 'b_';"), "b_");
  EXPECT_EQ(prefix("$table_prefix = 'a_'; if (!isset($table_prefix)) $table_prefix = 'b_';"), "a_");
  EXPECT_EQ(prefix("$table_prefix = 'a_'; if ($x) $table_prefix = 'b_';"), kComputed);
  EXPECT_EQ(prefix("$table_prefix = 'a_'; $table_prefix .= 'b_';"), kComputed);
  EXPECT_EQ(prefix("$table_prefix = getenv('P') ?: 'wp_';"), kComputed);
  EXPECT_EQ(prefix("$table_prefix = getenv('P'); $table_prefix = 'b_';"), "b_");
}

TEST(WpConfig, AnIncludedFileMayHaveDefinedFirstWhatIsOnlyDefinedIfMissing) {
  const std::string include = "if (file_exists($f)) { require_once($f); }\n";
  EXPECT_EQ(value(include + "if (!defined('X')) define('X', 'v');"), kComputed);
  EXPECT_EQ(prefix(include + "if (!isset($table_prefix)) $table_prefix = 'wp_';"), kComputed);
  EXPECT_EQ(value(include + "define('X', 'v');"), "v");
}

TEST(WpConfig, SaysWhereItIncludesAnotherFile) {
  const auto include_line = [](const std::string& php) {
    return parse_wp_config("<?php\n" + php, "wp-config.php").include_line;
  };
  EXPECT_EQ(include_line("\nrequire 'a.php';\nrequire 'b.php';"), 3U);
  EXPECT_EQ(include_line("$a = include('a.php');"), 2U);
  EXPECT_EQ(include_line("require_once ABSPATH . 'wp-settings.php';"), 0U);
  EXPECT_EQ(include_line("// require 'a.php';"), 0U);
}

TEST(WpConfig, KeepsTheLineOfEachDefinition) {
  const WpConfig wp = parse_wp_config(
      "#!/usr/bin/php\n<?php\r\n/* two\nlines */ define('A', 'x\ny');\n\ndefine('B', f());\n",
      "wp-config.php");
  EXPECT_EQ(wp.values.at("A"), (WpValue{"x\ny", 4}));
  EXPECT_EQ(wp.values.at("B"), (WpValue{std::nullopt, 7}));
}

TEST(WpConfig, NamesTheLineWhereSomethingWithoutAnEndBegins) {
  EXPECT_EQ(error("<?php\n\ndefine('X', 'v);\n"),
            "wp-config.php:3: the string that begins here has no end");
  EXPECT_EQ(error("<?php \"{$a\n\n"), "wp-config.php:1: the string that begins here has no end");
  EXPECT_EQ(error("<?php\n<<<END\nEN D\n"),
            "wp-config.php:2: the string that begins here has no end");
  EXPECT_EQ(error("<?php\n/* *"), "wp-config.php:2: the comment that begins here has no end");
  EXPECT_EQ(error("<?php\n`a"), "wp-config.php:2: the command that begins here has no end");
}

TEST(WpConfig, AnyNestingIsReadWithoutDeepRecursion) {
  const std::size_t many = 50'000;
  for (const char* const piece : {"{", "(", "if (", "!", "defined('A') || ", "if ($a) ", "else "}) {
    std::string php;
    for (std::size_t i = 0; i < many; ++i) php += piece;
    EXPECT_EQ(value(php), kMissing) << piece;
  }
}

TEST(WpConfig, ItemsOfListsCountAsAssignments) {
  EXPECT_EQ(super_admins("$super_admins = ['a']; $b = $super_admins[0];"), "a\n");
  EXPECT_EQ(super_admins("$super_admins = ['a']; $super_admins[0] \?\?= 'b';"), kComputed);
  std::string index;
  for (int i = 0; i < 20; ++i) index += "1+";
  EXPECT_EQ(super_admins("$super_admins = ['a']; $super_admins[" + index + "1] = 'b';"), kComputed);
}

TEST(WpConfig, LinesMayEndWithCarriageReturns) {
  EXPECT_EQ(value("// a comment\rdefine('X', 'v');"), "v");
  EXPECT_EQ(value("# define('X', 'a');\rdefine('X', 'v');\r"), "v");
  EXPECT_EQ(value("$a = <<<END\rdefine('X', 'a');\rEND;\rdefine('X', 'v');"), "v");
  const WpConfig wp =
      parse_wp_config("<?php\r\rdefine('A', 1);\r\ndefine('B', 1);\n\rdefine('C', 1);", "f");
  EXPECT_EQ(wp.values.at("A").line, 3U);
  EXPECT_EQ(wp.values.at("B").line, 4U);
  EXPECT_EQ(wp.values.at("C").line, 6U);
}

// If text follows the label on the same line, PHP reads "<<<" as the operators "<<" and "<", which
// is a syntax error.
TEST(WpConfig, HeredocLabelEndsItsLine) {
  EXPECT_EQ(value("$a = <<<END . 'x';\ndefine('X', 'v');\nEND;"), "v");
}

}  // namespace
}  // namespace wordpress
