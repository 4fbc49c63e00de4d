#include "admin/flags.h"

#include <gtest/gtest.h>

namespace {

TEST(Flags, AreTheParametersOfTheHttpApi) {
  const config::Config config;
  const config::CommandFlags flags = {{"object", "42"}, {"type", "book"}, {"user", "7"},
                                      {"dry-run", ""},  {"confirm", ""},  {"issuer", ""}};
  const json::Parameters parameters =
      admin::parameters_of({.config = config, .arguments = {}, .flags = flags});
  json::Fields fields(parameters);
  EXPECT_EQ(fields.object_id("object_id"), 42U);
  EXPECT_EQ(fields.object_type("object_type"), "book");
  EXPECT_EQ(fields.object_id("user_id"), 7U);
  EXPECT_EQ(fields.boolean("dry_run"), true);
  EXPECT_EQ(fields.boolean("confirm"), true);
  EXPECT_EQ(fields.string("issuer", json::Fields::Presence::optional), "");
  EXPECT_TRUE(fields.invalid().empty());
}

TEST(Flags, ThatSelectASiteAreNotParameters) {
  const config::Config config;
  const config::CommandFlags flags = {
      {"site", "shop"}, {"url", "http://example.org/two/"}, {"all-sites", ""}};
  EXPECT_TRUE(
      admin::parameters_of({.config = config, .arguments = {}, .flags = flags}).names().empty());
}

// Reads the command-line flags "object_id", "scope" and "all", and returns the errors that refuse()
// prints.
std::string complaint(const config::CommandFlags& flags) {
  const config::Config config;
  const admin::Invocation call = {.config = config, .arguments = {}, .flags = flags};
  const json::Parameters parameters = admin::parameters_of(call);
  json::Fields fields(parameters);
  fields.object_id("object_id");
  fields.reject("scope", "rest_not_in_enum", json::must_be_one_of("scope", {"ratings"}));
  fields.reject("all", "rest_invalid_param", base::Message("Send \"all\": true."));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(admin::refuse(call, fields), admin::kWrongArguments);
  return ::testing::internal::GetCapturedStderr();
}

TEST(Flags, ErrorsAreInTermsOfFlags) {
  EXPECT_EQ(complaint({{"object", "no"}, {"scope", "nothing"}}),
            "--object must be an integer from 1 to 9223372036854775807.\n"
            "--scope must be ratings.\n"
            "Give either filters, or --all for everything.\n");
}

TEST(Flags, ErrorOfWhatIsNoFlagIsOfTheArgument) {
  EXPECT_EQ(complaint({{"object", "1"}}),
            "The argument must be ratings.\n"
            "Give either filters, or --all for everything.\n");
}

}  // namespace
