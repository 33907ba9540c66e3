// What is left of an ECMA-262 pattern, and what was found wrong so far: its escapes and classes.
#pragma once

#include "gateway/contract/patterns/pattern_parser.h"
#include "gateway/contract/patterns/pattern_reader.h"
#include "gateway/contract/patterns/pattern_tree.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::contract {

void append_code_point(std::string& out, char32_t code_point);
/// UINT64_MAX - 1 if there are too many.
[[nodiscard]] std::uint64_t number_from(std::string_view digits) noexcept;

/// Reads escapes and classes, and keeps the first error and the first warning.
class PatternInput {
public:
    PatternInput(std::string_view pattern, PatternPurpose purpose)
        : reader{pattern}, pattern_{pattern}, purpose_{purpose} {}

    PatternReader reader;
    bool ignores_case = false; // the flag i at this place

    [[nodiscard]] bool is_strict() const noexcept { return purpose_ == PatternPurpose::check; }
    [[nodiscard]] bool has_failed() const noexcept { return !error_.empty(); }
    void fail(std::string error, std::string hint);
    /// As fail(), of what is valid and not supported.
    void fail_unsupported(std::string error, std::string hint);
    /// `what` is valid without the flag `u` only, or in other engines.
    void warn(std::string what, std::string hint);
    /// Moves error and warning to `out`.
    void hand_over(ParsedPattern& out);

    /// The number of groups that capture in the whole pattern, and whether one has a name.
    struct Captures {
        std::uint64_t count = 0;
        bool has_names = false;
    };
    [[nodiscard]] Captures const& captures();

    /// A character, or a class such as `\d`, after the backslash; not at the end.
    [[nodiscard]] Term take_escape();
    /// ECMA-262, 22.2.1: CharacterClass, after the `[`.
    [[nodiscard]] Term take_class();
    /// RegExpIdentifierName, and the `>` after it; nullopt: an error.
    [[nodiscard]] std::optional<std::string> take_name();

private:
    enum class Place : std::uint8_t { term, in_class };

    [[nodiscard]] std::optional<std::string> take_class_escape();
    [[nodiscard]] std::optional<char32_t> take_character_escape(Place place);
    [[nodiscard]] std::optional<char32_t> take_lenient_escape(Place place);
    [[nodiscard]] char32_t take_octal();
    [[nodiscard]] char32_t take_lenient_control(Place place);
    [[nodiscard]] std::optional<char32_t> take_class_atom(std::string& set);
    void append_range(std::string& set, std::optional<char32_t> low);
    void fail_in_class();
    void warn_of_escape(std::string_view escaped);

    std::string_view pattern_;
    PatternPurpose purpose_;
    std::optional<Captures> captures_;
    std::string error_;
    std::string hint_;
    bool is_unsupported_ = false;
    std::string warning_;
    std::string warning_hint_;
};

} // namespace sallyport::contract
