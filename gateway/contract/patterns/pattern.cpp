// Patterns on RE2.
#include "gateway/contract/patterns/pattern.h"

#include "gateway/contract/patterns/formula.h"
#include "gateway/contract/patterns/look_around.h"
#include "gateway/contract/patterns/pattern_parser.h"
#include "gateway/contract/patterns/translator.h"
#include "gateway/text/utf8.h"

#include <re2/re2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sallyport::contract {

namespace {

// Memory limits for one program, in bytes: a sixth is for the program, and two thirds less the
// program for RE2's cache of states. Texts that need more are matched more slowly, still in linear
// time. A program gets the first limit that is sufficient for it. One of several that belong to a
// pattern gets no more than the first: 16 of them have the last limit together.
constexpr std::array max_memory{std::int64_t{2} << 20, std::int64_t{8} << 20,
                                std::int64_t{32} << 20};
static_assert(max_memory.front() * max_pattern_parts == max_memory.back());

// With any text but the empty one this is more work than there may be (Evaluator::matches).
constexpr std::uint64_t steps_of_several = std::uint64_t{1} << 32;

[[nodiscard]] std::shared_ptr<re2::RE2 const> compile(std::string const& translated,
                                                      std::int64_t memory) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(memory);
    return std::make_shared<re2::RE2 const>(translated, options);
}

// How many programs the pattern has.
enum class Programs : std::uint8_t { one, several };

struct Compiled {
    std::shared_ptr<re2::RE2 const> program;
    std::string error; // empty: none
    std::string hint;
};

[[nodiscard]] Compiled compile_first_fit(std::string const& translated, Programs programs) {
    Compiled compiled;
    for (std::int64_t const memory : max_memory) {
        compiled.program = compile(translated, memory);
        bool const is_too_large = compiled.program->error_code() == re2::RE2::ErrorPatternTooLarge;
        if (!is_too_large || programs == Programs::several) break;
    }
    re2::RE2 const& program = *compiled.program;
    switch (program.error_code()) {
    case re2::RE2::NoError: return compiled;
    case re2::RE2::ErrorPatternTooLarge:
        compiled.error = programs == Programs::one
                             ? "it takes more than 32 MiB with its repetitions expanded"
                             : "a part of it takes more than 2 MiB with its repetitions expanded";
        compiled.hint = "write smaller counts, or minLength and maxLength for the whole text";
        return compiled;
    case re2::RE2::ErrorBadCharRange:
        compiled.error = "the property " + program.error_arg() + " is unknown";
        compiled.hint = "write the long name of a script, such as \\p{Script=Greek}";
        return compiled;
    default:
        compiled.error = "RE2: " + program.error();
        compiled.hint = "write it in another way";
        return compiled;
    }
}

// Gives the parts of a condition their numbers, in `parts`.
[[nodiscard]] PatternFormula::Step number_parts(PatternCondition const& condition,
                                                std::vector<Alternatives const*>& parts) {
    PatternFormula::Step step;
    step.kind = condition.kind;
    step.is_negated = condition.is_negated;
    if (condition.kind == PatternCondition::Kind::part) {
        step.part = static_cast<std::uint8_t>(parts.size());
        parts.push_back(&condition.part);
    }
    for (auto const& child : condition.children)
        step.children.push_back(number_parts(child, parts));
    return step;
}

} // namespace

Pattern::Pattern(std::shared_ptr<re2::RE2 const> compiled) : compiled_{std::move(compiled)} {}
Pattern::Pattern(std::unique_ptr<PatternFormula const> formula)
    : least_{UINT64_MAX}, steps_{steps_of_several}, formula_{std::move(formula)} {}
Pattern::~Pattern() = default;

Pattern::Made Pattern::make(std::string_view pattern) {
    ParsedPattern parsed = parse_pattern(pattern, PatternPurpose::match);
    if (!parsed.error.empty()) {
        return {nullptr, std::move(parsed.error), std::move(parsed.hint), parsed.is_unsupported, {},
                {}};
    }
    SplitPattern split;
    if (has_look_around(parsed.alternatives)) {
        split = split_look_around(parsed.alternatives);
        if (!split.error.empty()) {
            return {nullptr, std::move(split.error), std::move(split.hint), true, {}, {}};
        }
    } else {
        split.condition.part = std::move(parsed.alternatives);
    }
    Made made = make(split.condition);
    made.warning = std::move(parsed.warning);
    made.warning_hint = std::move(parsed.warning_hint);
    return made;
}

Pattern::Made Pattern::make(PatternCondition const& condition) {
    std::vector<Alternatives const*> parts;
    auto formula = std::make_unique<PatternFormula>();
    formula->root = number_parts(condition, parts);
    bool const is_one = parts.size() == 1 && !formula->root.is_negated;
    Made made;
    for (Alternatives const* const part : parts) {
        Translation translation = translate_pattern(*part);
        if (!translation.error.empty()) {
            return {nullptr, std::move(translation.error), std::move(translation.hint), true, {},
                    {}};
        }
        auto compiled =
            compile_first_fit(translation.text, is_one ? Programs::one : Programs::several);
        if (!compiled.error.empty()) {
            return {nullptr, std::move(compiled.error), std::move(compiled.hint), true, {}, {}};
        }
        std::unique_ptr<Pattern> one{new Pattern{std::move(compiled.program)}};
        one->least_ = translation.least;
        one->most_ = translation.most;
        one->steps_ = translation.steps;
        formula->steps += translation.steps;
        formula->parts.push_back(std::move(one));
    }
    if (is_one) {
        made.pattern = std::move(formula->parts.front());
        return made;
    }
    formula->holds_for_nothing = formula->holds({});
    made.pattern.reset(new Pattern{std::move(formula)});
    return made;
}

std::unique_ptr<Pattern const> Pattern::copy() const {
    if (formula_ != nullptr) {
        return std::unique_ptr<Pattern const>{new Pattern{formula_->copy()}};
    }
    // A large pattern takes up to some seconds to compile, and megabytes: threads share it, and
    // wait for each other when its cache grows.
    bool const is_large = compiled_->options().max_mem() > max_memory.front();
    std::unique_ptr<Pattern> other{new Pattern{
        is_large ? compiled_ : compile(compiled_->pattern(), compiled_->options().max_mem())}};
    other->least_ = least_;
    other->most_ = most_;
    other->steps_ = steps_;
    return other;
}

bool Pattern::is_in(std::string_view text) const noexcept {
    if (text.size() < least_) {
        if (formula_ == nullptr) return false;
        return text.empty() ? formula_->holds_for_nothing : formula_->holds(text);
    }
    if (least_ != 0 || most_ != UINT64_MAX) {
        std::size_t const length = text::count_code_points(text);
        if (length < least_ || length > most_) return false;
    }
    return compiled_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED,
                            nullptr, 0);
}

std::uint64_t Pattern::most_looks_of_all(std::size_t bytes) const noexcept {
    return bytes * (formula_ != nullptr ? formula_->steps : steps_);
}

std::size_t Pattern::programs() const noexcept {
    return formula_ != nullptr ? formula_->parts.size() : 1;
}

bool is_pattern(std::string_view text) {
    return parse_pattern(text, PatternPurpose::check).error.empty();
}

} // namespace sallyport::contract
