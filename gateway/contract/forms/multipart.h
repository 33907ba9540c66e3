// Bodies of multipart/form-data and other multipart types (RFC 7578, RFC 2046, 5.1): the parts,
// without a copy.
#pragma once

#include "gateway/contract/report.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::contract {

/// Limits for the head of one part.
inline constexpr std::size_t max_part_head = 4096; // bytes
inline constexpr std::size_t max_part_fields = 16;

/// One part: views of the body.
struct MultipartPart {
    using Field = std::pair<std::string_view, std::string_view>; // name, value without white space

    std::string_view name;                     // as sent, within its quotes: see decode_part_name()
    std::optional<std::string_view> file_name; // the same
    std::string_view content_type;             // empty: there is none (RFC 7578, 4.4: text/plain)
    std::string_view body;
    std::size_t offset = 0; // of its head in the body
    std::array<Field, max_part_fields> storage;
    std::size_t count = 0;

    [[nodiscard]] std::span<Field const> fields() const noexcept { return {storage.data(), count}; }
};

/// Whether parts have names, which multipart/form-data alone requires (RFC 7578, 4.2). `ignored`:
/// Content-Disposition is a field like others, and a head may be empty.
enum class PartNames : std::uint8_t { required, ignored };

/// Splits a body into its parts, and refuses what two readers could split differently: bytes before
/// the first and after the last boundary (but for line ends), a boundary that is not on a line of
/// its own, lines of a head that do not end with CR LF or are folded, fields that are given twice, a
/// part without a name, a `filename*` that is not `filename`, encoded parts, a Content-Length that is
/// not that of the part, parts that are multipart themselves.
class Multipart {
public:
    /// `boundary`: see find_boundary().
    Multipart(std::string_view body, std::string_view boundary,
              PartNames names = PartNames::required);

    enum class Next : std::uint8_t { part, end, fault };
    /// Fills in the next part. After `fault` reason() and offset() say what is wrong.
    [[nodiscard]] Next next(MultipartPart& part);
    [[nodiscard]] Malformed reason() const noexcept { return reason_; }
    [[nodiscard]] std::size_t offset() const noexcept { return at_; }

private:
    enum class Line : std::uint8_t { next_part, end, fault };
    [[nodiscard]] Line take_boundary();
    [[nodiscard]] bool read_head(MultipartPart& part);
    [[nodiscard]] bool take_field(MultipartPart& part, std::string_view line);
    [[nodiscard]] bool check_known_fields(MultipartPart& part);
    [[nodiscard]] bool find_end(MultipartPart& part);
    [[nodiscard]] bool check_length(MultipartPart const& part);
    [[nodiscard]] bool fail(Malformed reason) noexcept;

    std::string_view body_;
    std::string delimiter_; // "--" and the boundary
    PartNames names_;
    std::size_t at_ = 0;
    std::size_t parts_ = 0;
    Malformed reason_ = Malformed::none;
    bool has_begun_ = false;
};

/// Decodes the name of a part: `%22`, `%0D` and `%0A` are a quote and the two ends of a line (HTML
/// Living Standard, 4.10.21.8); nothing else is encoded. Malformed::none: `out` is the name.
[[nodiscard]] Malformed decode_part_name(std::string_view raw, std::string& out);

} // namespace sallyport::contract
