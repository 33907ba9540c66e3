// Which fields behind a body are passed on (RFC 9110, 6.5).
#pragma once

#include "gateway/http/forward_fields.h"
#include "gateway/http/head.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::http {

/// RFC 9110, 6.5.1: whether a field of this name, in any letter case, may stand behind a body. No
/// field may that frames the message, routes it, says who sends it, or decides how it is treated:
/// all of that was judged before.
[[nodiscard]] bool may_trail(std::string_view name) noexcept;

/// The names of the trailers of one message that are passed on.
class TrailerNames {
public:
    /// What a message may announce; names behind them are not passed on.
    static constexpr std::size_t most = 32;

    /// None.
    TrailerNames() = default;
    /// Those that a head announces (RFC 9110, 6.6.2) and that may trail, without those that
    /// Connection names; none where it names Trailer. `removed`: nor digests, which describe the coded bytes.
    TrailerNames(FieldTable const& head, Coding coding);

    /// Nor those of `names`, in any spelling that servers take for the same variable (RFC 3875,
    /// 4.1.18).
    void remove(std::span<std::string const> names);

    [[nodiscard]] bool is_empty() const noexcept { return names_.empty(); }
    /// The value of a Trailer field.
    [[nodiscard]] std::string text() const;
    /// The lines of `trailers` with these names. Each line ends in CR LF.
    [[nodiscard]] std::string select(std::string_view trailers) const;

private:
    [[nodiscard]] bool has(std::string_view name) const noexcept;

    std::vector<std::string> names_; // copies: the head may be gone when the trailers come
};

} // namespace sallyport::http
