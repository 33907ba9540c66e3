// Answers that break the contract: they reach the client as they came, and the log says what is
// wrong with them.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace sallyport::test;

namespace {

constexpr std::string_view unexpected =
    R"({"status":200,"result":{"db_max_threads":"many","nested":{"clientSecret":"s3cr3t"}}})";

Stage answering(std::string_view body, std::string more) {
    return Stage{
        [body = std::string{body}](UpstreamExchange& exchange) { exchange.send(answer(body)); },
        with_management(std::move(more))};
}

std::vector<std::string> rules_of(Json const& line) {
    std::vector<std::string> rules;
    for (Json const& violation : line["violations"].items)
        rules.push_back(violation.text("rule") + " " + violation.text("pointer"));
    return rules;
}

} // namespace

TEST_CASE("an answer that breaks the contract passes untouched, and is logged with its rules") {
    auto stage = answering(unexpected, "responses: report");
    auto const response = stage.send(request_for("updatePipeSettings"));
    CHECK(response.status == 200);
    CHECK(response.body == unexpected);
    auto const rules = rules_of(stage.log_of(response));
    CHECK(std::find(rules.begin(), rules.end(), "type /result/db_max_threads") != rules.end());
    // Undeclared, and named like a secret: its name is not repeated, its value never.
    CHECK(std::find(rules.begin(), rules.end(), "undeclared_secret /result/*/*") != rules.end());
    CHECK(stage.gateway.every_written_byte().find("s3cr3t") == std::string::npos);
    stage.finish();
}

TEST_CASE("answers are not looked at where nobody asks for it") {
    auto stage = answering(unexpected, "responses: off");
    auto const response = stage.send(request_for("updatePipeSettings"));
    CHECK(response.body == unexpected);
    CHECK(rules_of(stage.log_of(response)).empty());
    stage.finish();
}

TEST_CASE("an answer that is no JSON, or longer than what is kept, passes all the same") {
    for (std::string const& body :
         {std::string{"{\"result\":"},
          "{\"result\":{\"db_max_threads\":\"" + std::string(2'000'000, 'x') + "\"}}"}) {
        auto stage = answering(body, "responses: report");
        auto const response = stage.send(request_for("updatePipeSettings"));
        CHECK(response.status == 200);
        CHECK(response.body == body);
        CHECK(rules_of(stage.log_of(response)).empty());
        stage.finish();
    }
}
