// YAML 1.2 and JSON documents as trees of typed values with their places, and the problems
// found in them.
//
// The only door to yaml-cpp: its types appear in no header, and its traps (first duplicate wins,
// `on` is true, lines count from 0, a byte 0x04 ends the document) end here. Nothing in this header
// throws, std::bad_alloc apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sallyport::config::yaml {

/// The name of a file, the same object for the same name. It is kept until the process ends: marks
/// are many, are copied often and outlive their documents, and files are few.
[[nodiscard]] std::string const* intern_file_name(std::string_view name);

/// A place in a file. Line and column count from 1, the column in code points; line 0: the file as
/// a whole.
struct Mark {
    std::string const* file = nullptr; // of intern_file_name(); may be null
    unsigned line = 0;
    unsigned column = 0;

    [[nodiscard]] std::string_view file_name() const {
        return file != nullptr ? std::string_view{*file} : std::string_view{};
    }
};

enum class Severity : std::uint8_t { error, warning };

/// One thing that is wrong. No member ever holds a secret: say what is wrong with a value, never
/// the value.
struct Problem {
    Mark where;
    std::string path; // of the value in the document: `listeners[0].tls.minimum_version`; empty:
                      // the document
    std::string what; // what is wrong
    std::string hint; // what to write instead; may be empty
    Severity severity = Severity::error;
    bool is_rest = false; // stands for those beyond max_problems: the last of its file
};

using Problems = std::vector<Problem>;

/// `file:line:column: path: what is wrong; what to write`, without the parts that are not known.
[[nodiscard]] std::string describe(Problem const& problem);

[[nodiscard]] bool has_errors(Problems const& problems);

/// Whether one of the two paths is the other, or leads to it: `a.b` and `a.b[0].c`. The empty path,
/// the document, leads to each.
[[nodiscard]] bool are_nested(std::string_view one, std::string_view other);

/// Removes what may only come from one of the errors in `causes`: what stands in the same file, at
/// the path of one, above or below it.
void remove_consequences(Problems& problems, Problems const& causes);

/// Orders by file, line and column, and keeps the order of what stands at one place.
void sort_by_place(Problems& problems);

/// Adds the line that counts the problems that are not in the list, if there are any.
void add_rest(Problems& problems, std::size_t count, Severity severity);

enum class Kind : std::uint8_t { null, boolean, integer, number, string, sequence, mapping };

/// "a string", "a mapping", ...: for messages.
[[nodiscard]] std::string_view name_of(Kind kind);

struct Entry;
class Node;
class Builder;
class Editor;

// What a Node holds, by its kind. Documents have many values, and most are scalars: they share the
// room.
struct ScalarContent {
    std::string text;
    std::int64_t integer = 0;
    double number = 0;
};
using ListContent = std::vector<Node>;
struct MappingContent {
    std::vector<Entry> entries;
    /// Indices into entries, ordered by key; none in a mapping of few.
    std::vector<std::uint32_t> by_key;
};

/// One value of a document, typed by the YAML 1.2 core schema (YAML 1.2.2, 10.3): `true` and
/// `false` are booleans, `on`, `off`, `yes` and `no` are strings, and so is every quoted scalar.
/// Owned by its Document; hold it by reference.
class Node {
public:
    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] Mark const& mark() const { return mark_; }

    [[nodiscard]] bool is_null() const { return kind_ == Kind::null; }
    [[nodiscard]] bool is_boolean() const { return kind_ == Kind::boolean; }
    /// An integer that fits std::int64_t, however it is spelled (decimal, 0x, 0o). `1.0` and larger
    /// ones are numbers.
    [[nodiscard]] bool is_integer() const { return kind_ == Kind::integer; }
    /// An integer or any other number.
    [[nodiscard]] bool is_number() const { return kind_ == Kind::integer || kind_ == Kind::number; }
    [[nodiscard]] bool is_string() const { return kind_ == Kind::string; }
    [[nodiscard]] bool is_sequence() const { return kind_ == Kind::sequence; }
    [[nodiscard]] bool is_mapping() const { return kind_ == Kind::mapping; }
    [[nodiscard]] bool is_scalar() const { return !is_sequence() && !is_mapping(); }

    /// Of another kind these give false and 0.
    [[nodiscard]] bool as_boolean() const {
        return kind_ == Kind::boolean && scalar().integer != 0;
    }
    [[nodiscard]] std::int64_t as_integer() const {
        return kind_ == Kind::integer ? scalar().integer : 0;
    }
    /// An integer beyond 2^53 is rounded: its exact value is as_integer() or text().
    [[nodiscard]] double as_number() const { return scalar().number; }

    /// The scalar: of a string its value (escapes decoded), of all others what the file has
    /// (`1.50`, `0x1F`). Empty for sequences and mappings.
    [[nodiscard]] std::string const& text() const { return scalar().text; }
    /// Written in quotes, or as a block scalar.
    [[nodiscard]] bool is_quoted() const { return quoted_; }

    /// Elements of a sequence, entries of a mapping, in the order of the file; empty for every
    /// other kind.
    [[nodiscard]] std::vector<Node> const& items() const { return list(); }
    [[nodiscard]] std::vector<Entry> const& entries() const { return mapping().entries; }
    /// The value of a key of a mapping; null where there is none. At most logarithmic.
    [[nodiscard]] Node const* find(std::string_view key) const;
    [[nodiscard]] Entry const* find_entry(std::string_view key) const;

private:
    friend class Builder;
    friend class Editor;

    /// To compare a key with so few others takes less than to search an index.
    static constexpr std::size_t most_without_index = 16;
    /// Those of a key that is there twice stay in their order.
    void index_keys();

    /// Empty ones for every other kind.
    [[nodiscard]] ScalarContent const& scalar() const { return held<ScalarContent>(); }
    [[nodiscard]] ListContent const& list() const { return held<ListContent>(); }
    [[nodiscard]] MappingContent const& mapping() const { return held<MappingContent>(); }
    template <class Content>
    [[nodiscard]] Content const& held() const {
        if (auto const* const there = std::get_if<Content>(&content_)) return *there;
        static Content const nothing{};
        return nothing;
    }
    /// To change it: of another kind it is replaced by an empty one first.
    [[nodiscard]] ScalarContent& own_scalar() { return own<ScalarContent>(); }
    [[nodiscard]] ListContent& own_list() { return own<ListContent>(); }
    [[nodiscard]] MappingContent& own_mapping() { return own<MappingContent>(); }
    template <class Content>
    [[nodiscard]] Content& own() {
        auto* const there = std::get_if<Content>(&content_);
        return there != nullptr ? *there : content_.emplace<Content>();
    }

    Mark mark_;
    std::variant<ScalarContent, ListContent, MappingContent> content_;
    Kind kind_ = Kind::null;
    bool quoted_ = false;
};

struct Entry {
    std::string key;
    Mark mark; // of the key
    Node value;
};

inline constexpr std::size_t max_file_size = 32 * 1024 * 1024;
inline constexpr std::size_t max_depth = 128;
inline constexpr std::size_t max_nodes =
    2'000'000;                                   // a hundred thousand credentials have half of it
inline constexpr std::size_t max_problems = 200; // reported of one document
/// Values with an anchor, and those that aliases stand for, all their contents counted; a text
/// counts once more for each max_text_by_alias bytes.
inline constexpr std::size_t max_values_by_alias = 1'000'000;
inline constexpr std::size_t max_text_by_alias = 256;

enum class Extent : std::uint8_t { whole, nothing };

/// A loaded document. Duplicates, bad keys and the like leave a tree that is worth checking
/// further, so that all problems are found at once; after a syntax error there is none (is_whole()
/// is false, and the root is null).
class Document {
public:
    Document(std::unique_ptr<Node> root, Extent extent, Problems problems)
        : root_{std::move(root)}, problems_{std::move(problems)}, extent_{extent} {}

    /// References to nodes stay valid while the Document, or the one it is moved to, lives. Kind
    /// null: empty document.
    [[nodiscard]] Node const& root() const& { return *root_; }
    [[nodiscard]] Node const& root() && = delete; // would dangle
    [[nodiscard]] Problems const& problems() const& { return problems_; }
    [[nodiscard]] Problems problems() && { return std::move(problems_); }
    [[nodiscard]] bool has_errors() const { return yaml::has_errors(problems_); }
    [[nodiscard]] bool is_whole() const { return extent_ == Extent::whole; }

private:
    friend class Editor;

    std::unique_ptr<Node> root_; // never null
    Problems problems_;
    Extent extent_;
};

/// How much of YAML a document may use.
enum class Syntax : std::uint8_t {
    plain, // what is read the same way everywhere: for files that are written for this program
    full,  // for documents that others publish: also anchors, aliases and merge keys (`<<`), keys
           // that are numbers or booleans, read as the text that they are, and a byte-order mark
};

/// Refused, each with a problem: syntax errors, duplicate keys, keys that are no strings (`200:`
/// needs quotes), anchors, aliases and tags, several documents in one stream, invalid UTF-8, a
/// byte-order mark, control characters, and whatever is beyond the limits above; less with
/// Syntax::full. `name` stands in the marks. A text that is valid JSON (RFC 8259) is read as such,
/// with its escapes; a `name` that ends in `.json` must be one. What an alias stands for has the
/// marks of its anchor.
[[nodiscard]] Document load_text(std::string_view text, std::string_view name,
                                 Syntax syntax = Syntax::plain);
[[nodiscard]] Document load_file(std::string const& path, Syntax syntax = Syntax::plain);

/// A problem at a node. `hint` may be empty.
[[nodiscard]] Problem problem_at(Node const& node, std::string path, std::string what,
                                 std::string hint = {}, Severity severity = Severity::error);

/// Paths as they stand in problems: `a.b`, `a["x/y"]` for keys that are no plain words, `a[0]`.
[[nodiscard]] std::string join_key(std::string_view path, std::string_view key);
[[nodiscard]] std::string join_index(std::string_view path, std::size_t index);
void append_key(std::string& path, std::string_view key);
void append_index(std::string& path, std::size_t index);

} // namespace sallyport::config::yaml
