// Bodies that are a series of JSON texts, their items: JSON Lines, where each is a line
// (jsonlines.org), and JSON text sequences (RFC 7464). They are validated while they arrive.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/report.h"
#include "gateway/contract/validator.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::contract {

/// Whether bytes follow those that have arrived.
enum class MoreFollow : std::uint8_t { no, yes };

/// Finds the items of such a body. It looks at no byte twice.
class ItemSplitter {
public:
    explicit ItemSplitter(BodySyntax syntax) noexcept : syntax_{syntax} {}

    struct Item {
        std::string_view text;             // without its delimiters
        std::size_t size = 0;              // with them, in bytes
        Malformed fault = Malformed::none; // of a delimiter; else its text is to be read as JSON
    };
    /// The first item of `bytes`, which begin where the last item ended. Nullopt: it is not
    /// complete, or, if nothing follows, there is none; call it again with the same bytes and more.
    [[nodiscard]] std::optional<Item> next(std::string_view bytes, MoreFollow more);

private:
    [[nodiscard]] std::optional<Item> next_line(std::string_view bytes, MoreFollow more);
    [[nodiscard]] std::optional<Item> next_record(std::string_view bytes, MoreFollow more);

    BodySyntax syntax_;
    std::size_t searched_ = 0; // bytes of the next item that have no delimiter
};

/// What a body of items is validated with.
struct ItemContext {
    Validator& validator;
    Conditions const& conditions;
    LevelTable const& levels;
};

/// Validates such a body in pieces.
class ItemValidator {
public:
    /// `type` has items and a schema.
    explicit ItemValidator(MediaType const& type) noexcept : type_{type}, splitter_{type.syntax} {}

    /// Validates the complete items of `bytes`, which begin where the last valid item ended, and
    /// have body_padding readable bytes behind them. Returns how many bytes the valid ones have.
    /// Not to be called again after an outcome that is not `valid`.
    [[nodiscard]] std::size_t take(std::string_view bytes, MoreFollow more,
                                   ItemContext const& context);

    /// The result up to here. Pointers begin with the index of the item, as if the body was an
    /// array; the offset is one in the whole body. Its lists may be moved out of it between calls.
    [[nodiscard]] Report& report() noexcept { return report_; }

private:
    void keep(Report& item);

    MediaType const& type_;
    ItemSplitter splitter_;
    Report report_;
    std::size_t index_ = 0;         // of the next item
    std::size_t offset_ = 0;        // of the next item in the body, in bytes
    std::size_t kept_reported_ = 0; // violations, those that were moved out too
};

} // namespace sallyport::contract
