// The JSON Schema of the configuration, evaluated by the gateway's own engine: see schema_judge.h.
#include "schema_judge.h"
#include "tests/unit/contract/sent_text.h"

#include <stdexcept>

namespace sallyport::config::test {

SchemaJudge::SchemaJudge(SectionInfo const& root) : SchemaJudge{json_schema(root, "a title")} {}

SchemaJudge::SchemaJudge(std::string const& schema) {
    auto loaded = contract::Contract::load_schema(schema, "schema.json");
    std::string problems;
    for (auto const& problem : loaded.problems)
        problems += yaml::describe(problem) + '\n';
    if (!problems.empty() || !loaded.contract) throw std::runtime_error(problems);
    schema_ = std::move(loaded.contract);
}

bool SchemaJudge::accepts(std::string json) {
    json.reserve(json.size() + contract::body_padding);
    contract::LevelTable const levels;
    auto const report =
        validator_.validate(*schema_->schema(), json, schema_->conditions_for({}), levels);
    why_ = report.outcome == contract::Outcome::malformed ? "malformed\n" : "";
    for (auto const& violation : report.violations)
        why_ += message_of(violation) + " (" + std::string{violation.rule_pointer} + ")\n";
    return report.outcome == contract::Outcome::valid;
}

bool SchemaJudge::accepts(yaml::Document const& document) {
    return accepts(print(json_of(document.root())));
}

} // namespace sallyport::config::test
