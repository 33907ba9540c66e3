// The level of a contract's rules, for an API, an operation or one rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::contract {

/// What happens if a value violates a rule.
enum class Level : std::uint8_t {
    enforce, // the request is refused
    report,  // the request passes; the violation is logged and counted
    off,     // the rule is not checked
};

/// "enforce", "report", "off": the words of the configuration.
[[nodiscard]] constexpr std::string_view name_of(Level level) noexcept {
    switch (level) {
    case Level::enforce: return "enforce";
    case Level::report: return "report";
    case Level::off: break;
    }
    return "off";
}

/// The level with that name; nullopt: there is none.
[[nodiscard]] constexpr std::optional<Level> level_from(std::string_view name) noexcept {
    for (auto const level : {Level::enforce, Level::report, Level::off}) {
        if (name_of(level) == name) return level;
    }
    return std::nullopt;
}

} // namespace sallyport::contract
