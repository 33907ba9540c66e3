// Reads single values of a document with their types, ranges and references, and collects what is
// wrong with them.
#pragma once

#include "config/path.h"
#include "config/resolver.h"
#include "config/shape.h"
#include "config/types.h"
#include "config/yaml.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::config {

/// A node and how to get there.
struct Value {
    yaml::Node const* node = nullptr;
    Path path;
};

/// Refers to the name, which is of the document.
struct NamedValue {
    std::string const& name;
    yaml::Mark mark; // of the name
    Value value;
};

[[nodiscard]] inline Value child_at(Path const& list, yaml::Node const& item, std::size_t index) {
    return {&item, list.index(index)};
}
[[nodiscard]] inline NamedValue child_at(Path const& mapping, yaml::Entry const& entry,
                                         std::size_t) {
    return {entry.key, entry.mark, {&entry.value, mapping.key(entry.key)}};
}

/// The values of a list or a mapping, whose paths are made one after the other. The document and
/// the names in its path outlive it.
template <class Child>
class Children {
public:
    using Result = decltype(child_at(Path{}, std::declval<Child const&>(), 0));

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Result;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Result;

        Iterator(Children const& all, std::size_t index) : all_{&all}, index_{index} {}
        Result operator*() const { return (*all_)[index_]; }
        Iterator& operator++() {
            ++index_;
            return *this;
        }
        void operator++(int) { ++index_; }
        friend bool operator==(Iterator const& one, Iterator const& other) {
            return one.index_ == other.index_;
        }

    private:
        Children const* all_;
        std::size_t index_;
    };

    Children() = default;
    Children(std::span<Child const> all, Path path) : all_{all}, path_{std::move(path)} {}

    [[nodiscard]] std::size_t size() const { return all_.size(); }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] Result operator[](std::size_t index) const {
        return child_at(path_, all_[index], index);
    }
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size()}; }

private:
    std::span<Child const> all_;
    Path path_;
};

using Elements = Children<yaml::Node>;
using NamedValues = Children<yaml::Entry>;

/// The entries of a mapping for the keys of a table, by their indices there; null: there is none.
class MatchedKeys {
public:
    explicit MatchedKeys(std::size_t keys) : many_(keys > most_few ? keys : 0) {
        std::fill_n(few_.begin(), std::min(keys, most_few), nullptr);
    }

    [[nodiscard]] yaml::Entry const*& operator[](std::size_t key) {
        return many_.empty() ? few_[key] : many_[key];
    }

private:
    static constexpr std::size_t most_few = 24; // without memory of their own

    std::array<yaml::Entry const*, most_few> few_;
    std::vector<yaml::Entry const*> many_;
};

/// Where relative paths begin: at the folder of the file that has them.
struct Folders {
    std::string folder; // of every file that is not in the list; empty: the working directory
    /// By the file of the marks.
    std::map<std::string const*, std::string> of_others = {};

    [[nodiscard]] std::string const& of(yaml::Mark const& mark) const;
};

/// `told`: a list of callers, secrets or permissions. Taking the last one away must not be refused:
/// a reload that is rejected would leave it in force.
enum class Empty : std::uint8_t { allowed, told, refused };

/// Each read_...() either gives the value or records why it cannot, and gives nothing: reading goes
/// on with the next key. Messages repeat values as the file writes them, never what a reference
/// stands for, and secrets not at all.
class Reader {
public:
    Reader(Resolver const& resolver, Folders folders)
        : resolver_{resolver}, folders_{std::move(folders)} {}

    // --- scalars

    /// A text, references expanded. Other scalars are refused: they lack quotes.
    [[nodiscard]] std::optional<std::string> read_text(Value const& value);
    /// A text of 1 to `longest` bytes without control characters.
    [[nodiscard]] std::optional<std::string> read_line(Value const& value, std::size_t longest);
    /// The same without a copy of it: of the document, or of `storage`.
    [[nodiscard]] std::optional<std::string_view> view_line(Value const& value, std::size_t longest,
                                                            std::string& storage);
    /// A text of at most `longest` bytes without control characters, in which variables of requests
    /// may stand; at least one part.
    [[nodiscard]] std::optional<std::vector<ValuePart>> read_template(Value const& value,
                                                                      std::size_t longest);
    /// As read_line, but nothing of the text is ever shown.
    [[nodiscard]] std::optional<Secret> read_secret(Value const& value);
    /// A name for people and logs: letters, digits, `.`, `_`, `-`; at most 64, a letter or digit
    /// first.
    [[nodiscard]] bool check_name(yaml::Mark const& mark, Path const& path, std::string_view name);
    /// Of a text that may hold other controls.
    [[nodiscard]] bool check_no_nul(yaml::Mark const& mark, Path const& path,
                                    std::string_view text);
    [[nodiscard]] std::optional<bool> read_boolean(Value const& value);
    [[nodiscard]] std::optional<std::int64_t> read_integer(Value const& value, std::int64_t minimum,
                                                           std::int64_t maximum);
    [[nodiscard]] std::optional<double> read_number(Value const& value, double minimum,
                                                    double maximum);
    [[nodiscard]] std::optional<Duration> read_duration(Value const& value, Duration minimum,
                                                        Duration maximum);
    [[nodiscard]] std::optional<ByteCount> read_size(Value const& value, ByteCount minimum,
                                                     ByteCount maximum);
    /// The index of the word; words that are not built yet are refused.
    [[nodiscard]] std::optional<std::size_t> read_word(Value const& value,
                                                       std::vector<WordInfo> const& words);
    [[nodiscard]] std::optional<File> read_file(Value const& value);

    // --- collections

    /// With `told` nothing behind the key is an empty list too.
    [[nodiscard]] Elements read_list(Value const& value, Empty empty);
    [[nodiscard]] NamedValues read_named(Value const& value, Empty empty);
    /// Those that are unknown, not built or missing are refused.
    [[nodiscard]] MatchedKeys match_keys(Value const& mapping, SectionInfo const& section);
    /// Whether exactly one of the keys is there of which the section has to have one; refused at
    /// `origin` where not.
    bool check_choice(Origin const& origin, Value const& mapping, SectionRules const& rules);
    /// Keys are refused that need another one, which is not there.
    void check_needs(Value const& mapping, SectionInfo const& section);

    // --- problems

    void refuse(Value const& value, std::string what, std::string hint);
    void refuse(Origin const& origin, std::string what, std::string hint);
    void warn(Value const& value, std::string what, std::string hint);
    void warn(Origin const& origin, std::string what, std::string hint);
    /// "must be ..., not a list".
    void refuse_type(Value const& value, std::string_view wanted, std::string hint);

    /// How a message shows a scalar: in quotes, or as the reference that it is.
    [[nodiscard]] static std::string shown(Value const& value);
    [[nodiscard]] static Origin origin_of(Value const& value) {
        return {value.node->mark(), value.path};
    }
    [[nodiscard]] static Value child(Value const& mapping, std::string_view key);

    // --- what is left open (Expansion::left_open): such a value gives nothing, and is no problem

    /// Whether the value at this path, or one below it, is: what was read of it may not be all.
    [[nodiscard]] bool has_left_open(std::string_view path) const;
    [[nodiscard]] bool has_left_open(Path const& path) const {
        return !left_open_.empty() && has_left_open(std::string_view{path.text()});
    }
    [[nodiscard]] std::vector<LeftOpen> take_left_open() { return std::exchange(left_open_, {}); }

    /// The files that secrets were read from, each at the place of its secret.
    [[nodiscard]] std::vector<File> take_secret_files() { return std::exchange(secret_files_, {}); }

    [[nodiscard]] yaml::Problems take_problems();
    void add_problems(yaml::Problems const& problems);

private:
    void judge_empty(Value const& value, Empty empty);
    /// Of a text without references.
    [[nodiscard]] bool check_line(Value const& value, std::string_view text, std::size_t longest);
    void find_keys(Value const& mapping, SectionInfo const& section, MatchedKeys& out);
    /// The text of a string, or of any scalar that must be written without quotes, after expansion.
    [[nodiscard]] std::optional<Expanded> expand_scalar(Value const& value, std::string_view wanted,
                                                        std::string const& hint);

    Resolver const& resolver_;
    Folders folders_;
    yaml::Problems problems_;
    std::vector<LeftOpen> left_open_;
    std::vector<std::string> last_files_; // of the scalar that was expanded last
    std::vector<File> secret_files_;
};

} // namespace sallyport::config
