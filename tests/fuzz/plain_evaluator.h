// A plain recursive evaluator of JSON Schema 2020-12, written from the standard alone: slow, short,
// and independent of the engine.
#pragma once

#include "tests/fuzz/plain_value.h"

#include <cstddef>
#include <set>
#include <string>

namespace sallyport::fuzz {

/// For the keywords that random_schema writes. Gives up (is_exhausted) on schemas that refer to
/// themselves too often.
class PlainEvaluator {
public:
    explicit PlainEvaluator(Value const& root) : root_{root} {}

    [[nodiscard]] bool is_valid(Value const& value) { return evaluate(root_, value).is_valid; }
    [[nodiscard]] bool is_exhausted() const noexcept { return steps_ > most_steps; }

private:
    static constexpr std::size_t most_steps = 20'000;
    static constexpr std::size_t most_depth = 500; // no terminating schema is deeper

    // Core, 7.7 and 11: the result, and which members and items were evaluated.
    struct Result {
        bool is_valid = true;
        std::set<std::string> members;
        std::set<std::size_t> items;
    };

    Result evaluate(Value const& schema, Value const& value);
    void in_place(Value const& schema, Value const& value, Result& result);
    void assertions(Value const& schema, Value const& value, Result& result) const;
    void numbers(Value const& schema, Value const& value, Result& result) const;
    void arrays(Value const& schema, Value const& value, Result& result);
    void objects(Value const& schema, Value const& value, Result& result);
    void object_counts(Value const& schema, Value const& value, Result& result);
    [[nodiscard]] Value const& target_of(std::string const& reference) const;
    static void keep(Result& result, Result const& other);

    Value const& root_;
    std::size_t steps_ = 0;
    std::size_t depth_ = 0;
};

/// Whether one of random_schema's patterns is found in a text.
[[nodiscard]] bool is_found(std::string const& pattern, std::string const& text);

} // namespace sallyport::fuzz
