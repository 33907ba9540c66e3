// Labels of callers as text.
#include "gateway/pipeline/identity.h"

#include <array>
#include <charconv>
#include <type_traits>
#include <variant>

namespace sallyport::pipeline {

std::string text_of(contract::LabelValue const& value) {
    return std::visit(
        [](auto const& it) -> std::string {
            using T = std::decay_t<decltype(it)>;
            if constexpr (std::is_same_v<T, std::string>) {
                return it;
            } else if constexpr (std::is_same_v<T, bool>) {
                return it ? "true" : "false";
            } else {
                std::array<char, 32> text{};
                auto const end = std::to_chars(text.data(), text.data() + text.size(), it).ptr;
                return {text.data(), end};
            }
        },
        value);
}

} // namespace sallyport::pipeline
