// See shipped.h.
#include "tests/contract/shipped.h"

#include "tests/contract/read.h"

#include <catch2/catch.hpp>
#include <map>

namespace sallyport::contract::test {

Contract const& shipped(std::string const& document) {
    static std::map<std::string, std::shared_ptr<Contract const>> loaded;
    auto& contract = loaded[document];
    if (contract == nullptr) {
        for (auto const& each : documents()) {
            if (each.name != document) continue;
            auto result = Contract::load_file(project_file(each.contract));
            for (auto const& problem : result.problems) {
                UNSCOPED_INFO(config::yaml::describe(problem));
            }
            REQUIRE(result.problems.empty());
            contract = result.contract;
        }
    }
    REQUIRE(contract != nullptr);
    return *contract;
}

std::string rule_name(Side side, std::string const& rule_pointer) {
    return (side == Side::response ? "/responses/200" : "") + rule_pointer;
}

Found find(std::string const& operation) {
    for (auto const& document : documents()) {
        auto const& contract = shipped(document.name);
        if (auto const* found = contract.find_operation(operation)) return {contract, *found};
    }
    FAIL("no contract has the operation " << operation);
    throw std::logic_error{"not reached"};
}

BodySchema schema_of(Found const& found, Side side) {
    if (side == Side::response) {
        auto const* const schema = found.operation.response_schema(200);
        REQUIRE(schema != nullptr);
        return *schema;
    }
    REQUIRE(found.operation.request_body.has_value());
    auto const* const media_type = found.operation.request_body->find("application/json");
    REQUIRE(media_type != nullptr);
    REQUIRE(media_type->schema.has_value());
    return *media_type->schema;
}

Report validate(std::string const& operation, Side side, std::string body, Labels const& labels,
                std::vector<LevelOverride> const& levels) {
    static Validator validator;
    auto const found = find(operation);
    LevelTable table;
    if (!levels.empty()) {
        auto compiled = LevelTable::compile(found.contract, ApiLevels{}, levels);
        for (auto const& problem : compiled.problems) {
            UNSCOPED_INFO(problem.what << "; " << problem.hint);
        }
        REQUIRE(compiled.problems.empty());
        table = std::move(compiled.table);
    }
    auto const length = body.size();
    body.append(body_padding, 'x'); // the bytes after a body must not matter
    return validator.validate(schema_of(found, side), std::string_view{body}.substr(0, length),
                              found.contract.conditions_for(labels), table);
}

} // namespace sallyport::contract::test
