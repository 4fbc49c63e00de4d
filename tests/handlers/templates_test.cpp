#include <gtest/gtest.h>

#include <set>
#include <string>

#include "handlers/handlers.h"
#include "store/template_store.h"
#include "support/answers.h"
#include "support/service.h"

namespace {

using api::ErrorCode;
using json::Value;
using support::member;
using support::parsed;

constexpr std::string_view kHtml =
    "<div data-object-id='{{OBJECT_ID}}' data-object-type='{{OBJECT_TYPE}}' "
    "data-category='{{CATEGORY}}' data-template='{{TEMPLATE}}' data-user-rating='{{USER_RATING}}'>"
    "<button type='button' data-value='1' aria-pressed='false'>+</button>"
    "<b data-stat='total'>{{TOTAL}}</b></div>";

std::string text(const Value& value, std::string_view name) {
  const Value found = member(value, name);
  const auto* string = std::get_if<std::string>(&found.data);
  return string == nullptr ? std::string() : *string;
}

std::string template_with(std::string_view slug, std::string_view category, std::string_view html,
                          std::string_view css = "") {
  std::string body;
  json::Writer json(body);
  json.begin_object().key("slug").string(slug).key("name").string("Mine");
  json.key("category").string(category).key("html").string(html).key("css").string(css);
  json.end_object();
  return body;
}

class Templates : public ::testing::Test {
 protected:
  using Handler = api::Result (*)(const api::App&, const api::Call&);

  api::Result run(Handler handler, std::string_view body, const std::string& argument = "") {
    http::Request request;
    request.method = http::Method::post;
    request.body = body;
    const auto site = service_.app().front.site.state();
    api::Call call{request, *site, argument, {}, {}, {}};
    auto parameters = api::Parameters::read(request);
    if (!parameters) return tl::unexpected(parameters.error());
    call.parameters = *std::move(parameters);
    return handler(service_.app(), call);
  }
  int put(const std::string& body) {
    const auto result = run(api::run<handlers::put_template>, body);
    return result ? result->status : 0;
  }
  // Sends a POST request and returns the names of the rejected fields.
  std::set<std::string> refused(const std::string& body) {
    std::set<std::string> names;
    const auto result = run(api::run<handlers::put_template>, body);
    EXPECT_FALSE(result) << body;
    if (result) return names;
    for (const api::FieldError& field : result.error().fields) names.insert(field.field);
    return names;
  }
  Value data(Handler handler, std::string_view body, const std::string& argument = "") {
    const auto result = run(handler, body, argument);
    EXPECT_TRUE(result) << body << argument;
    return result ? member(parsed(result->body), "data") : Value();
  }
  std::vector<std::string> listed(std::string_view body) {
    std::vector<std::string> slugs;
    const Value list = data(api::run<handlers::list_templates>, body);
    for (const Value& one : std::get<Value::Array>(list.data)) slugs.push_back(text(one, "slug"));
    return slugs;
  }
  Value preview(std::string_view body) {
    const auto result = run(api::run<handlers::preview>, body);
    EXPECT_TRUE(result) << body << (result ? "" : result.error().message.text());
    return result ? parsed(result->body) : Value();
  }

  support::Service service_;
};

TEST_F(Templates, BuiltInOnesAreListedByCategory) {
  EXPECT_EQ(listed("").size(), 8U);
  EXPECT_EQ(listed(R"({"category":"bipolar"})"),
            (std::vector<std::string>{"simple/like-dislike", "simple/thumbs"}));
}

TEST_F(Templates, StoredOneIsNewThenReplaced) {
  const std::string body = template_with("mine/plus", "binary", kHtml, ".x{color:red}");
  EXPECT_EQ(put(body), 201);
  EXPECT_EQ(put(body), 200);
  const Value stored = data(api::run<handlers::read_template>, "", "Mine/Plus");
  EXPECT_EQ(text(stored, "slug"), "mine/plus");
  EXPECT_EQ(text(stored, "html"), kHtml);
  EXPECT_EQ(text(stored, "css"), "[data-template=\"mine/plus\"] .x{color:red;}\n");
  EXPECT_EQ(member(stored, "version"), parsed("2"));
  EXPECT_EQ(member(stored, "builtin"), parsed("false"));
  EXPECT_EQ(listed("").size(), 9U);
}

TEST_F(Templates, NewOneSaysWhereItIs) {
  const auto result =
      run(api::run<handlers::put_template>, template_with("mine/plus", "binary", kHtml));
  ASSERT_TRUE(result);
  ASSERT_EQ(result->headers.size(), 1U);
  EXPECT_EQ(result->headers[0].name, "Location");
  EXPECT_EQ(result->headers[0].value, "/wp-json/ratingd/v1/templates/mine/plus");
}

// An administrator copies a built-in template in order to change it.
TEST_F(Templates, BuiltInOneCanBeStoredUnderAnotherSlug) {
  for (const model::Template& widget_template : service_.app().templates.builtin) {
    EXPECT_EQ(put(template_with("mine/copy", name_of(widget_template.category),
                                widget_template.html, widget_template.css)) /
                  100,
              2)
        << widget_template.slug;
    const Value copy = data(api::run<handlers::read_template>, "", "mine/copy");
    EXPECT_EQ(text(copy, "css").find(widget_template.slug), std::string::npos);
    EXPECT_FALSE(text(copy, "css").empty());
  }
}

TEST_F(Templates, EachFieldIsChecked) {
  EXPECT_EQ(refused(R"({"description":1})"),
            (std::set<std::string>{"slug", "name", "category", "html"}));
  for (const char* slug : {"x", "x/", "/x", "x/y/z", "X/y", "x/y z", "../x", "simple/mine",
                           "simple/heart", "x/<b>", "x\\\"/y"}) {
    EXPECT_TRUE(refused(template_with(slug, "binary", kHtml)).contains("slug")) << slug;
  }
  EXPECT_EQ(refused(template_with("a/b", "stars", kHtml)), std::set<std::string>{"category"});
  EXPECT_EQ(refused(template_with("a/b", "binary", "<script></script>", "@import 'x';")),
            (std::set<std::string>{"html", "css"}));
  EXPECT_EQ(refused(template_with("a/b", "binary", std::string(16'385, 'x'))),
            std::set<std::string>{"html"});
  EXPECT_EQ(refused(R"({"slug":"a/b","name":"two\nlines","category":"binary","html":"x"})"),
            std::set<std::string>{"name"});
  std::string many_rules;
  for (int i = 0; i < 2000; ++i) many_rules += "b{c:d}";
  EXPECT_EQ(refused(template_with("a/b", "binary", kHtml, many_rules)),
            std::set<std::string>{"css"});
  EXPECT_EQ(listed("").size(), 8U);
}

TEST_F(Templates, AreNotEndless) {
  for (int i = 0; i < store::kMaxTemplates; ++i) {
    EXPECT_EQ(put(template_with("mine/" + std::to_string(i), "binary", kHtml)), 201);
  }
  EXPECT_EQ(refused(template_with("mine/more", "binary", kHtml)), std::set<std::string>{"slug"});
  EXPECT_EQ(put(template_with("mine/0", "binary", kHtml)), 200);
}

TEST_F(Templates, DeletedOneIsGone) {
  put(template_with("mine/plus", "binary", kHtml));
  EXPECT_EQ(
      text(member(data(api::run<handlers::delete_template>, "", "mine/plus"), "previous"), "slug"),
      "mine/plus");
  const auto again = run(api::run<handlers::delete_template>, "", "mine/plus");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::not_found);
  EXPECT_EQ(run(api::run<handlers::read_template>, "", "mine/plus").error().code,
            ErrorCode::not_found);
}

TEST_F(Templates, OneThatTheSettingsNameStaysInItsCategory) {
  put(template_with("mine/plus", "binary", kHtml));
  service_.change({{"default_template_binary", "mine/plus"}});
  const auto deletion = run(api::run<handlers::delete_template>, "", "mine/plus");
  ASSERT_FALSE(deletion);
  EXPECT_EQ(deletion.error().code, ErrorCode::forbidden);
  EXPECT_EQ(deletion.error().message.text(),
            "The \"Widget for likes\" setting uses the mine/plus template. Choose another template "
            "in this setting first.");
  EXPECT_EQ(refused(template_with("mine/plus", "bipolar", kHtml)),
            std::set<std::string>{"category"});
  EXPECT_EQ(put(template_with("mine/plus", "binary", kHtml)), 200);
  service_.change({{"default_template_binary", "simple/heart"}});
  EXPECT_EQ(put(template_with("mine/plus", "bipolar", kHtml)), 200);
  EXPECT_TRUE(run(api::run<handlers::delete_template>, "", "mine/plus"));
}

TEST_F(Templates, BuiltInOneStays) {
  const auto result = run(api::run<handlers::delete_template>, "", "simple/heart");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::forbidden);
}

TEST_F(Templates, SayWhetherTheyAreTheDefault) {
  EXPECT_EQ(member(data(api::run<handlers::read_template>, "", "simple/stars"), "default"),
            parsed("true"));
  service_.change({{"default_template_scale", "simple/dots"}});
  EXPECT_EQ(member(data(api::run<handlers::read_template>, "", "simple/stars"), "default"),
            parsed("false"));
  EXPECT_EQ(member(data(api::run<handlers::read_template>, "", "simple/dots"), "default"),
            parsed("true"));
}

// The widgets on a page look like the preview, regardless of the default template.
TEST_F(Templates, DefaultIsThatOfThePreview) {
  for (const char* named : {"simple/dots", "mine/gone", "simple/heart"}) {
    service_.store_row("default_template_scale", named);
    const std::string shown = text(preview(R"({"category":"scale"})"), "template");
    const Value list = data(api::run<handlers::list_templates>, R"({"category":"scale"})");
    for (const Value& one : std::get<Value::Array>(list.data)) {
      EXPECT_EQ(member(one, "default"), parsed(text(one, "slug") == shown ? "true" : "false"));
    }
    EXPECT_EQ(member(data(api::run<handlers::read_template>, "", shown), "default"),
              parsed("true"));
  }
}

// The texts are returned as JSON without HTML escapes, because the program that shows the texts
// must escape them.
TEST_F(Templates, NameAndDescriptionAreTexts) {
  const std::string probe = "\"><script>alert(1)</script>{{TOTAL:none}}";
  std::string body;
  json::Writer json(body);
  json.begin_object().key("slug").string("mine/plus").key("name").string(probe);
  json.key("description").string(probe + "\nlines").key("category").string("binary");
  json.key("html").string(kHtml).end_object();
  EXPECT_EQ(put(body), 201);
  const Value stored = data(api::run<handlers::read_template>, "", "mine/plus");
  EXPECT_EQ(text(stored, "name"), probe);
  EXPECT_EQ(text(stored, "description"), probe + "\nlines");
  const std::string shown = text(preview(R"({"template":"mine/plus"})"), "html");
  EXPECT_EQ(shown.find("script"), std::string::npos);
}

TEST_F(Templates, PreviewIsASampleOfTheFirstEnabledCategory) {
  const Value answer = preview("");
  EXPECT_EQ(text(answer, "template"), "simple/heart");
  EXPECT_EQ(member(answer, "sample"), parsed("true"));
  EXPECT_NE(text(answer, "html").find("data-count=\"positive\">113<"), std::string::npos);
  EXPECT_EQ(member(member(member(answer, "stats"), "binary"), "positive"), parsed("113"));
  service_.change({{"enabled_categories", std::vector<std::string>{"scale"}}});
  EXPECT_EQ(text(preview(""), "template"), "simple/stars");
}

TEST_F(Templates, PreviewTakesTheTemplateOfTheSettings) {
  put(template_with("mine/plus", "binary", kHtml));
  service_.change({{"default_template_binary", "mine/plus"}});
  EXPECT_EQ(text(preview(R"({"category":"binary"})"), "template"), "mine/plus");
  service_.store_row("default_template_binary", "mine/gone");
  EXPECT_EQ(text(preview(R"({"category":"binary"})"), "template"), "simple/heart");
  service_.store_row("default_template_binary", "simple/stars");
  EXPECT_EQ(text(preview(R"({"category":"binary"})"), "template"), "simple/heart");
}

TEST_F(Templates, PreviewOfAnObjectHasItsNumbers) {
  service_.connection().execute(
      "INSERT INTO wp_ratingd_totals VALUES (7, 'page', 0, 2000, 1,0,0,0,0,0,0,0,0,0,2, "
      "'2026-01-01', 1)");
  const Value answer = preview(R"({"template":"simple/heart","object_id":7,"object_type":"Page"})");
  EXPECT_EQ(member(answer, "sample"), parsed("false"));
  const std::string html = text(answer, "html");
  EXPECT_NE(html.find("data-object-id=\"7\" data-object-type=\"page\""), std::string::npos);
  EXPECT_NE(html.find("data-count=\"positive\">2<"), std::string::npos);
  EXPECT_EQ(member(member(member(answer, "stats"), "binary"), "total"), parsed("3"));
  EXPECT_EQ(member(preview(R"({"template":"simple/heart","object_id":7})"), "sample"),
            parsed("true"));
}

TEST_F(Templates, PreviewDoesAsItIsTold) {
  const std::string html = text(preview(R"({"template":"simple/stars","size":"large",)"
                                        R"("dark_mode":true,"show_counts":"0"})"),
                                "html");
  EXPECT_NE(html.find("data-size=\"large\""), std::string::npos);
  EXPECT_NE(html.find("data-color-scheme=\"dark\""), std::string::npos);
  EXPECT_EQ(html.find("votes"), std::string::npos);
  EXPECT_EQ(html.find("{{"), std::string::npos);
  EXPECT_NE(html.find("data-tenths=\"8\""), std::string::npos);
}

TEST_F(Templates, PreviewRefusesWhatItDoesNotKnow) {
  for (const char* body :
       {R"({"category":"stars"})", R"({"size":"huge"})", R"({"size":1})", R"({"dark_mode":"x"})",
        R"({"show_counts":[]})", R"({"object_id":0})", R"({"object_id":"<b>"})",
        R"({"object_type":"\"><script>"})", R"({"template":7})",
        R"({"category":"scale","template":"simple/heart"})"}) {
    const auto result = run(api::run<handlers::preview>, body);
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().code, ErrorCode::invalid_parameters) << body;
  }
  for (const char* body : {R"({"template":"no/such"})", R"({"template":"\"><script>"})"}) {
    const auto result = run(api::run<handlers::preview>, body);
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().code, ErrorCode::not_found) << body;
  }
}

}  // namespace
