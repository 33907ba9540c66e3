// What the keys of the configuration are, as plain data: names, shapes, ranges, defaults, help.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::config {

enum class Presence : std::uint8_t { optional, required };
enum class Built : std::uint8_t { yes, not_yet };

enum class ShapeKind : std::uint8_t {
    any,
    boolean,
    integer,
    number,
    duration,
    size,
    string,
    file,
    secret,
    word,
    section, // a mapping with the keys of a section
    list,    // of element[0]
    named,   // a mapping of names to element[0]
    either,  // one of the elements
};

struct WordInfo {
    std::string_view text;
    Built built = Built::yes;
};

struct SectionInfo;

// What a value must look like, as data.
struct Shape {
    ShapeKind kind = ShapeKind::any;
    std::int64_t minimum = 0; // of integers; of durations in ms; of sizes in bytes
    std::int64_t maximum = 0;
    std::vector<WordInfo> words;
    SectionInfo const* section = nullptr;
    std::vector<Shape> elements;

    Shape(ShapeKind the_kind, std::int64_t least = 0, std::int64_t most = 0) // NOLINT(*-explicit-*)
        : kind{the_kind}, minimum{least}, maximum{most} {}
};

[[nodiscard]] inline Shape word_shape(std::vector<WordInfo> words) {
    Shape out{ShapeKind::word};
    out.words = std::move(words);
    return out;
}
[[nodiscard]] inline Shape section_shape(SectionInfo const& section) {
    Shape out{ShapeKind::section};
    out.section = &section;
    return out;
}
[[nodiscard]] inline Shape list_shape(Shape element) {
    Shape out{ShapeKind::list};
    out.elements.push_back(std::move(element));
    return out;
}
[[nodiscard]] inline Shape named_shape(Shape element) {
    Shape out{ShapeKind::named};
    out.elements.push_back(std::move(element));
    return out;
}
[[nodiscard]] inline Shape either_shape(Shape one, Shape other) {
    Shape out{ShapeKind::either};
    out.elements.push_back(std::move(one));
    out.elements.push_back(std::move(other));
    return out;
}

struct KeyInfo {
    std::string_view name;
    Shape shape;
    std::string_view help;
    std::string default_text; // as it would be written; empty: none
    std::string_view example; // what to write where a required key is missing
    Presence presence = Presence::optional;
    Built built = Built::yes;

    KeyInfo(std::string_view the_name, Shape the_shape, std::string_view the_help,
            std::string the_default = {})
        : name{the_name}, shape{std::move(the_shape)}, help{the_help}, default_text{std::move(
                                                                           the_default)} {}
};

struct SectionInfo {
    std::string_view name;
    std::vector<KeyInfo> keys;
};

} // namespace sallyport::config
