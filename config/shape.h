// What the keys of the configuration are, as plain data: names, shapes, ranges, defaults, help.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::config {

enum class Presence : std::uint8_t { optional, required };
enum class Built : std::uint8_t { yes, not_yet };
/// Whether `${env:NAME}` and `${file:PATH}` are read in a value.
enum class References : std::uint8_t { read, not_read };
/// Whether a list may have one value twice.
enum class Repeats : std::uint8_t { allowed, refused };
/// Whether a word of a list may have others beside it.
enum class Company : std::uint8_t { allowed, refused };

enum class ShapeKind : std::uint8_t {
    any,    // of keys that are not built: nothing is known of them
    scalar, // a text, a number, true or false
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
    Company company = Company::allowed;
};

struct SectionInfo;

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// What a value must look like, as data.
struct Shape {
    ShapeKind kind = ShapeKind::any;
    /// Of integers; of durations in ms; of sizes in bytes; of lists and names how many. Of texts,
    /// files and secrets `maximum` is the length in bytes; none of them is empty.
    std::int64_t minimum = 0;
    std::int64_t maximum = 0;
    /// Of texts and secrets, and of the names of `named`: a regular expression that both ECMA-262
    /// and RE2 read, for the whole of a value that holds no reference. Empty: any text.
    std::string pattern;
    std::vector<std::string_view> refused; // texts that the pattern matches, but that are refused
    std::vector<WordInfo> words;
    SectionInfo const* section = nullptr;
    std::vector<Shape> elements;
    References references = References::read;
    Repeats repeats = Repeats::allowed;

    Shape(ShapeKind the_kind, std::int64_t least = 0, std::int64_t most = 0) // NOLINT(*-explicit-*)
        : kind{the_kind}, minimum{least}, maximum{most} {}
};

[[nodiscard]] inline Shape text_shape(std::int64_t longest, std::string pattern = {}) {
    Shape out{ShapeKind::string, 1, longest};
    out.pattern = std::move(pattern);
    return out;
}
inline constexpr std::int64_t longest_file_name = 4096;
inline constexpr std::int64_t longest_secret = 4096;

[[nodiscard]] inline Shape file_shape(std::string pattern = {}) {
    Shape out{ShapeKind::file, 1, longest_file_name};
    out.pattern = std::move(pattern);
    return out;
}
[[nodiscard]] inline Shape secret_shape(std::string pattern = {}) {
    Shape out{ShapeKind::secret, 1, longest_secret};
    out.pattern = std::move(pattern);
    return out;
}
[[nodiscard]] inline Shape word_shape(std::vector<WordInfo> words) {
    Shape out{ShapeKind::word};
    out.words = std::move(words);
    return out;
}
/// A word that must stand in the file itself.
[[nodiscard]] inline Shape literal_shape(std::string_view word) {
    Shape out = word_shape({{word}});
    out.references = References::not_read;
    return out;
}
[[nodiscard]] inline Shape section_shape(SectionInfo const& section) {
    Shape out{ShapeKind::section};
    out.section = &section;
    return out;
}
/// Of at least `least` elements.
[[nodiscard]] inline Shape list_shape(Shape element, std::int64_t least = 0,
                                      std::int64_t most = no_limit,
                                      Repeats repeats = Repeats::allowed) {
    Shape out{ShapeKind::list, least, most};
    out.elements.push_back(std::move(element));
    out.repeats = repeats;
    return out;
}
/// `pattern`: of the names.
[[nodiscard]] inline Shape named_shape(Shape element, std::int64_t least, std::string pattern) {
    Shape out{ShapeKind::named, least, no_limit};
    out.elements.push_back(std::move(element));
    out.pattern = std::move(pattern);
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
    std::string help;
    std::string default_text; // as it would be written; empty: none
    std::string example;      // what to write where a required key is missing
    std::string_view needs;   // the key without which this one is refused; empty: none
    std::string_view needed_because;
    Presence presence = Presence::optional;
    Built built = Built::yes;

    KeyInfo(std::string_view the_name, Shape the_shape, std::string_view the_help,
            std::string the_default = {})
        : name{the_name}, shape{std::move(the_shape)}, help{the_help}, default_text{std::move(
                                                                           the_default)} {}
};

/// What concerns several keys of a section.
struct SectionRules {
    /// Exactly one of these has to be there; empty: no such keys.
    std::vector<std::string_view> one_of = {};
    std::string_view choice = {}; // what to write where there are several or none
    /// No two of these may be there.
    std::vector<std::string_view> most_one_of = {};
    /// Of each of these lists at least one key has to be there.
    std::vector<std::vector<std::string_view>> some_of = {};
    std::int64_t fewest_keys = 0;
    /// No key is required where this one is there: others may have what is missing. Empty: none.
    std::string_view others_have = {};
    /// Of keys that are not in the table: their shape; none: they are refused.
    std::vector<KeyInfo> others = {};
};

struct SectionInfo {
    std::string_view name;
    std::vector<KeyInfo> keys;
    SectionRules rules;
};

} // namespace sallyport::config
