// Patterns on RE2.
#include "gateway/contract/patterns/pattern.h"

#include "gateway/text/utf8.h"

#include <re2/re2.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sallyport::contract {

namespace {

// Memory limits for one pattern, in bytes: a sixth is for the program, and two thirds less the
// program for RE2's cache of states. Texts that need more are matched more slowly, still in linear
// time. A pattern gets the first limit that is sufficient for its program.
constexpr std::array max_memory{std::int64_t{2} << 20, std::int64_t{8} << 20,
                                std::int64_t{32} << 20};

[[nodiscard]] std::shared_ptr<re2::RE2 const> compile(std::string const& translated,
                                                      std::int64_t memory) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(memory);
    return std::make_shared<re2::RE2 const>(translated, options);
}

} // namespace

Pattern::Pattern(std::shared_ptr<re2::RE2 const> compiled) : compiled_{std::move(compiled)} {}
Pattern::~Pattern() = default;

Pattern::Made Pattern::make(std::string_view pattern) {
    Translation translation = translate_pattern(pattern);
    if (!translation.error.empty()) {
        return {nullptr, std::move(translation.error), std::move(translation.hint)};
    }
    std::shared_ptr<re2::RE2 const> compiled;
    for (std::int64_t const memory : max_memory) {
        compiled = compile(translation.text, memory);
        if (compiled->error_code() != re2::RE2::ErrorPatternTooLarge) break;
    }
    switch (compiled->error_code()) {
    case re2::RE2::NoError: break;
    case re2::RE2::ErrorPatternTooLarge:
        return {nullptr, "it takes more than 32 MiB with its repetitions expanded",
                "write smaller counts, or minLength and maxLength for the whole text"};
    case re2::RE2::ErrorBadCharRange:
        return {nullptr, "the property " + compiled->error_arg() + " is unknown",
                "write the long name of a script, such as \\p{Script=Greek}"};
    default: return {nullptr, "RE2: " + compiled->error(), "write it in another way"};
    }
    std::unique_ptr<Pattern> made{new Pattern{std::move(compiled)}};
    made->least_ = translation.least;
    made->most_ = translation.most;
    made->steps_ = translation.steps;
    return {std::move(made), {}, {}};
}

std::unique_ptr<Pattern const> Pattern::copy() const {
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
    if (text.size() < least_) return false;
    if (least_ != 0 || most_ != UINT64_MAX) {
        std::size_t const length = text::count_code_points(text);
        if (length < least_ || length > most_) return false;
    }
    return compiled_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED,
                            nullptr, 0);
}

} // namespace sallyport::contract
