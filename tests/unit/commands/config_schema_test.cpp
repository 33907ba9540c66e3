// `config schema` prints one schema or the other, for people or on one line.
#include "gateway/commands/config_schema.h"
#include "tests/unit/support/tables.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace config_schema_test {

using namespace sallyport::commands;

namespace {

std::string printed(SchemaOptions const& options) {
    std::ostringstream out;
    CHECK(run_config_schema(options, sallyport::test::tables(), out) == 0);
    return out.str();
}

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the schema of the configuration is not that of the credentials") {
    auto const config = printed({});
    CHECK(has(config, "\"title\": \"Configuration of Sallyport\""));
    CHECK(has(config, "\"listeners\": {"));
    CHECK_FALSE(has(config, "\"expires\""));
    auto const credentials = printed({.file = ConfigFile::credentials});
    CHECK(has(credentials, "\"title\": \"Credentials of Sallyport's callers\""));
    CHECK(has(credentials, "\"expires\": {"));
    CHECK_FALSE(has(credentials, "\"upstreams\""));
}

TEST_CASE("the schema of an included file has the sections, none of them required") {
    auto const included = printed({.file = ConfigFile::included});
    CHECK(has(included, "\"title\": \"Included file of Sallyport's configuration\""));
    CHECK(has(included, "\"listeners\": {"));
    CHECK_FALSE(has(included, "\"include\""));
    CHECK(has(printed({}), "\"include\""));
}

TEST_CASE("the JSON format is one line") {
    auto const text = printed({});
    CHECK(text.substr(0, 14) == "{\n  \"$schema\":");
    auto const line = printed({.format = Format::json});
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(line.size() < text.size());
    CHECK(has(line, "\"title\":\"Configuration of Sallyport\""));
}

} // namespace config_schema_test
