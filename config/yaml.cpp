// Loads documents: checks their bytes, chooses the reader, and looks keys up: see yaml.h.
#include "config/yaml.h"

#include "config/text.h"
#include "config/yaml_builder.h"
#include "gateway/simd/blocks.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>

namespace sallyport::config::yaml {

namespace {

constexpr auto stands_in_plain_words = [] {
    std::array<bool, 256> table{};
    for (unsigned c = 0; c < table.size(); ++c)
        table[c] = text::is_letter_or_digit(static_cast<char>(c)) || c == '_' || c == '-';
    return table;
}();

bool is_plain_word(std::string_view key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return stands_in_plain_words[static_cast<unsigned char>(c)];
    });
}

constexpr std::string_view byte_order_mark{"\xEF\xBB\xBF"};

Place place_of(std::string_view text, std::size_t offset) {
    Place place{1, 1};
    for (char const c : text.substr(0, offset)) {
        if (c == '\n') {
            ++place.line;
            place.column = 1;
        } else if (!text::is_continuation(c)) {
            ++place.column;
        }
    }
    return place;
}

// The offset of the first control character that no stream may have, or the size of the text.
// YAML 1.2.2, 5.1: of the C0 controls tab, line feed and carriage return are allowed.
std::size_t find_control(std::string_view text) {
    auto const is_refused = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    };
    std::size_t at = 0;
    for (; at + sizeof(simd::Block) <= text.size(); at += sizeof(simd::Block)) {
        auto const block = simd::load_block(text.data() + at);
        auto const refused =
            (block >= 0) & (block < 0x20) & (block != '\t') & (block != '\n') & (block != '\r');
        if (simd::mask_of(refused) != 0) break;
    }
    auto const found =
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_refused);
    return static_cast<std::size_t>(found - text.begin());
}

struct BadBytes {
    Place where;
    std::string what;
    std::string hint;
};

// What no document may hold, whatever its syntax. yaml-cpp would replace bad bytes and end at a
// byte 0x04.
std::optional<BadBytes> find_bad_bytes(std::string_view text) {
    if (text.size() > max_file_size) {
        return BadBytes{{0, 0},
                        "larger than " + std::to_string(max_file_size) + " bytes",
                        "split the document"};
    }
    if (text.starts_with(byte_order_mark)) {
        return BadBytes{
            {1, 1}, "begins with a byte-order mark", "save the file as UTF-8 without one"};
    }
    if (auto const bad = text::first_invalid_utf8(text))
        return BadBytes{place_of(text, *bad), "invalid UTF-8", "save the file as UTF-8"};
    auto const offset = find_control(text);
    if (offset == text.size()) return std::nullopt;
    char const control = text[offset];
    std::string const as_escape =
        "write it as an escape in double quotes: " + in_quotes({&control, 1});
    // Beside each letter of UTF-16 stands one.
    return BadBytes{place_of(text, offset), name_of_control(control),
                    control == '\0' ? "remove it, or save the file as UTF-8" : as_escape};
}

bool may_be_json(std::string_view text) {
    std::size_t const first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

} // namespace

std::string const* intern_file_name(std::string_view name) {
    static std::mutex mutex;
    static std::set<std::string, std::less<>> names;
    std::lock_guard const lock{mutex};
    auto const known = names.find(name);
    return known != names.end() ? &*known : &*names.emplace(name).first;
}

std::string describe(Problem const& problem) {
    std::string out;
    if (!problem.where.file_name().empty()) {
        out += problem.where.file_name();
        if (problem.where.line > 0) {
            out += ':' + std::to_string(problem.where.line) + ':'
                   + std::to_string(problem.where.column);
        }
        out += ": ";
    }
    if (problem.severity == Severity::warning) out += "warning: ";
    if (!problem.path.empty()) out += problem.path + ": ";
    out += problem.what;
    if (!problem.hint.empty()) out += "; " + problem.hint;
    return printable(out);
}

bool has_errors(Problems const& problems) {
    return std::any_of(problems.begin(), problems.end(),
                       [](Problem const& p) { return p.severity == Severity::error; });
}

bool are_nested(std::string_view one, std::string_view other) {
    if (one.size() > other.size()) std::swap(one, other);
    if (one.empty() || one.size() == other.size()) return one.empty() || one == other;
    return other.starts_with(one) && (other[one.size()] == '.' || other[one.size()] == '[');
}

void remove_consequences(Problems& problems, Problems const& causes) {
    std::erase_if(problems, [&causes](Problem const& problem) {
        return std::any_of(causes.begin(), causes.end(), [&problem](Problem const& cause) {
            return cause.severity == Severity::error
                   && cause.where.file_name() == problem.where.file_name()
                   && are_nested(cause.path, problem.path);
        });
    });
}

void sort_by_place(Problems& problems) {
    std::stable_sort(problems.begin(), problems.end(), [](Problem const& a, Problem const& b) {
        if (a.where.file_name() != b.where.file_name()) {
            return a.where.file_name() < b.where.file_name();
        }
        if (a.is_rest != b.is_rest) return b.is_rest;
        if (a.where.line != b.where.line) return a.where.line < b.where.line;
        return a.where.column < b.where.column;
    });
}

void add_rest(Problems& problems, std::size_t count, Severity severity) {
    if (count == 0 || problems.empty()) return;
    Problem rest;
    rest.where.file = problems.back().where.file;
    rest.what = std::to_string(count) + " more "
                + (severity == Severity::error ? "problem" : "warning") + (count == 1 ? "" : "s");
    rest.severity = severity;
    rest.is_rest = true;
    problems.push_back(std::move(rest));
}

std::string_view name_of(Kind kind) {
    switch (kind) {
    case Kind::null: return "null";
    case Kind::boolean: return "a boolean";
    case Kind::integer: return "an integer";
    case Kind::number: return "a number";
    case Kind::string: return "a string";
    case Kind::sequence: return "a list";
    case Kind::mapping: return "a mapping";
    }
    return "a value";
}

Entry const* Node::find_entry(std::string_view key) const {
    auto const& entries = mapping().entries;
    auto const& by_key = mapping().by_key;
    if (by_key.empty()) {
        for (Entry const& entry : entries)
            if (entry.key == key) return &entry;
        return nullptr;
    }
    auto const found = std::lower_bound(by_key.begin(), by_key.end(), key,
                                        [&entries](std::uint32_t index, std::string_view wanted) {
                                            return std::string_view{entries[index].key} < wanted;
                                        });
    if (found == by_key.end() || entries[*found].key != key) return nullptr;
    return &entries[*found];
}

void Node::index_keys() {
    auto& [entries, by_key] = own_mapping();
    by_key.clear();
    if (entries.size() > most_without_index) by_key = order_of_keys(entries);
}

std::vector<std::uint32_t> order_of_keys(std::vector<Entry> const& entries) {
    std::vector<std::uint32_t> order(entries.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&entries](std::uint32_t one, std::uint32_t other) {
                         return entries[one].key < entries[other].key;
                     });
    return order;
}

Node const* Node::find(std::string_view key) const {
    Entry const* const entry = find_entry(key);
    return entry == nullptr ? nullptr : &entry->value;
}

namespace {

Document refused(std::string_view name, Syntax syntax, Place where, std::string what,
                 std::string hint) {
    Builder builder{name, syntax};
    builder.refuse_document(where, std::move(what), std::move(hint));
    return builder.finish();
}

// Each reader that gives up leaves a builder of no use. None: it is not JSON, and need not be.
std::optional<Document> load_json(std::string_view text, std::string_view name, Syntax syntax,
                                  bool must_be_json) {
    Builder builder{name, syntax};
    if (read_valid_json(text, builder) == JsonResult::read) return builder.finish();
    Builder explaining{name, syntax};
    Place where;
    std::string what;
    if (read_json(text, explaining, where, what) == JsonResult::read) return explaining.finish();
    if (!must_be_json) return std::nullopt;
    explaining.refuse_document(where, std::move(what), {});
    return explaining.finish();
}

Document load_yaml(std::string_view text, std::string_view name, Syntax syntax) {
    Builder plain{name, syntax};
    if (read_plain_yaml(text, plain) == PlainResult::read) return plain.finish();
    Builder builder{name, syntax};
    read_yaml(text, builder);
    return builder.finish();
}

} // namespace

Document load_text(std::string_view text, std::string_view name, Syntax syntax) {
    // YAML 1.2.2, 5.2: a stream may begin with one.
    if (syntax == Syntax::full && text.starts_with(byte_order_mark)) text.remove_prefix(3);
    if (auto bad = find_bad_bytes(text))
        return refused(name, syntax, bad->where, std::move(bad->what), std::move(bad->hint));
    bool const must_be_json = name.ends_with(".json");
    if (must_be_json || may_be_json(text)) {
        if (auto read = load_json(text, name, syntax, must_be_json)) return std::move(*read);
    }
    return load_yaml(text, name, syntax);
}

Document load_file(std::string const& path, Syntax syntax) {
    FileText file = read_file(path, max_file_size);
    if (!file.problem.empty())
        return refused(path, syntax, {0, 0}, "cannot be read: " + file.problem, {});
    return load_text(file.text, path, syntax);
}

Problem problem_at(Node const& node, std::string path, std::string what, std::string hint,
                   Severity severity) {
    return {node.mark(), std::move(path), std::move(what), std::move(hint), severity};
}

void append_key(std::string& path, std::string_view key) {
    if (!is_plain_word(key)) {
        path.append(1, '[').append(in_quotes(key)).append(1, ']');
        return;
    }
    if (!path.empty()) path += '.';
    path.append(key);
}

void append_index(std::string& path, std::size_t index) {
    std::array<char, 24> text{'['};
    auto const end = std::to_chars(text.begin() + 1, text.end() - 1, index).ptr;
    *end = ']';
    path.append(text.data(), end + 1);
}

std::string join_key(std::string_view path, std::string_view key) {
    std::string out;
    constexpr std::size_t around = 4; // brackets and quotes
    out.reserve(path.size() + key.size() + around);
    out += path;
    append_key(out, key);
    return out;
}

std::string join_index(std::string_view path, std::size_t index) {
    std::string out{path};
    append_index(out, index);
    return out;
}

} // namespace sallyport::config::yaml
