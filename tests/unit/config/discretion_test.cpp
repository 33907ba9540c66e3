// No problem repeats a secret, wherever it was written by mistake.
#include "config/discretion.h"
#include "support.h"

#include <catch2/catch.hpp>

#include <array>

namespace discretion_test {

using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

// What it may look like: a word, a number, what needs quotes, a text of many words, a long one.
std::array<std::string, 7> const secrets{"hunter2canary",
                                         "918273645546372819",
                                         "0x1F2E3D4C5B6A7988",
                                         "\"hunter2.canary: x\"",
                                         "\"[0].hunter2]canary\\\" ...\"",
                                         "'hunter2 ... canary'",
                                         "hunter2canary" + std::string(300, 'x')};

// Parts of them that are telling enough.
bool shows_one(std::string const& text) {
    for (std::string_view const part :
         {"hunter2", "canary", "918273645546372819", "1F2E3D4C5B6A7988", "xxxxxxxx"}) {
        if (text.find(part) != std::string::npos) return true;
    }
    return false;
}

std::string with(std::string text, std::string const& secret) {
    for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos; at += secret.size())
        text.replace(at, 1, secret);
    return text;
}

// The same mistakes around a secret in either file: `key` forgotten, twice, with a value of another
// kind, in the wrong place, with syntax that breaks there.
std::array<std::string_view, 20> constexpr mistakes{
    "{ key_id: k, @ }",
    "{ key_id: k, @: }",
    "{ @: secret }",
    "{ @: a, @: b }",
    "{ @: { a: 1, a: 2 } }",
    "{ @: { @: { @: [ { @ } ] } } }",
    "{ key_id: k, secret: { @: 1, @: 2 } }",
    "{ key_id: k, secret: { @: { 1: 2 } } }",
    "{ key_id: k, secrets: { @ } }",
    "{ token: { @: &anchor 1 } }",
    "{ tokens: [ { @: *alias } ] }",
    "{ tokens: [ { @: !tag 1 } ] }",
    "{ key_id: k, secret: [ @, [ @ ] ] }",
    "[ @ ]",
    "[ { @: 1, @: 2 } ]",
    "@",
    "{ key_id: { @ }, secret: @ ",
    "{ key_id: k, @: [ ",
    "{ key_id: k, @: ] }",
    "{ key_id: k, @: \"\\z\" }",
};

} // namespace

// An upstream's credential has keys of its own, whatever the authenticators are.
TEST_CASE("no message repeats a secret that stands in a wrong place of an upstream's credential") {
    Tables const without_authenticators{{}};
    for (std::string_view const start :
         {"upstreams: { up: { endpoints: [\"http://a\"], credential: { basic: ",
          "upstreams: { up: { endpoints: [\"http://a\"], credential: { bearer: ",
          "upstreams: { up: { endpoints: [\"http://a\"], credential: ",
          "upstreams: { up: { credential: { other: ", "upstreams: { credential: { basic: ",
          "upstreams: { up: { basic: ", "credential: { basic: ", "bearer: ", "secret: ",
          "token: "}) {
        for (std::string_view const mistake : mistakes) {
            for (std::string const& secret : secrets) {
                std::string text{start};
                text += with(std::string{mistake}, secret);
                for (auto at = start.rfind('{'); at != std::string_view::npos;
                     at = at == 0 ? std::string_view::npos : start.rfind('{', at - 1)) {
                    text += " }";
                }
                auto const problems =
                    described(read(text + '\n', {}, without_authenticators).problems);
                CAPTURE(text, problems);
                CHECK_FALSE(problems.empty());
                CHECK_FALSE(shows_one(problems));
            }
        }
    }
}

TEST_CASE("no message repeats a secret that stands in a wrong place of the file of credentials") {
    for (auto const& [start, end] :
         {std::pair{"credentials:\n- name: one\n  allow: all\n  basic: ", "\n"},
          std::pair{"credentials:\n- name: one\n  allow: all\n  bearer: ", "\n"},
          std::pair{"credentials:\n- ", "\n"}, std::pair{"credentials: ", "\n"},
          std::pair{"credentials:\n- name: one\n  basic: { key_id: k, secrets: ", " }\n"},
          std::pair{"", "\n"}}) {
        for (std::string_view const mistake : mistakes) {
            for (std::string const& secret : secrets) {
                auto const text = start + with(std::string{mistake}, secret) + end;
                auto const problems = described(read_keys(text).problems);
                CAPTURE(text, problems);
                CHECK_FALSE(problems.empty());
                CHECK_FALSE(shows_one(problems));
            }
        }
    }
}

TEST_CASE("no message repeats a secret beside a digest's key that stands in the configuration") {
    for (std::string_view const start : {"secrets: ", "tokens: "}) {
        for (std::string_view const mistake : mistakes) {
            for (std::string const& secret : secrets) {
                auto const text = std::string{start} + with(std::string{mistake}, secret) + '\n';
                auto const problems = described(read(text).problems);
                CAPTURE(text, problems);
                CHECK_FALSE(problems.empty());
                CHECK_FALSE(shows_one(problems));
            }
        }
    }
}

TEST_CASE(
    "a secret whose key was forgotten is reported by its place, and names elsewhere by name") {
    CHECK(described(read("upstreams: { up: { endpoints: [\"http://a\"], credential: { basic: { "
                         "key_id: k, hunter2 } } } }\n")
                        .problems)
          == "c.yaml:1:66: upstreams.up.credential.basic.secret: is missing; write secret: "
             "\"${file:/run/secrets/upstream}\"\n"
             "c.yaml:1:79: upstreams.up.credential.basic: unknown key; write one of key_id or "
             "secret\n");
    CHECK(described(read("upstreams: { basic: { endpoint: [\"http://a\"] } }\n").problems)
              .find("upstreams.basic: unknown key; did you mean \"endpoints\"?")
          != std::string::npos);
    CHECK(
        described(read_keys("credentials:\n- name: one\n  allow: { organisation: [] }\n  labels: { "
                            "tier: [] }\n  bearer: { tokens: [] }\n")
                      .problems)
            .find("credentials[0].allow.organisation: is empty")
        != std::string::npos);
}

} // namespace discretion_test
