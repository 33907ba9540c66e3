// Bodies that are a series of items: JSON Lines, where each is a line (jsonlines.org), JSON text
// sequences (RFC 7464), and event streams. They are validated while they arrive.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/report.h"
#include "gateway/contract/validator.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// Whether bytes follow those that have arrived.
enum class MoreFollow : std::uint8_t { no, yes };

/// Finds the items of such a body. It looks at no byte twice.
class ItemSplitter {
public:
    explicit ItemSplitter(BodySyntax syntax) noexcept : syntax_{syntax} {}

    struct Item {
        std::string_view text;             // without its delimiters; of an event with its lines
        std::size_t size = 0;              // with them, in bytes
        Malformed fault = Malformed::none; // of a delimiter; else its text is to be read
    };
    /// The first item of `bytes`, which begin where the last item ended. Nullopt: it is not
    /// complete, or, if nothing follows, there is none; call it again with the same bytes and more.
    [[nodiscard]] std::optional<Item> next(std::string_view bytes, MoreFollow more);

private:
    [[nodiscard]] std::optional<Item> next_line(std::string_view bytes, MoreFollow more);
    [[nodiscard]] std::optional<Item> next_record(std::string_view bytes, MoreFollow more);
    [[nodiscard]] std::optional<Item> next_event(std::string_view bytes, MoreFollow more);

    BodySyntax syntax_;
    std::size_t searched_ = 0; // bytes of the next item that have no delimiter
    std::size_t line_ = 0;     // where the last line of an event begins
};

/// What a body of items is validated with.
struct ItemContext {
    Validator& validator;
    Conditions const& conditions;
    LevelTable const& levels;
};

/// Adds up the reports of items. Pointers begin with the index of the item, as if the body was an
/// array.
class ItemReports {
public:
    /// Adds that of the next item; of one that is malformed its reason and offset.
    void add(Report& item);
    /// The sum up to here. Its lists may be moved out of it between calls.
    [[nodiscard]] Report& report() noexcept { return report_; }

private:
    Report report_;
    std::size_t index_ = 0;         // of the next item
    std::size_t kept_reported_ = 0; // violations, those that were moved out too
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

    /// The result up to here (ItemReports); the offset is one in the whole body.
    [[nodiscard]] Report& report() noexcept { return reports_.report(); }

private:
    // Whether it is valid. `begin`: of its text in the body; nullopt: the text was made of it.
    [[nodiscard]] bool check(std::string_view text, std::optional<std::size_t> begin,
                             ItemContext const& context);
    [[nodiscard]] bool check_event(std::string_view lines, ItemContext const& context);
    void refuse(Malformed fault);

    MediaType const& type_;
    ItemSplitter splitter_;
    ItemReports reports_;
    std::size_t offset_ = 0; // of the next item in the body, in bytes
    std::string event_;      // as JSON, with padding
};

} // namespace sallyport::contract
