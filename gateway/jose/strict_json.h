// JSON objects of tokens and key sets, read strictly and within limits.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::jose {

/// Of a document.
struct JsonLimits {
    std::size_t bytes = 0;
    std::size_t depth = 0;  // of nested objects and lists; the object itself is one
    std::size_t values = 0; // of all members and elements together
};

/// Reads one document after the other. What it has read may be secret: its memory is wiped when it
/// reads the next, and when it goes.
class StrictJson {
public:
    StrictJson() = default;
    ~StrictJson() { wipe(); }
    StrictJson(StrictJson const&) = delete;
    StrictJson& operator=(StrictJson const&) = delete;

    /// The object of a text, valid until the next call. Nothing: it is no JSON (RFC 8259) in UTF-8,
    /// no object, beyond the limits, or an object in it has two members with the same name after
    /// unescaping (RFC 7515, 4; RFC 7519, 4).
    [[nodiscard]] std::optional<simdjson::dom::object> read(std::string_view text,
                                                            JsonLimits const& limits);

private:
    void wipe() noexcept;

    simdjson::dom::parser parser_;
    std::string padded_;      // the text, with the bytes behind it that the parser reads
    std::size_t strings_ = 0; // bytes of the parser's own memory of strings
};

/// The member of that name, if it is a text.
[[nodiscard]] std::optional<std::string_view> text_member(simdjson::dom::object object,
                                                          std::string_view name) noexcept;
/// Whether there is a member of that name, of whatever kind.
[[nodiscard]] bool has_member(simdjson::dom::object object, std::string_view name) noexcept;

} // namespace sallyport::jose
