// Every rule of the shipped contracts names the section of its document.
#include "tests/contract/read.h"
#include "tests/contract/schema_tree.h"

#include <catch2/catch.hpp>

namespace test_sources {

using namespace sallyport::contract::test;
namespace yaml = sallyport::config::yaml;

namespace {

bool asserts(yaml::Node const& schema) {
    if (schema.kind() == yaml::Kind::boolean)
        return !schema.as_boolean(); // `false` refuses everything
    for (auto const& entry : schema.entries()) {
        if (is_asserting(entry.key)) return true;
    }
    return false;
}

} // namespace

TEST_CASE("a schema uses only keywords that the tests support") {
    for (auto const& document : documents()) {
        std::size_t seen = 0;
        visit_schemas(contract_file(document),
                      [&](auto const& schema, auto const& place, auto const&) {
                          for (auto const& entry : schema.entries()) {
                              INFO(document.contract << " " << place << "/" << entry.key);
                              CHECK((is_asserting(entry.key) || is_applicator(entry.key)
                                     || is_annotation(entry.key)));
                          }
                          ++seen;
                      });
        CHECK(seen > 60);
    }
}

TEST_CASE("a schema with rules has an x-source") {
    for (auto const& document : documents()) {
        std::size_t seen = 0;
        visit_schemas(contract_file(document),
                      [&](auto const& schema, auto const& place, auto const& source) {
                          if (!asserts(schema)) return;
                          INFO(document.contract << " " << place);
                          CHECK_FALSE(source.empty());
                          ++seen;
                      });
        CHECK(seen > 60);
    }
}

TEST_CASE("an x-source names an existing section of its document") {
    for (auto const& document : documents()) {
        std::size_t seen = 0;
        visit_schemas(contract_file(document),
                      [&](auto const& schema, auto const& place, auto const&) {
                          auto const* const source = schema.find("x-source");
                          if (source == nullptr) return;
                          INFO(document.contract << " " << place);
                          CHECK(document.has_section(text_of(*source)));
                          ++seen;
                      });
        CHECK(seen > 10);
    }
}

} // namespace test_sources
