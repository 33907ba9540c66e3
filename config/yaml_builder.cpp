// The types of scalars, the keys of mappings, and the limits of a document: see yaml_builder.h.
#include "config/yaml_builder.h"

#include "config/text.h"
#include "gateway/text/ascii.h"
#include "gateway/text/hexadecimal.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>

namespace sallyport::config::yaml {

namespace {

using text::is_digit;

struct Typed {
    Kind kind = Kind::string;
    std::int64_t integer = 0;
    double number = 0;
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

// 0x1F and 0o17 (unsigned, as the core schema has them); beyond std::int64_t: a number.
std::optional<Typed> read_based(std::string_view text) {
    if (text.size() < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'o')) return {};
    int const base = text[1] == 'x' ? 16 : 8;
    std::string_view const digits = text.substr(2);
    bool const all_digits = std::all_of(digits.begin(), digits.end(), [base](char c) {
        return base == 16 ? text::hex_value(c) >= 0 : c >= '0' && c <= '7';
    });
    if (!all_digits) return {};
    Typed out;
    auto const end = digits.data() + digits.size();
    auto const result = std::from_chars(digits.data(), end, out.integer, base);
    if (result.ec == std::errc{}) {
        out.kind = Kind::integer;
        out.number = static_cast<double>(out.integer);
        return out;
    }
    out.kind = Kind::number;
    for (char const c : digits) {
        int digit = 0;
        std::from_chars(&c, &c + 1, digit, base);
        out.number = out.number * base + digit;
    }
    return out;
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?  and whether it is digits
// alone.
struct NumberShape {
    bool is_number = false;
    bool is_integer = false;
};

NumberShape shape_of(std::string_view text) {
    std::size_t i = 0;
    auto const digits = [&text, &i] {
        std::size_t const from = i;
        while (i < text.size() && is_digit(text[i]))
            ++i;
        return i - from;
    };
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    std::size_t const whole = digits();
    if (i == text.size()) return {whole > 0, whole > 0};
    if (text[i] == '.') {
        ++i;
        if (digits() == 0 && whole == 0) return {};
    } else if (whole == 0) {
        return {};
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
        if (digits() == 0) return {};
    }
    return {i == text.size(), false};
}

double read_number(std::string_view text) {
    std::string const owned{text};
    double value = 0;
    auto const result = std::from_chars(owned.data(), owned.data() + owned.size(), value);
    // Out of range: strtod decides whether that is zero or infinity. The program keeps the "C"
    // locale.
    if (result.ec == std::errc::result_out_of_range) return std::strtod(owned.c_str(), nullptr);
    return value;
}

// Whether a text may be something else than a string: the letters that null, true and false begin
// with, and what numbers begin with.
bool may_be_typed(std::string_view text) {
    return text.empty() || std::string_view{"~nNtTfF+-.0123456789"}.find(text[0]) != text.npos;
}

// YAML 1.2.2, 10.3.2: tag resolution of the core schema.
Typed type_of(std::string_view text) {
    if (!may_be_typed(text)) return {};
    if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return {Kind::null, 0, 0};
    if (is_one_of(text, {"true", "True", "TRUE"})) return {Kind::boolean, 1, 0};
    if (is_one_of(text, {"false", "False", "FALSE"})) return {Kind::boolean, 0, 0};
    if (auto const based = read_based(text)) return *based;

    std::string_view const unsigned_text =
        text.front() == '-' || text.front() == '+' ? text.substr(1) : text;
    if (is_one_of(unsigned_text, {".inf", ".Inf", ".INF"})) {
        double const infinity = std::numeric_limits<double>::infinity();
        return {Kind::number, 0, text.front() == '-' ? -infinity : infinity};
    }
    if (is_one_of(text, {".nan", ".NaN", ".NAN"})) {
        return {Kind::number, 0, std::numeric_limits<double>::quiet_NaN()};
    }
    NumberShape const shape = shape_of(text);
    if (!shape.is_number) return {};
    // std::from_chars takes no plus sign.
    std::string_view const digits = text.front() == '+' ? unsigned_text : text;
    Typed out{Kind::number, 0, read_number(digits)};
    if (shape.is_integer) {
        auto const end = digits.data() + digits.size();
        if (std::from_chars(digits.data(), end, out.integer).ec == std::errc{}) {
            out.kind = Kind::integer;
        }
    }
    return out;
}

// The last of a list, from `first` on.
template <class T>
std::vector<T> take_from(std::vector<T>& list, std::size_t first) {
    auto const begin = list.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<T> out{std::make_move_iterator(begin), std::make_move_iterator(list.end())};
    list.erase(begin, list.end());
    return out;
}

// The way to a place, its middle left out where it is too long to be read.
std::string shortened(std::string path) {
    constexpr std::size_t longest = 200;
    constexpr std::size_t part = 60;
    if (path.size() <= longest) return path;
    auto const is_inside_character = [&path](std::size_t at) {
        return (static_cast<unsigned char>(path[at]) & 0xC0U) == 0x80U;
    };
    std::size_t head = part;
    std::size_t tail = path.size() - part;
    while (is_inside_character(head))
        --head;
    while (is_inside_character(tail))
        ++tail;
    return path.replace(head, tail - head, " ... ");
}

} // namespace

Proceed Builder::begin(Place place, Kind kind) {
    if (count_node(place) == Proceed::no) return Proceed::no;
    if (open_.size() >= max_depth) {
        refuse_too_deep(place);
        return Proceed::no;
    }
    Frame& frame = open_.emplace_back();
    frame.kind = kind;
    frame.mark = mark(place);
    frame.first = kind == Kind::sequence ? items_.size() : entries_.size();
    frame.anchor = std::exchange(next_anchor_, 0);
    return Proceed::yes;
}

void Builder::end() {
    Node node;
    Frame& frame = open_.back();
    node.kind_ = frame.kind;
    node.mark_ = frame.mark;
    std::size_t const anchor = frame.anchor;
    std::vector<Entry> const merged = std::move(frame.merged);
    if (frame.kind == Kind::sequence) {
        node.items_ = take_from(items_, frame.first);
    } else {
        node.entries_ = take_from(entries_, frame.first);
    }
    open_.pop_back();
    if (!merged.empty()) merge(node, merged);
    if (node.is_mapping()) index_keys(node);
    keep_anchored(node, anchor);
    add(std::move(node));
}

void Builder::refuse_too_deep(Place place) {
    refuse_document(place, "nested deeper than " + std::to_string(max_depth) + " levels",
                    "make the document flatter");
}

Proceed Builder::plain_scalar(Place place, std::string text) {
    if (count_node(place) == Proceed::no) return Proceed::no;
    last_scalar_ = place;
    Typed const typed = type_of(text);
    Node node;
    node.mark_ = mark(place);
    node.kind_ = typed.kind;
    node.integer_ = typed.integer;
    node.number_ = typed.number;
    node.text_ = std::move(text);
    return add_scalar(std::move(node));
}

Proceed Builder::quoted_scalar(Place place, std::string text) {
    if (count_node(place) == Proceed::no) return Proceed::no;
    Node node;
    node.mark_ = mark(place);
    node.kind_ = Kind::string;
    node.quoted_ = true;
    node.text_ = std::move(text);
    return add_scalar(std::move(node));
}

Proceed Builder::add_scalar(Node&& node) {
    keep_anchored(node, std::exchange(next_anchor_, 0));
    add(std::move(node));
    return Proceed::yes;
}

Proceed Builder::count_node(Place place) {
    if (++nodes_ <= max_nodes) return Proceed::yes;
    refuse_document(place, "more than " + std::to_string(max_nodes) + " values",
                    "split the document");
    return Proceed::no;
}

bool Builder::is_value_of_key_at(Place place) const {
    if (open_.empty() || !open_.back().has_key) return false;
    Mark const& key = open_.back().key_mark;
    return key.line == place.line && key.column == place.column;
}

void Builder::add(Node&& node) {
    if (open_.empty()) {
        *root_ = std::move(node);
        return;
    }
    Frame& frame = open_.back();
    if (frame.kind == Kind::sequence) {
        items_.push_back(std::move(node));
        ++frame.count;
    } else if (!frame.has_key) {
        take_key(std::move(node));
    } else {
        if (!frame.key_problem.empty()) {
            add_problem(frame.key_mark, path_around(), std::move(frame.key_problem),
                        std::move(frame.key_hint));
            frame.key_problem.clear();
        }
        // What is not there has no place of its own: yaml-cpp names the next line.
        if (node.is_null() && node.text_.empty()) node.mark_ = frame.key_mark;
        if (!frame.key_is_unusable) {
            Entry& entry = (frame.key_is_merge ? frame.merged : entries_).emplace_back();
            entry.key = std::move(frame.key);
            entry.mark = frame.key_mark;
            entry.value = std::move(node);
        }
        frame.has_key = false;
    }
}

void Builder::take_key(Node&& node) {
    Frame& frame = open_.back();
    // `200:` in a document that others have written can mean nothing else than its text. The text
    // of a null is not known.
    bool const is_text =
        node.is_string() || (syntax_ == Syntax::full && node.is_scalar() && !node.is_null());
    if (!is_text) {
        frame.key_problem = "a key must be a string, not " + std::string{name_of(node.kind_)};
        frame.key_hint = !node.is_scalar() ? "write a plain word or a string in quotes"
                                           : "write it in quotes: \""
                                                 + (node.is_null() ? "null" : node.text_) + '"';
    }
    frame.has_key = true;
    frame.key_is_unusable = !node.is_scalar();
    frame.key_is_merge = syntax_ == Syntax::full && !node.quoted_ && node.text_ == "<<";
    frame.key = std::move(node.text_);
    frame.key_mark = node.mark_;
}

// Most mappings are small, and have no key twice.
void Builder::index_keys(Node& mapping) {
    std::vector<Entry> const& entries = mapping.entries_;
    if (entries.size() > Node::most_without_index) return sort_keys(mapping);
    for (std::size_t i = 1; i < entries.size(); ++i)
        for (std::size_t before = 0; before < i; ++before)
            if (entries[before].key == entries[i].key) return sort_keys(mapping);
}

// Sorted once, when the mapping is complete: a document of many keys costs n log n, whatever its
// keys are.
void Builder::sort_keys(Node& mapping) {
    std::vector<Entry>& entries = mapping.entries_;
    std::vector<std::uint32_t> order(entries.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<std::uint32_t>(i);
    std::stable_sort(order.begin(), order.end(), [&entries](std::uint32_t a, std::uint32_t b) {
        return entries[a].key < entries[b].key;
    });
    std::vector<std::uint32_t> unique;
    unique.reserve(order.size());
    std::vector<std::uint32_t> duplicates;
    for (std::uint32_t const index : order) {
        if (!unique.empty() && entries[unique.back()].key == entries[index].key) {
            Entry const& first = entries[unique.back()];
            add_problem(entries[index].mark, join_key(path(), entries[index].key),
                        "the key is given twice, first on line " + std::to_string(first.mark.line),
                        "keep one of them");
            duplicates.push_back(index);
        } else {
            unique.push_back(index);
        }
    }
    // Duplicates leave the tree only if that does not move the entries that the index names.
    mapping.by_key_ = std::move(unique);
    if (duplicates.empty()) return;
    std::sort(duplicates.begin(), duplicates.end());
    std::vector<Entry> kept;
    std::vector<std::uint32_t> moved_to(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        moved_to[i] = static_cast<std::uint32_t>(kept.size());
        bool const is_duplicate =
            std::binary_search(duplicates.begin(), duplicates.end(), static_cast<std::uint32_t>(i));
        if (!is_duplicate) kept.push_back(std::move(entries[i]));
    }
    for (std::uint32_t& index : mapping.by_key_)
        index = moved_to[index];
    entries = std::move(kept);
}

std::string Builder::path() const {
    std::string out;
    for (Frame const& frame : open_) {
        if (frame.kind == Kind::sequence) {
            out = join_index(out, frame.count);
        } else if (frame.has_key) {
            out = join_key(out, frame.key);
        }
    }
    return out;
}

std::string Builder::path_around() {
    Frame& innermost = open_.back();
    bool const has_key = std::exchange(innermost.has_key, false);
    std::string out = path();
    innermost.has_key = has_key;
    return out;
}

void Builder::add_problem(Mark where, std::string path, std::string what, std::string hint) {
    if (problems_.size() >= max_problems) {
        ++problems_left_out_;
        return;
    }
    problems_.push_back({std::move(where), std::move(path), std::move(what), std::move(hint)});
}

void Builder::refuse(Place place, std::string what, std::string hint) {
    add_problem(mark(place), path(), std::move(what), std::move(hint));
}

void Builder::refuse_document(Place place, std::string what, std::string hint) {
    extent_ = Extent::nothing;
    // A reader that hits the end of the file may have taken the last scalar for a key: the end is
    // what is wrong.
    while (!problems_.empty() && problems_.back().where.line == last_scalar_.line
           && problems_.back().where.column == last_scalar_.column) {
        problems_.pop_back();
    }
    add_problem(mark(place), place.line > 0 ? shortened(path()) : std::string{}, std::move(what),
                std::move(hint));
}

Node Builder::list_of(Mark mark, std::vector<Node> items) {
    Node node;
    node.kind_ = Kind::sequence;
    node.mark_ = std::move(mark);
    node.items_ = std::move(items);
    return node;
}

Node Builder::mapping_of(Mark mark, std::vector<Entry> entries) {
    Node node;
    node.kind_ = Kind::mapping;
    node.mark_ = std::move(mark);
    node.entries_ = std::move(entries);
    node.index_keys();
    return node;
}

Document Builder::finish() {
    if (extent_ == Extent::nothing) *root_ = Node{};
    sort_by_place(problems_);
    add_rest(problems_, problems_left_out_, Severity::error);
    return Document{std::move(root_), extent_, std::move(problems_)};
}

} // namespace sallyport::config::yaml
