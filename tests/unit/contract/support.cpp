// Shared code of the tests of the contract engine.
#include "tests/unit/contract/support.h"

#include <stdexcept>

namespace sallyport::contract::test {

std::vector<std::string> descriptions(config::yaml::Problems const& problems) {
    std::vector<std::string> result;
    for (auto const& problem : problems) {
        bool const is_way_out = problem.hint.starts_with("write unsupported: unchecked");
        if (!is_way_out) result.push_back(config::yaml::describe(problem));
    }
    return result;
}

namespace {

[[nodiscard]] std::shared_ptr<Contract const> must_load(Loaded loaded) {
    if (loaded.contract) return loaded.contract;
    std::string all = "does not load:";
    for (auto const& one : descriptions(loaded.problems))
        all += "\n" + one;
    throw std::runtime_error{all};
}

[[nodiscard]] std::vector<std::string> must_not_load(Loaded const& loaded) {
    if (loaded.contract) return {"it loads"};
    return descriptions(loaded.problems);
}

} // namespace

std::shared_ptr<Contract const> load_schema(std::string_view text) {
    return must_load(Contract::load_schema(text, "schema.yaml"));
}

std::shared_ptr<Contract const> load_document(std::string_view text) {
    return must_load(Contract::load_text(text, "api.yaml"));
}

std::vector<std::string> problems_of(std::string_view document) {
    return must_not_load(Contract::load_text(document, "api.yaml"));
}

std::vector<std::string> problems_of_schema(std::string_view schema) {
    return must_not_load(Contract::load_schema(schema, "schema.yaml"));
}

std::string verdict_of(Report const& report) {
    switch (report.outcome) {
    case Outcome::valid: return "valid";
    case Outcome::malformed: return "malformed: " + std::string{name_of(report.malformed)};
    case Outcome::violated: break;
    }
    std::string all;
    for (auto const& violation : report.violations) {
        all += (all.empty() ? "" : "; ") + message_of(violation);
    }
    return all;
}

} // namespace sallyport::contract::test
