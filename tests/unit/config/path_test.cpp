// How the way to a value is written.
#include "config/path.h"

#include <catch2/catch.hpp>
#include <string>

namespace path_test {

using sallyport::config::KeyName;
using sallyport::config::LastingPath;
using sallyport::config::Path;

TEST_CASE("a path is names and positions, names that are no plain words in quotes") {
    CHECK(Path{}.text().empty());
    CHECK(Path{}.key("a").text() == "a");
    CHECK(Path{}.key("credentials").index(17).key("basic").key("secrets").index(0).text()
          == "credentials[17].basic.secrets[0]");
    CHECK(Path{}.key("paths").key("/v1/x").text() == "paths[\"/v1/x\"]");
    CHECK(Path{}.key("").text() == "[\"\"]");
    CHECK(Path{"apis.a"}.key("rules").index(1).text() == "apis.a.rules[1]");
}

TEST_CASE("a path may be longer than what it keeps apart") {
    Path path;
    std::string expected;
    for (std::size_t i = 0; i < 30; ++i) {
        path = path.key("k").index(i);
        expected += (expected.empty() ? "k[" : ".k[") + std::to_string(i) + ']';
        CHECK(path.text() == expected);
    }
}

TEST_CASE("the keys of tables have numbers, the same for the same name") {
    auto const name = KeyName::of("credentials");
    CHECK(name.text() == "credentials");
    CHECK(KeyName::of("a name/that is no word").text() == "a name/that is no word");
    auto const path = Path{}.key(name).index(17).key(KeyName::of(std::string{"a/b"})).key("c");
    CHECK(path.text() == "credentials[17][\"a/b\"].c");
}

TEST_CASE("a path is kept when the names that it refers to are gone") {
    auto const keys = Path{}.key(KeyName::of("credentials")).index(17).key(KeyName::of("allow"));
    CHECK(LastingPath{}.text().empty());
    CHECK(LastingPath{"credentials"}.text() == "credentials");
    CHECK(LastingPath{keys}.text() == "credentials[17].allow");
    CHECK(LastingPath{keys.key(KeyName::of("apis")).index(1)}.text()
          == "credentials[17].allow.apis[1]");
    CHECK(LastingPath{keys.key(KeyName::of("apis")).index(1).index(2)}.text()
          == "credentials[17].allow.apis[1][2]");
    CHECK(LastingPath{keys.index(0x8000'0000)}.text() == "credentials[17].allow[2147483648]");
    CHECK(LastingPath{Path{"apis.a"}.index(1)}.text() == "apis.a[1]");
    LastingPath kept;
    {
        std::string const name = "a name of a document";
        kept = keys.key(name);
    }
    CHECK(kept.text() == "credentials[17].allow[\"a name of a document\"]");
}

} // namespace path_test
