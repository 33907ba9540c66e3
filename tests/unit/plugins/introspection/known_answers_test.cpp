// What issuers have said of tokens: found until it is displaced, used until its end.
#include "plugins/introspection/known_answers.h"

#include <catch2/catch.hpp>

#include <string>

namespace known_answers_test {

using namespace sallyport;
using namespace sallyport::plugins;
using namespace std::chrono_literals;

namespace {

KnownAnswer::TimePoint const now{std::chrono::seconds{1'800'000'000}};

KnownAnswer active(std::string_view text = "{}") {
    KnownAnswer answer;
    answer.text = std::make_shared<config::Secret const>(text);
    answer.is_in_time = true;
    answer.asked = now;
    return answer;
}

KnownAnswer inactive() {
    KnownAnswer answer;
    answer.asked = now;
    return answer;
}

} // namespace

TEST_CASE("an answer is used for as long as an API says, and not beyond the end of its token") {
    AnswerTimes const times{60s, 10s, 0s};
    auto answer = active();
    CHECK(answer.until(times) == now + 60s);
    answer.expires = now + 30s;
    CHECK(answer.until(times) == now + 30s);
    CHECK(inactive().until(times) == now + 10s);
    // Of an active token that has expired, or is not valid yet.
    answer.is_in_time = false;
    CHECK(answer.until(times) == now + 10s);
}

TEST_CASE("without its issuer an answer is used for longer where an API says so, after a failure") {
    AnswerTimes const times{60s, 10s, 300s};
    auto answer = active();
    CHECK(answer.last(times) == now + 360s);
    CHECK(answer.until(times) == now + 60s);
    answer.pause = now + 100s;
    CHECK(answer.until(times) == now + 100s);
    CHECK(answer.until({60s, 10s, 0s}) == now + 60s);
    answer.pause = now + 400s;
    CHECK(answer.until(times) == now + 360s);
    answer.expires = now + 200s;
    CHECK(answer.last(times) == now + 200s);
    CHECK(answer.until(times) == now + 200s);
    CHECK(inactive().last(times) == now + 10s);
}

TEST_CASE("an answer is found for its token alone") {
    KnownAnswers answers;
    CHECK(answers.find("token") == nullptr);
    answers.keep("token", active("{\"active\":true}"), now + 10s, now);
    REQUIRE(answers.find("token") != nullptr);
    CHECK(answers.find("token")->text->reveal() == "{\"active\":true}");
    CHECK(answers.find("tokem") == nullptr);
    CHECK(answers.find("") == nullptr);
}

TEST_CASE("a new answer replaces the one before, of whatever kind") {
    KnownAnswers answers;
    answers.keep("token", active(), now + 10s, now);
    CHECK(answers.was_active("token"));
    CHECK_FALSE(answers.was_active("other"));
    answers.keep("token", inactive(), now + 5s, now);
    REQUIRE(answers.find("token") != nullptr);
    CHECK_FALSE(answers.find("token")->is_active());
    CHECK_FALSE(answers.was_active("token"));
    answers.keep("token", active("{}"), now + 10s, now);
    CHECK(answers.find("token")->is_active());
    answers.keep("token", active("{ }"), now + 20s, now);
    CHECK(answers.find("token")->text->reveal() == "{ }");
    CHECK(answers.size() == 3);
}

TEST_CASE("texts that have no room are not kept, until others have ended") {
    KnownAnswers answers;
    std::string const large(std::size_t{1024} * 1024, 'x');
    auto const most = KnownAnswers::most_bytes / large.size();
    for (std::size_t i = 0; i < most + 10; ++i)
        answers.keep("token" + std::to_string(i), active(large), now + 10s, now);
    CHECK(answers.size() == KnownAnswers::most_bytes);
    CHECK(answers.find("token0") != nullptr);
    CHECK(answers.find("token" + std::to_string(most + 9)) == nullptr);
    // One that is replaced gives its room back, and those that have ended do.
    answers.keep("token0", inactive(), now + 10s, now);
    answers.keep("late", active(large), now + 20s, now);
    CHECK(answers.find("late") != nullptr);
    answers.keep("later", active(large), now + 20s, now + 11s);
    CHECK(answers.find("later") != nullptr);
    CHECK(answers.size() == 2 * large.size());
}

TEST_CASE("tokens that are not active displace no active one") {
    KnownAnswers answers;
    for (int i = 0; i < 500; ++i)
        answers.keep("active" + std::to_string(i), active(), now + 10s, now);
    for (int i = 0; i < 50'000; ++i)
        answers.keep("random" + std::to_string(i), inactive(), now + 300s, now);
    int found = 0;
    for (int i = 0; i < 500; ++i)
        found += answers.find("active" + std::to_string(i)) != nullptr ? 1 : 0;
    // Five of one group would be one too many: nearly none of 500 among 1,024 groups.
    CHECK(found >= 495);
}

TEST_CASE("a full group drops the answer that ends first") {
    KnownAnswers answers;
    constexpr int many = 20'000;
    for (int i = 0; i < many; ++i)
        answers.keep("short" + std::to_string(i), active(), now + 1s, now);
    for (int i = 0; i < 1000; ++i)
        answers.keep("long" + std::to_string(i), active(), now + 1h, now);
    int found = 0;
    for (int i = 0; i < 1000; ++i)
        found += answers.find("long" + std::to_string(i)) != nullptr ? 1 : 0;
    CHECK(found >= 990);
}

} // namespace known_answers_test
