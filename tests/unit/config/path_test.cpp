// How the way to a value is written.
#include "config/path.h"

#include <catch2/catch.hpp>
#include <string>

namespace path_test {

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

} // namespace path_test
