// Reads OpenAPI documents: any text is one, or has problems with places; a loaded one can be used.
#include "gateway/contract/validator.h"
#include "tests/fuzz/check.h"

#include <cstdint>
#include <string>
#include <string_view>

using namespace sallyport;
using fuzz::check;

namespace {

void ask(contract::Contract const& loaded) {
    static contract::Validator validator;
    static std::string const body = R"({"a":{"b":[1,"x",null,{}]},"b":1.5})";
    static std::string const padded = body + std::string(contract::body_padding, ' ');
    auto const levels = contract::LevelTable::compile(loaded, {}, {});
    check(levels.problems.empty(), "no overrides, no problems");
    for (auto const& operation : loaded.operations()) {
        check(loaded.find_operation(operation.id) == &operation, "an operation has its name alone");
        std::string path;
        for (char const c : operation.path)
            path += c == '{' || c == '}' ? 'x' : c;
        auto const match = loaded.route(path);
        if (match && loaded.find_operation(match, operation.method) == &operation) {
            (void)validator.check_path(operation, match, {}, levels.table);
            (void)contract::takes_semicolons(operation, match, path);
        }
        if (operation.query_string) {
            for (std::string_view const query : {"a=1&a=2", "%7B%22a%22%3A1%7D", "1+2", ""})
                (void)validator.check_query_string(*operation.query_string, query, {},
                                                   levels.table);
        }
        for (std::string_view const cookies : {"a=1; b=x,y", "A=1;a=\"2\"; a", "c%5B=1 a=2"})
            (void)validator.check_cookies(operation, cookies, {}, levels.table);
        for (std::string_view const query :
             {"a=1&a=2&b=x,y&c[d]=1&e", "a=7&b=3,null&c[d]=null&g=1&%66=2.5&h=%0A", "c[d][e]=1"})
            (void)validator.check_query(operation, query, {}, levels.table);
        for (std::string_view const name : {"a", "c%5Bd%5D", "g", "%FF"})
            (void)operation.query_parameter_of(name);
        for (auto const& parameter : operation.header_parameters)
            (void)validator.check_header(parameter, {"1, x", false}, {}, levels.table);
        if (!operation.request_body) continue;
        for (auto const& type : operation.request_body->media_types) {
            if (!type.schema) continue;
            auto const& report = validator.validate(
                *type.schema, std::string_view{padded}.substr(0, body.size()), {}, levels.table);
            check(report.violations.size() <= contract::max_violations, "violations are bounded");
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text = fuzz::view_of(data, size);
    auto const loaded = contract::Contract::load_text(text, "api.yaml");
    check(loaded.contract != nullptr || config::yaml::has_errors(loaded.problems),
          "what does not load has a problem that says why");
    check(loaded.contract == nullptr || !config::yaml::has_errors(loaded.problems),
          "what loads has none");
    for (auto const& problem : loaded.problems) {
        check(!problem.what.empty(), "a problem says what is wrong");
        check(problem.where.line <= 1 + static_cast<unsigned>(size), "and where");
    }
    if (loaded.contract) ask(*loaded.contract);
    return 0;
}
