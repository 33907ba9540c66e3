// JSON output that programs can rely on, and the version.
#include "gateway/commands/output.h"
#include "gateway/commands/version.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace output_test {

using namespace sallyport;
using namespace sallyport::commands;

TEST_CASE("a JSON string escapes what JSON forbids, and contains only valid UTF-8") {
    CHECK(json_string("") == "\"\"");
    CHECK(json_string("a\"b\\c\n\r\t\x01\x7f") == R"("a\"b\\c\n\r\t\u0001\u007f")");
    CHECK(json_string("\xC3\xA4") == "\"\xC3\xA4\"");
    CHECK(json_string("\xFFx") == "\"?x\"");
    CHECK(json_string_or_null("") == "null");
    CHECK(json_string_or_null("a") == "\"a\"");
}

TEST_CASE("problems are an array of objects with all their parts") {
    CHECK(json_problems({}) == "[]");
    auto const* const file = config::yaml::intern_file_name("c.yaml");
    config::yaml::Problems problems{{{file, 3, 7}, "a.b", "is \"wrong\"", "write x"},
                                    {{}, "", "odd", "", config::yaml::Severity::warning}};
    CHECK(json_problems(problems)
          == R"([{"severity":"error","file":"c.yaml","line":3,"column":7,"path":"a.b",)"
             R"("what":"is \"wrong\"","hint":"write x"},)"
             R"({"severity":"warning","file":null,"line":0,"column":0,"path":"",)"
             R"("what":"odd","hint":null}])");
    std::ostringstream out;
    print_problems(out, problems);
    CHECK(out.str() == "c.yaml:3:7: a.b: is \"wrong\"; write x\nwarning: odd\n");
}

TEST_CASE("the version is one word after the name") {
    std::ostringstream text;
    CHECK(run_version(Format::text, text) == 0);
    CHECK(text.str().rfind("sallyport 0.", 0) == 0);
    std::ostringstream json;
    CHECK(run_version(Format::json, json) == 0);
    CHECK(json.str().rfind(R"({"version":"0.)", 0) == 0);
}

} // namespace output_test
