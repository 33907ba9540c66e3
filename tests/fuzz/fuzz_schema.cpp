// Builds random schemas and values, and holds the compiled program against a plain recursive
// evaluator: both must say the same of every value.
#include "gateway/contract/validator.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/plain_evaluator.h"
#include "tests/fuzz/random_schema.h"

#include <cstdint>
#include <cstdio>
#include <string>

using namespace sallyport;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::Bytes bytes{data, size};
    fuzz::Value const schema = fuzz::random_schema(bytes);
    std::string text;
    fuzz::append_json(text, schema);
    auto const loaded = contract::Contract::load_schema(text, "schema.json");
    if (!loaded.contract) {
        // A `$ref` that leads back in place has no meaning; all else must load.
        for (auto const& problem : loaded.problems) {
            if (problem.severity != config::yaml::Severity::error) continue;
            bool const is_loop = problem.what.find("leads back here") != std::string::npos;
            if (!is_loop) std::fprintf(stderr, "%s\n%s\n", text.c_str(), problem.what.c_str());
            fuzz::check(is_loop, "a schema of known keywords loads");
        }
        return 0;
    }
    static contract::Validator validator;
    for (int i = 0; i < 8 && (i == 0 || !bytes.is_empty()); ++i) {
        fuzz::Value const value = fuzz::random_value(bytes, 3);
        fuzz::PlainEvaluator plain{schema};
        bool const expected = plain.is_valid(value);
        if (plain.is_exhausted()) continue;
        std::string body;
        fuzz::append_json(body, value);
        std::size_t const length = body.size();
        body.append(contract::body_padding, ' ');
        auto const& report = validator.validate(*loaded.contract->schema(),
                                                std::string_view{body}.substr(0, length), {}, {});
        bool const is_judged = report.outcome != contract::Outcome::malformed;
        bool const is_valid = report.outcome == contract::Outcome::valid;
        if (!is_judged || is_valid != expected) {
            std::fprintf(stderr, "schema: %s\nvalue: %s\nplain: %s\n", text.c_str(),
                         body.substr(0, length).c_str(), expected ? "valid" : "not valid");
        }
        fuzz::check(is_judged, "every value is JSON");
        fuzz::check(is_valid == expected, "both evaluators say the same");
    }
    return 0;
}
