// How seriously a rule of a contract is taken, for an API, an operation or one rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::contract {

enum class Level : std::uint8_t {
    enforce, // a value that breaks the rule is refused
    report,  // it passes, and is logged and counted
    off,     // the rule is not asked
};

[[nodiscard]] constexpr std::string_view name_of(Level level) noexcept {
    switch (level) {
    case Level::enforce: return "enforce";
    case Level::report: return "report";
    case Level::off: break;
    }
    return "off";
}

[[nodiscard]] constexpr std::optional<Level> level_from(std::string_view name) noexcept {
    for (auto const level : {Level::enforce, Level::report, Level::off}) {
        if (name_of(level) == name) return level;
    }
    return std::nullopt;
}

} // namespace sallyport::contract
