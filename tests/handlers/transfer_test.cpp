#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "handlers/handlers.h"
#include "store/grants.h"
#include "support/service.h"

namespace {

using Pieces = std::vector<std::string>;

const std::string kFirst =
    R"({"kind":"rating","object_id":1,"category":"binary","user_id":7,"value":1,)"
    R"("rated_at":"2026-01-02T03:04:05Z"})"
    "\n";
const std::string kSecond =
    R"({"kind":"rating","object_id":2,"category":"binary","user_id":7,"value":1,)"
    R"("rated_at":"2026-01-02T03:04:05Z"})"
    "\n";

const base::Time kMidnight = base::Day(std::chrono::year(2026) / 11 / 21);

class Transfer : public ::testing::Test {
 protected:
  api::Result answer(http::Request request,
                     api::Result (*handler)(const api::App&, const api::Call&)) {
    const store::SiteState site;
    request.received_at = kMidnight;
    api::Call call{request, site, {}, {}, {}, {}};
    auto parameters = api::Parameters::read_query(request);
    if (!parameters) return tl::unexpected(parameters.error());
    call.parameters = *std::move(parameters);
    call.requester.user = user_;
    call.requester.ticket = ticket_;
    return handler(service_.app(), call);
  }
  api::Result ask(std::string_view query,
                  api::Result (*handler)(const api::App&, const api::Call&)) {
    http::Request request;
    request.query = query;
    return answer(request, handler);
  }
  static std::string file_of(const api::Result& exported) {
    std::string file;
    while (exported && exported->pieces(file)) {
    }
    return file;
  }
  // Imports a large request body that arrives in "pieces". If "breaks" is true, the body is
  // truncated.
  api::Result import(Pieces pieces, bool breaks) {
    http::Request request;
    request.method = http::Method::post;
    request.body_too_large = true;
    request.large_body_size = 100'000;
    std::size_t next = 0;
    request.large_body = [&]() -> std::optional<std::string_view> {
      if (next < pieces.size()) return pieces[next++];
      if (breaks) return std::nullopt;
      return "";
    };
    return answer(request, api::run<handlers::import_data>);
  }
  std::int64_t votes() {
    return service_.connection().query("SELECT COUNT(*) FROM wp_ratingd_votes").number();
  }

  support::Service service_;
  std::optional<cms::User> user_ = cms::User{900, model::Rights::all()};
  std::optional<identity::Ticket> ticket_;
};

TEST_F(Transfer, FewSessionsAreOpenAtATime) {
  auto exported = ask("", api::run<handlers::export_data>);
  const auto imports = [&] {
    std::vector<std::unique_ptr<api::TransferSession>> others;
    for (int i = 0; i < 3; ++i) {
      others.push_back(std::make_unique<api::TransferSession>(service_.app().transfers));
    }
    return import({kFirst}, false);
  };
  EXPECT_THROW(imports(), db::Busy);

  exported = tl::unexpected(api::Error{api::ErrorCode::internal});  // ends the export
  EXPECT_TRUE(imports());
}

TEST_F(Transfer, ImportReadsABodyInPieces) {
  const auto result = import({kFirst.substr(0, 20), kFirst.substr(20) + kSecond}, false);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->body,
            R"({"success":true,"data":{"read":2,"new":2,"changed":0,"kept":0,"folded":0,)"
            R"("refused":0,"reasons":[],"notes":[],"complete":false}})");
  EXPECT_EQ(votes(), 2);
}

TEST_F(Transfer, BodyThatBreaksOffStoresNoPartOfARow) {
  const auto result = import({"kind,object_id,category,user_id,rated_at,value\n",
                              "rating,1,scale,7,2026-01-02T03:04:05Z,0.8"},
                             true);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, api::ErrorCode::unavailable);
  EXPECT_EQ(votes(), 0);
}

TEST_F(Transfer, BodyOver64MibIsNotRead) {
  http::Request request;
  request.body_too_large = true;
  request.large_body_size = 64 * 1024 * 1024 + 1;
  const auto result = answer(request, api::run<handlers::import_data>);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, api::ErrorCode::body_too_large);
  EXPECT_EQ(result.error().limit, 64U * 1024 * 1024);
}

TEST_F(Transfer, ChangedTotalsAreReadAtOnce) {
  const model::Object object{1, "post"};
  const auto total = [&] {
    const auto stats =
        service_.app().reading.stats.read(service_.app().core.sessions, {&object, 1});
    return stats.front().front().total();
  };
  EXPECT_EQ(total(), 0);
  ASSERT_TRUE(import({kFirst}, false));
  EXPECT_EQ(total(), 1);
  http::Request request;
  request.query = "scope=ratings&object_id=1&confirm=true";
  ASSERT_TRUE(answer(request, api::run<handlers::clean_data>));
  EXPECT_EQ(total(), 0);
}

TEST_F(Transfer, ChangedOwnRatingsAreReadAtOnce) {
  const model::Object object{1, "post"};
  const auto is_rated = [&] {
    return service_.app().reading.own_ratings.read(7, {&object, 1}).front().front().has_value();
  };
  EXPECT_FALSE(is_rated());
  ASSERT_TRUE(import({kFirst}, false));
  EXPECT_TRUE(is_rated());
  http::Request request;
  request.query = "scope=ratings&object_id=1&confirm=true";
  ASSERT_TRUE(answer(request, api::run<handlers::clean_data>));
  EXPECT_FALSE(is_rated());
}

TEST_F(Transfer, ExportIsMadeWhileItIsSent) {
  ASSERT_TRUE(import({kFirst + kSecond}, false));
  http::Request request;
  request.query = "object_id=2";
  auto result = answer(request, api::run<handlers::export_data>);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->body, "");
  // Delete the votes while the export is in progress. The export still contains the deleted votes,
  // because it reads one consistent snapshot.
  service_.connection().execute("DELETE FROM wp_ratingd_votes");
  std::string file;
  while (result->pieces(file)) {
  }
  EXPECT_EQ(file, R"({"kind":"rating","object_id":2,"object_type":"post","category":"binary",)"
                  R"("user_id":7,"value":1,"created_at":"2026-01-02T03:04:05.000000Z",)"
                  R"("rated_at":"2026-01-02T03:04:05.000000Z"})"
                  "\n"
                  R"({"kind":"end","rows":1})"
                  "\n");
}

TEST_F(Transfer, RatingsAreExportedToThoseWhoMaySeePersons) {
  model::Rights rights;
  rights.add(model::Right::administer);
  user_ = cms::User{900, rights};
  const auto is_refused = [&](std::string_view query) {
    const auto result = ask(query, api::run<handlers::export_data>);
    return !result && result.error().code == api::ErrorCode::forbidden;
  };
  for (const char* query : {"", "scope=ratings", "scope=settings,ratings", "user_id=7",
                            "object_id=1", "issuer=shop&subject=anna"}) {
    EXPECT_TRUE(is_refused(query)) << query;
  }
  EXPECT_FALSE(is_refused("scope=settings,templates"));
  // Even a ticket that the CMS has issued to itself needs the permission to see persons.
  ticket_ = identity::Ticket{{"wordpress", "0"}, rights, true, {}};
  ticket_->binding.emplace();
  EXPECT_TRUE(is_refused("user_id=7"));
}

// The "book" object type always selects books, whether they were rated as "book" or as "post".
TEST_F(Transfer, TypesOfTheCmsSelectTheirPosts) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'book', 'publish'), "
      "(2, 'page', 'publish'), (3, 'post', 'publish')");
  const auto row = [](const std::string& object, const std::string& type) {
    return R"({"kind":"rating","object_id":)" + object + R"(,"object_type":")" + type +
           R"(","category":"binary","user_id":7,"value":1,"rated_at":"2026-01-02T03:04:05Z"})" +
           "\n";
  };
  ASSERT_TRUE(import({row("1", "post") + row("2", "post") + row("3", "post") + row("4", "book") +
                      row("5", "product-x")},
                     false));
  const auto exported = [&](std::string_view query) {
    const std::string file = file_of(ask(query, api::run<handlers::export_data>));
    std::string ids;
    for (const char* id : {"1", "2", "3", "4", "5"}) {
      if (file.find(R"("object_id":)" + std::string(id) + ",") != std::string::npos) ids += id;
    }
    return ids;
  };
  EXPECT_EQ(exported("object_type=book"), "14");
  EXPECT_EQ(exported("object_type=post"), "123");
  EXPECT_EQ(exported("object_type=post:post"), "3");
  EXPECT_EQ(exported("object_type=product-x"), "5");
  EXPECT_EQ(exported("object_type=book&object_id=1"), "1");
  EXPECT_EQ(exported("object_type=book&object_id=2"), "");

  const auto clean = [&](std::string_view query) {
    return ask(query, api::run<handlers::clean_data>).has_value();
  };
  ASSERT_TRUE(clean("scope=ratings&confirm=true&object_type=page&object_id=1"));
  EXPECT_EQ(exported(""), "12345");
  ASSERT_TRUE(clean("scope=ratings&confirm=true&object_type=page&object_id=2"));
  EXPECT_EQ(exported(""), "1345");
  ASSERT_TRUE(clean("scope=ratings&confirm=true&object_type=book"));
  EXPECT_EQ(exported(""), "35");
}

TEST_F(Transfer, ChosenRatingsAreExportedAndDeletedInOneRequest) {
  ASSERT_TRUE(import({kFirst + kSecond}, false));
  const std::string chosen = "ratings=2/post/binary/7,3/post/binary/7";
  const std::string file = file_of(ask(chosen, api::run<handlers::export_data>));
  EXPECT_EQ(file.find(R"("object_id":1,)"), std::string::npos) << file;
  EXPECT_NE(file.find(R"({"kind":"end","rows":1})"), std::string::npos) << file;
  ASSERT_TRUE(ask("scope=addresses&confirm=true&" + chosen, api::run<handlers::clean_data>));
  EXPECT_EQ(votes(), 2);
  ASSERT_TRUE(ask("scope=ratings&confirm=true&" + chosen, api::run<handlers::clean_data>));
  EXPECT_EQ(votes(), 1);
  std::string many = "ratings=1/post/binary/1";
  for (int voter = 2; voter <= 101; ++voter) many += ",1/post/binary/" + std::to_string(voter);
  EXPECT_FALSE(ask("scope=ratings&confirm=true&" + many, api::run<handlers::clean_data>));
  EXPECT_EQ(votes(), 1);
}

TEST_F(Transfer, VisitorIsNamedByIssuerAndSubject) {
  const std::string named =
      R"({"kind":"rating","object_id":3,"category":"binary","visitor":"v8000000000000001",)"
      R"("issuer":"shop","subject":"an na","value":1,"rated_at":"2026-01-02T03:04:05Z"})"
      "\n";
  ASSERT_TRUE(import({kFirst + named}, false));
  const auto exported = [&](std::string_view query) {
    const auto result = ask(query, api::run<handlers::export_data>);
    if (result) return file_of(result);
    std::string fields;
    for (const auto& field : result.error().fields) fields += field.field + " ";
    return fields;
  };
  EXPECT_NE(exported("issuer=shop&subject=an%20na").find(R"("subject":"an na")"),
            std::string::npos);
  EXPECT_EQ(exported("issuer=shop&subject=an%20na").find("user_id"), std::string::npos);
  EXPECT_EQ(exported("issuer=shop&subject=nobody"), "{\"kind\":\"end\",\"rows\":0}\n");
  EXPECT_EQ(exported("issuer=shop"), "subject ");
  EXPECT_EQ(exported("subject=x"), "issuer ");
  EXPECT_EQ(exported("issuer=a%20b&subject=x&user_id=7"), "issuer user_id ");

  const auto cleaned = [&](std::string_view query) {
    const auto result = ask(query, api::run<handlers::clean_data>);
    return result ? result->body.substr(0, 38) : "refused";
  };
  const std::string start = "scope=ratings&confirm=true&";
  EXPECT_EQ(cleaned(start + "issuer=shop"), "refused");
  EXPECT_EQ(cleaned(start + "issuer=shop&subject=nobody"),
            R"({"success":true,"data":{"ratings":0,"b)");
  EXPECT_EQ(votes(), 2);
  EXPECT_EQ(cleaned(start + "issuer=shop&subject=an%20na"),
            R"({"success":true,"data":{"ratings":1,"b)");
  EXPECT_EQ(votes(), 1);
  EXPECT_FALSE(service_.connection().query("SELECT 1 FROM wp_ratingd_visitors").next());
}

// Reading the second row of this view fails, so the error occurs after the import has begun.
TEST_F(Transfer, PluginTableWithUnreadableRowsIsNamed) {
  db::Connection owner(service_.owner());
  owner.execute("CREATE TABLE wp_old_ratings (id BIGINT PRIMARY KEY)");
  owner.execute("INSERT INTO wp_old_ratings VALUES (1), (2)");
  owner.execute(
      "CREATE VIEW wp_ratepress_ratings AS SELECT o.id, IF(o.id = 2, 9223372036854775807 + o.id, 1)"
      " AS object_id, 'post' AS object_type,"
      " 7 AS user_id, '' AS cookie_hash, '' AS ip, 'binary' AS category, 1 AS value,"
      " NOW() AS created_at FROM wp_old_ratings AS o");
  const auto account = service_.connection().query("SELECT CURRENT_USER()").first(db::text_in);
  owner.execute("GRANT SELECT ON wp_ratepress_ratings TO " +
                store::quoted_account(account.value_or("")));
  http::Request request;
  request.method = http::Method::post;
  const auto result = answer(request, [](const api::App& app, const api::Call& call) {
    api::Call of_plugin = call;
    of_plugin.argument = "ratepress";
    return api::run<handlers::import_plugin>(app, of_plugin);
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, api::ErrorCode::not_found);
  EXPECT_TRUE(result.error().message.text().starts_with(
      "Only part of the wp_ratepress_ratings table can be read: "))
      << result.error().message.text();
  EXPECT_EQ(votes(), 0);
}

}  // namespace
