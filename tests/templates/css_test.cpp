#include <gtest/gtest.h>

#include "templates/template_check.h"

namespace {

// Returns the CSS with its selectors limited to the template "a/b", or the error message if the CSS
// is rejected.
std::string scoped(std::string_view css) {
  const auto result = templates::scope_css(css, "a/b");
  return result ? *result : result.error();
}

bool is_refused(std::string_view css) { return !templates::scope_css(css, "a/b"); }

TEST(Css, SelectorsComeUnderTheWidget) {
  EXPECT_EQ(scoped(".x{color:red}"), "[data-template=\"a/b\"] .x{color:red;}\n");
  EXPECT_EQ(scoped("p, b > i{}"), "[data-template=\"a/b\"] p,[data-template=\"a/b\"] b > i{}\n");
  EXPECT_EQ(scoped("body{margin:0}"), "[data-template=\"a/b\"] body{margin:0;}\n");
  EXPECT_EQ(scoped(".x:is(a, b)[title=\"},{\"]{}"),
            "[data-template=\"a/b\"] .x:is(a, b)[title=\"},{\"]{}\n");
}

TEST(Css, StringsArePartOfNoName) {
  EXPECT_EQ(scoped(".x{content:\"(\"attr(data-x)\")\"}"),
            "[data-template=\"a/b\"] .x{content:\"(\"attr(data-x)\")\";}\n");
  EXPECT_TRUE(is_refused(".x{\"foo\":bar}"));
}

TEST(Css, AmpersandIsTheWidget) {
  EXPECT_EQ(scoped("&{margin:0}"), "[data-template=\"a/b\"]{margin:0;}\n");
  EXPECT_EQ(scoped("&:hover>.x + .y{}"), "[data-template=\"a/b\"]:hover > .x + .y{}\n");
  EXPECT_EQ(scoped("[dir=\"rtl\"] & .x{}"), "[dir=\"rtl\"] [data-template=\"a/b\"] .x{}\n");
}

TEST(Css, ComesBackUnchangedAndMovesToAnotherSlug) {
  const std::string css = scoped("&, .x{a:b;c:d}@media (min-width:9em){.y ~ .z{a:b}}");
  EXPECT_EQ(scoped(css), css);
  const std::string moved = templates::scope_css(css, "c/d").value();
  EXPECT_EQ(moved.find("a/b"), std::string::npos);
  EXPECT_EQ(templates::scope_css(moved, "a/b"), css);
}

TEST(Css, RulesInsideOfConditionsAreScopedToo) {
  EXPECT_EQ(scoped("@media print { .x { color : red } }"),
            "@media print{[data-template=\"a/b\"] .x{color : red;}\n}\n");
}

TEST(Css, NothingReachesBeyondTheWidget) {
  for (const char* css : {"& + div{}",
                          "& ~ *{}",
                          "body:has(&){}",
                          ":not(&){}",
                          ":is(&, body){}",
                          "* & *:has(&){}",
                          "html:has([data-template=\"a/b\"]){}",
                          "[data-template^=a]{}",
                          "&div{}",
                          "&|body{}",
                          "[data-template=a]body{}",
                          "[data-template=a][data-template=b]{}",
                          ".x, & + p{}",
                          "@scope (body){.x{}}",
                          "@layer x{body{}}",
                          "@supports selector(& > body){.x{}}",
                          ".x{a:b)}body{c:d}",
                          ".x{a:(];position:fixed;b:[)}",
                          ".x{position:/**/fixed}",
                          "> .x{}",
                          "> & {}",
                          "[data-template=a[]]{}",
                          "@media print{.x{a:b}} }",
                          "+ .x{}",
                          "& .x{} } body{}",
                          "& & {}",
                          ",body{}",
                          "{}",
                          ".x,{}",
                          ".x{",
                          ".x{(}body{)}",
                          ".x{[;]}}",
                          ".x{position:fixed}",
                          ".x{POSITION : STICKY}",
                          ".x{position:var(--p)}",
                          ".x{a:b;body{c:d}}"}) {
    EXPECT_TRUE(is_refused(css)) << css;
  }
}

TEST(Css, NothingIsLoadedOrRun) {
  for (const char* css : {"@import 'x';",
                          "@import url(x);",
                          "@charset 'utf-8';",
                          "@font-face{src:url(x)}",
                          "@namespace svg url(x);",
                          "@keyframes x{from{a:b}}",
                          "@media print{@import 'x';}",
                          ".x{background:url(x)}",
                          ".x{background:URL('x')}",
                          ".x{background:u\\72l(x)}",
                          ".x{background:image-set('x' 1x)}",
                          ".x{background:src('x')}",
                          ".x{a:url-prefix(x)}",
                          ".x{width:expression(alert(1))}",
                          ".x{width:exp/**/ression(alert(1))}",
                          ".x{background:cross-fade(x)}",
                          ".x{background:image('x')}",
                          ".x{background:-webkit-image-set('x' 1x)}",
                          ".x{--x:url(x)}",
                          ".x{--x:{a:url(x)}}",
                          ".x{a:attr(data-x type(x))}",
                          "@supports (background:url(x)){.x{a:b}}",
                          "@property --x{syntax:'*';inherits:true;initial-value:url(x)}",
                          "@container style(--x:1){.x{a:b}}",
                          "@page{a:b}",
                          "@view-transition{navigation:auto}",
                          ".x{a:b\f}",
                          ".x{a:paint(x)}",
                          ".x{a:element(#x)}",
                          "</style><script>alert(1)</script>",
                          ".x{content:'</style>'}",
                          "<!-- .x{} -->",
                          ".x{content:'}",
                          ".x{content:'\n'}",
                          "/* .x{}",
                          ".x{a:b",
                          "@media print;",
                          ".x",
                          ".x;.y{}",
                          ".x{a}",
                          ".x{:b}",
                          ".x{a:\x01}"}) {
    EXPECT_TRUE(is_refused(css)) << css;
  }
}

TEST(Css, StringsAndCommentsHideNothing) {
  EXPECT_EQ(scoped(".x{content:'/* } body{'}"),
            "[data-template=\"a/b\"] .x{content:'/* } body{';}\n");
  EXPECT_EQ(scoped(".x/* ' */{a:b/* } */}"), "[data-template=\"a/b\"] .x{a:b;}\n");
}

TEST(Css, RefusalSaysWhat) {
  EXPECT_EQ(scoped(".x{background:url(x)}"), "url() is not allowed.");
  EXPECT_EQ(scoped("@import 'x';"), "@import 'x'; is not allowed.");
  EXPECT_EQ(scoped(".x{position:fixed}"), "position:fixed is not allowed.");
}

TEST(Css, MayBeEmpty) { EXPECT_EQ(scoped(" \n/* nothing */"), ""); }

}  // namespace
