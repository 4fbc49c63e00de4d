#include "model/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "handlers/handlers.h"
#include "store/template_store.h"
#include "support/answers.h"
#include "support/service.h"

namespace {

using json::Value;
using support::member;
using support::parsed;

// Removes the members that are not part of JSON Schema from the schema in a response.
void remove_words_for_people(Value& schema) {
  std::erase_if(std::get<Value::Object>(schema.data), [](const json::Member& member) {
    constexpr std::string_view kWords[] = {"title", "group", "advanced", "keywords", "enum_titles"};
    return std::ranges::find(kWords, member.first) != std::end(kWords);
  });
}

class Settings : public ::testing::Test {
 protected:
  explicit Settings(bool serves_all = false) : service_(serves_all) {}

  static constexpr std::string_view kOfNetwork = "network";

  api::Result run(http::Method method, std::string_view query, std::string_view body) {
    http::Request request;
    request.method = method;
    request.query = query;
    request.body = body;
    if (!body.starts_with('{')) request.content_type = "application/x-www-form-urlencoded";
    const store::SiteState site;
    api::Call call{request, site, {}, {}, {}, {}};
    auto parameters = api::Parameters::read(request);
    if (!parameters) return tl::unexpected(parameters.error());
    call.parameters = *std::move(parameters);
    const bool reads = method == http::Method::get;
    if (query == kOfNetwork) {
      return reads ? api::run<handlers::read_network_settings>(service_.app(), call)
                   : api::run<handlers::change_network_settings>(service_.app(), call);
    }
    return reads ? api::run<handlers::read_settings>(service_.app(), call)
                 : api::run<handlers::change_settings>(service_.app(), call);
  }
  api::Result on_network(http::Method method, std::string_view body) {
    return run(method, kOfNetwork, body);
  }
  Value get() {
    const auto result = run(http::Method::get, "", "");
    EXPECT_TRUE(result);
    return result ? parsed(result->body) : Value();
  }
  // Returns "data" from the response to a POST that must succeed.
  Value changed(std::string_view body, std::string_view query = "") {
    const auto result = run(http::Method::post, query, body);
    EXPECT_TRUE(result) << body;
    return result ? member(parsed(result->body), "data") : Value();
  }
  // Maps the name of each rejected setting to the error code and the error message.
  std::map<std::string, std::pair<std::string, std::string>> refused(std::string_view body) {
    return refusals(run(http::Method::post, "", body));
  }
  static std::map<std::string, std::pair<std::string, std::string>> refusals(
      const api::Result& result) {
    std::map<std::string, std::pair<std::string, std::string>> fields;
    EXPECT_FALSE(result);
    if (result) return fields;
    EXPECT_EQ(result.error().code, api::ErrorCode::invalid_parameters);
    for (const auto& field : result.error().fields) {
      fields[field.field] = {std::string(field.code), field.message.text()};
    }
    return fields;
  }

  void put_template(const std::string& slug, model::Category category) {
    store::put_template(service_.connection(),
                        {.slug = slug, .name = "Plus", .category = category});
  }

  support::Service service_;
};

TEST_F(Settings, GetHasAllSettingsAndTheirSchema) {
  const Value answer = get();
  EXPECT_EQ(member(answer, "success"), parsed("true"));
  const Value data = member(answer, "data");
  const Value schema = member(member(answer, "meta"), "schema");
  EXPECT_EQ(std::get<Value::Object>(data.data).size(), model::all_settings().size());
  EXPECT_EQ(std::get<Value::Object>(schema.data).size(), model::all_settings().size());
  for (const model::Setting& setting : model::all_settings()) {
    EXPECT_EQ(member(member(schema, setting.name), "default"), member(data, setting.name))
        << setting.name;
  }
  EXPECT_EQ(member(answer, "meta").find("problems"), nullptr);
}

class SettingsOfANetwork : public Settings {
 protected:
  SettingsOfANetwork() : Settings(true) {}

  // Returns "data" from the response to a PATCH that must succeed.
  Value changed_for_all(std::string_view body) {
    const auto result = on_network(http::Method::patch, body);
    EXPECT_TRUE(result) << body;
    return result ? member(parsed(result->body), "data") : Value();
  }
};

TEST_F(SettingsOfANetwork, FixedOnesAreReadOnly) {
  changed(R"({"cooldown_seconds":9})");
  ASSERT_TRUE(store::fix_settings(service_.connection(),
                                  {{"cooldown_seconds", model::decimal_of(7)}, {"enabled", true}}));
  EXPECT_EQ(member(member(get(), "data"), "cooldown_seconds"), parsed("7"));
  const Value schema = member(member(get(), "meta"), "schema");
  EXPECT_EQ(member(member(schema, "cooldown_seconds"), "readOnly"), parsed("true"));
  EXPECT_EQ(member(schema, "hold_threshold").find("readOnly"), nullptr);

  const auto why = refused(R"({"cooldown_seconds":8,"hold_threshold":50})");
  ASSERT_EQ(why.size(), 1U);
  EXPECT_EQ(why.at("cooldown_seconds").first, "ratingd_fixed");
  EXPECT_EQ(why.at("cooldown_seconds").second,
            "cooldown_seconds is enforced for all sites in the network.");
  EXPECT_EQ(member(member(get(), "data"), "hold_threshold"), parsed("40"));
  // A client may edit the settings that it received and send them back.
  EXPECT_EQ(member(changed(R"({"cooldown_seconds":7,"hold_threshold":50})"), "hold_threshold"),
            parsed("50"));

  store::reset_setting(service_.connection(), "network.cooldown_seconds");
  EXPECT_EQ(member(member(get(), "data"), "cooldown_seconds"), parsed("9"));
}

TEST_F(SettingsOfANetwork, NetworkFixesAndFreesThem) {
  changed(R"({"cooldown_seconds":9})");
  const Value fixed =
      changed_for_all(R"({"data":{"cooldown_seconds":7,"enabled":false,"revote":null}})");
  EXPECT_EQ(member(fixed, "cooldown_seconds"), parsed("7"));
  EXPECT_EQ(member(fixed, "enabled"), parsed("false"));
  EXPECT_EQ(member(fixed, "revote"), parsed("null"));
  EXPECT_EQ(member(member(get(), "data"), "cooldown_seconds"), parsed("7"));
  const auto answer = on_network(http::Method::get, "");
  ASSERT_TRUE(answer);
  EXPECT_EQ(member(parsed(answer->body), "data"), fixed);
  EXPECT_EQ(std::get<Value::Object>(fixed.data).size(), model::all_settings().size());
  const Value schema = member(member(parsed(answer->body), "meta"), "schema");
  EXPECT_EQ(member(schema, "cooldown_seconds").find("readOnly"), nullptr);
  EXPECT_EQ(changed_for_all(answer->body), fixed);  // an edited response

  const Value freed = changed_for_all(R"({"data":{"cooldown_seconds":null}})");
  EXPECT_EQ(member(freed, "cooldown_seconds"), parsed("null"));
  EXPECT_EQ(member(freed, "enabled"), parsed("false"));
  EXPECT_EQ(member(member(get(), "data"), "cooldown_seconds"), parsed("9"));
}

TEST_F(SettingsOfANetwork, RetiredSettingIsAcceptedAndHasNoEffect) {
  constexpr std::string_view kRetired =
      R"({"data":{"max_program_voters_per_address_per_object":5,"cooldown_seconds":7}})";
  for (const auto& result :
       {run(http::Method::post, "", kRetired), on_network(http::Method::patch, kRetired)}) {
    ASSERT_TRUE(result);
    EXPECT_EQ(member(member(parsed(result->body), "data"), "cooldown_seconds"), parsed("7"));
    EXPECT_NE(result->body.find("The max_program_voters_per_address_per_object setting "
                                "was removed in version 0.4"),
              std::string::npos)
        << result->body;
  }
  EXPECT_EQ(service_.connection()
                .query("SELECT COUNT(*) FROM wp_ratingd_settings WHERE name LIKE '%program%'")
                .number(),
            0);
}

TEST_F(SettingsOfANetwork, OneBadValueFixesNothing) {
  put_template("mine/plus", model::Category::binary);
  const auto fields = refusals(on_network(
      http::Method::patch, R"({"data":{"enabled":false,"cooldown_seconds":3601,"gone":null}})"));
  EXPECT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields.at("cooldown_seconds").first, "rest_out_of_bounds");
  EXPECT_EQ(fields.at("gone").first, "rest_additional_properties_forbidden");
  // Only one site in the network has the "mine/plus" template.
  const auto of_template = refusals(on_network(
      http::Method::patch, R"({"data":{"enabled":false,"default_template_binary":"mine/plus"}})"));
  EXPECT_EQ(of_template.at("default_template_binary").first, "rest_not_in_enum");
  const auto without = on_network(http::Method::patch, R"({"enabled":false})");
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, api::ErrorCode::missing_parameters);
  EXPECT_EQ(member(member(get(), "data"), "enabled"), parsed("true"));
}

TEST_F(SettingsOfANetwork, DamagedRowOfAllSitesIsReportedAndFreed) {
  service_.store_row("network.cooldown_seconds", "oops");
  const auto answer = on_network(http::Method::get, "");
  ASSERT_TRUE(answer);
  const Value details = member(member(parsed(answer->body), "meta"), "problem_details");
  EXPECT_EQ(member(std::get<Value::Array>(details.data).at(0), "setting"),
            parsed(R"("cooldown_seconds")"));
  const auto freed = on_network(http::Method::patch, R"({"data":{"cooldown_seconds":null}})");
  ASSERT_TRUE(freed);
  EXPECT_EQ(member(parsed(freed->body), "meta").find("problem_details"), nullptr);
}

TEST_F(Settings, OfAllSitesAreThoseOfANetwork) {
  for (const auto method : {http::Method::get, http::Method::patch}) {
    const auto refused = on_network(method, R"({"data":{"enabled":false}})");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, api::ErrorCode::not_for_all_sites);
  }
}

TEST_F(Settings, SchemaIsInTheWordsOfJsonSchema) {
  const Value schema = member(member(get(), "meta"), "schema");
  const auto without_description = [&](std::string_view name) {
    Value one = member(schema, name);
    remove_words_for_people(one);
    std::get<Value::Object>(one.data).pop_back();
    return one;
  };
  EXPECT_EQ(without_description("enabled"), parsed(R"({"type":"boolean","default":true})"));
  EXPECT_EQ(without_description("cooldown_seconds"),
            parsed(R"({"type":"integer","minimum":0,"maximum":3600,"default":0})"));
  EXPECT_EQ(without_description("scale_maximum"),
            parsed(R"({"type":"number","minimum":1,"maximum":1000,"default":1})"));
  EXPECT_EQ(
      without_description("revote"),
      parsed(R"({"type":"string","enum":["replace","cooldown","never"],"default":"replace"})"));
  EXPECT_EQ(
      without_description("default_template_scale"),
      parsed(R"({"type":"string","enum":["simple/distribution","simple/dots",)"
             R"("simple/half-stars","simple/slider","simple/stars"],"default":"simple/stars"})"));
  EXPECT_EQ(
      without_description("enabled_categories"),
      parsed(R"({"type":"array","minItems":1,"maxItems":3,"items":{"type":"string",)"
             R"("enum":["binary","bipolar","scale"]},"default":["binary","bipolar","scale"]})"));
}

TEST_F(Settings, TemplatesAreThoseOfTheCategory) {
  put_template("mine/plus", model::Category::binary);
  const Value schema = member(member(get(), "meta"), "schema");
  const Value binary = member(schema, "default_template_binary");
  EXPECT_EQ(member(binary, "enum"), parsed(R"(["simple/heart","mine/plus"])"));
  EXPECT_EQ(member(binary, "enum_titles"),
            parsed(R"~({"simple/heart":"Heart","mine/plus":"Plus (mine/plus)"})~"));
  EXPECT_EQ(member(member(schema, "default_template_bipolar"), "enum"),
            parsed(R"(["simple/like-dislike","simple/thumbs"])"));
  EXPECT_EQ(
      member(changed(R"({"default_template_binary":"mine/plus"})"), "default_template_binary"),
      parsed(R"("mine/plus")"));
}

TEST_F(Settings, TemplateThatIsNotThereIsRefused) {
  put_template("mine/plus", model::Category::binary);
  for (const std::string slug : {"simple/nothere", "simple/heart", "mine/plus", "mine/gone"}) {
    const auto fields = refused(R"({"enabled":false,"default_template_bipolar":")" + slug + "\"}");
    ASSERT_EQ(fields.size(), 1U) << slug;
    EXPECT_EQ(fields.at("default_template_bipolar").first, "rest_not_in_enum");
    EXPECT_EQ(fields.at("default_template_bipolar").second,
              "default_template_bipolar must be one of simple/like-dislike, simple/thumbs.");
  }
  EXPECT_EQ(member(member(get(), "data"), "enabled"), parsed("true"));
}

TEST_F(Settings, AnswerWithAMissingTemplateMayBeSentBack) {
  service_.store_row("default_template_scale", "mine/gone");
  const auto answer = run(http::Method::get, "", "");
  ASSERT_TRUE(answer);
  EXPECT_EQ(member(member(parsed(answer->body), "data"), "default_template_scale"),
            parsed(R"("mine/gone")"));
  EXPECT_EQ(
      std::get<Value::Array>(member(member(parsed(answer->body), "meta"), "problems").data).size(),
      1U);
  const auto again = run(http::Method::post, "", answer->body);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->body, answer->body);
  changed(R"({"default_template_scale":"simple/dots"})");
  EXPECT_EQ(member(get(), "meta").find("problems"), nullptr);
}

TEST_F(Settings, SchemaHasTitlesForPeople) {
  const Value schema = member(member(get(), "meta"), "schema");
  const auto word = [&](std::string_view setting, std::string_view name) {
    return std::get<std::string>(member(member(schema, setting), name).data);
  };
  EXPECT_EQ(word("enabled", "title"), "Accept ratings");
  EXPECT_EQ(word("enabled", "group"), "voting");
  EXPECT_EQ(member(schema, "enabled").find("enum_titles"), nullptr);
  EXPECT_EQ(member(member(schema, "object_check"), "enum_titles"),
            parsed(R"({"off":"Anything","known":"Existing content",)"
                   R"("published":"Published content"})"));
  EXPECT_EQ(
      member(member(schema, "enabled_categories"), "enum_titles"),
      parsed(R"({"binary":"Likes","bipolar":"Up and down","scale":"Stars and other scales"})"));
  EXPECT_EQ(member(member(schema, "enabled"), "advanced"), parsed("false"));
  EXPECT_EQ(member(member(schema, "rate_limit_read"), "advanced"), parsed("true"));
  EXPECT_NE(word("require_login", "keywords").find("captcha"), std::string::npos);
}

TEST_F(Settings, GroupsAreInDisplayOrder) {
  const auto groups = std::get<Value::Array>(member(member(get(), "meta"), "groups").data);
  ASSERT_EQ(groups.size(), model::setting_groups().size());
  EXPECT_EQ(groups.front(), parsed(R"({"name":"voting","title":"Voting"})"));
  EXPECT_EQ(groups.back(), parsed(R"({"name":"access","title":"Other sites and apps"})"));
}

TEST_F(Settings, PostChangesWhatItNamesAndAnswersAll) {
  const Value data = changed(R"({"enabled":false,"scale_maximum":2.5,"blocked_agents":["bot"]})");
  EXPECT_EQ(member(data, "enabled"), parsed("false"));
  EXPECT_EQ(member(data, "scale_maximum"), parsed("2.5"));
  EXPECT_EQ(member(data, "blocked_agents"), parsed(R"(["bot"])"));
  EXPECT_EQ(member(data, "require_login"), parsed("false"));
  EXPECT_EQ(member(get(), "data"), data);
}

TEST_F(Settings, NothingNamedChangesNothing) {
  const Value before = changed(R"({"cooldown_seconds":5})");
  EXPECT_EQ(changed("{}"), before);
  EXPECT_EQ(changed(""), before);
  EXPECT_EQ(changed(R"({"enabled":null,"settings":{"enabled":null}})"), before);
  EXPECT_EQ(changed(R"({"_locale":"user"})", "_method=POST&_fields=data"), before);
  EXPECT_EQ(changed("", "rest_route=/ratingd/v1/settings&lang=de&cooldown_seconds=6"), before);
}

TEST_F(Settings, ObjectDataOrSettingsMeansThatObject) {
  EXPECT_EQ(member(changed(R"({"data":{"cooldown_seconds":5},"cooldown_seconds":6,"x":1})"),
                   "cooldown_seconds"),
            parsed("5"));
  EXPECT_EQ(member(changed(R"({"settings":{"cooldown_seconds":7}})"), "cooldown_seconds"),
            parsed("7"));
  EXPECT_TRUE(refused(R"({"data":"text"})").contains("data"));
}

TEST_F(Settings, AnswerMayBeSentBack) {
  changed(R"({"cooldown_seconds":5,"allowed_origins":"https://example.org,https://example.com"})");
  const auto answer = run(http::Method::get, "", "");
  ASSERT_TRUE(answer);
  const auto again = run(http::Method::post, "", answer->body);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->body, answer->body);
}

TEST_F(Settings, FormsAreReadAsWordPressDoes) {
  const Value data = changed("enabled=0&cooldown_seconds=5&enabled_categories=binary,scale");
  EXPECT_EQ(member(data, "enabled"), parsed("false"));
  EXPECT_EQ(member(data, "cooldown_seconds"), parsed("5"));
  EXPECT_EQ(member(data, "enabled_categories"), parsed(R"(["binary","scale"])"));
}

TEST_F(Settings, RepeatedListsOfAFormAreOneList) {
  const Value data = changed(
      "enabled_categories=binary&enabled_categories[]=scale&blocked_agents=one&blocked_agents=two"
      "&cooldown_seconds=5&cooldown_seconds=6");
  EXPECT_EQ(member(data, "enabled_categories"), parsed(R"(["binary","scale"])"));
  EXPECT_EQ(member(data, "blocked_agents"), parsed(R"(["one","two"])"));
  EXPECT_EQ(member(data, "cooldown_seconds"), parsed("6"));
}

TEST_F(Settings, OneBadValueChangesNothing) {
  const Value before = member(get(), "data");
  const auto fields =
      refused(R"({"enabled":false,"cooldown_seconds":3601,"revote":"maybe","voter_cookie_days":{},)"
              R"("allowed_origins":["*"]})");
  EXPECT_EQ(fields.size(), 4U);
  EXPECT_EQ(fields.at("cooldown_seconds").first, "rest_out_of_bounds");
  EXPECT_EQ(fields.at("cooldown_seconds").second,
            "cooldown_seconds must be a whole number from 0 to 3600.");
  EXPECT_EQ(fields.at("revote").first, "rest_not_in_enum");
  EXPECT_EQ(fields.at("voter_cookie_days").first, "rest_invalid_type");
  EXPECT_EQ(fields.at("allowed_origins").first, "rest_invalid_pattern");
  EXPECT_EQ(member(get(), "data"), before);
}

TEST_F(Settings, UnknownNameIsRefusedWithTheNearest) {
  const auto fields = refused(R"({"enabled":false,"require_logins":true})");
  ASSERT_EQ(fields.size(), 1U);
  const auto& [code, message] = fields.at("require_logins");
  EXPECT_EQ(code, "rest_additional_properties_forbidden");
  EXPECT_TRUE(
      message.starts_with("There is no require_logins setting. The most similar setting names "
                          "are require_login, "))
      << message;
  EXPECT_EQ(member(member(get(), "data"), "enabled"), parsed("true"));
}

TEST_F(Settings, DamagedRowIsReported) {
  service_.connection().execute(
      "INSERT INTO wp_ratingd_settings VALUES ('cooldown_seconds', 'oops')");
  const Value answer = get();
  EXPECT_EQ(member(member(answer, "data"), "cooldown_seconds"), parsed("0"));
  const auto problems = std::get<Value::Array>(member(member(answer, "meta"), "problems").data);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(std::get<std::string>(problems[0].data).find("cooldown_seconds"), std::string::npos);
  const auto details =
      std::get<Value::Array>(member(member(answer, "meta"), "problem_details").data);
  ASSERT_EQ(details.size(), 1U);
  EXPECT_EQ(member(details[0], "setting"), parsed(R"("cooldown_seconds")"));
  EXPECT_EQ(member(details[0], "message"), problems[0]);
  EXPECT_EQ(
      member(member(details[0], "values"), "reason"),
      parsed(R"json({"pattern":"The stored value of the \"{title}\" setting is damaged.",)json"
             R"json("values":{"title":)json"
             R"json({"pattern":"Minimum time between two ratings by a visitor (seconds)"}}})json"));
}

TEST_F(Settings, DamagedRowIsReplacedByAnyValue) {
  service_.store_row("cooldown_seconds", "oops");
  service_.store_row("revote", "oops");
  EXPECT_EQ(member(changed(R"({"cooldown_seconds":0})"), "cooldown_seconds"), parsed("0"));
  const auto left = std::get<Value::Array>(member(member(get(), "meta"), "problem_details").data);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(member(left[0], "setting"), parsed(R"("revote")"));
  EXPECT_EQ(member(changed(R"({"revote":"never"})"), "revote"), parsed(R"("never")"));
  EXPECT_EQ(member(get(), "meta").find("problems"), nullptr);
}

}  // namespace
