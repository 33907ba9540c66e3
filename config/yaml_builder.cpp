// The types of scalars, the keys of mappings, and the limits of a document: see yaml_builder.h.
#include "config/yaml_builder.h"

#include "config/text.h"
#include "gateway/text/ascii.h"
#include "gateway/text/hexadecimal.h"
#include "gateway/text/utf8.h"

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

// YAML 1.2.2, 10.3.2: of a text that may begin a number.
Typed type_of_number(std::string_view text) {
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

// YAML 1.2.2, 10.3.2: tag resolution of the core schema. What is no string is seen by its first
// character.
Typed type_of(std::string_view text) {
    if (text.empty()) return {Kind::null, 0, 0};
    switch (text.front()) {
    case '~':
    case 'n':
    case 'N':
        if (is_one_of(text, {"~", "null", "Null", "NULL"})) return {Kind::null, 0, 0};
        return {};
    case 't':
    case 'T':
        if (is_one_of(text, {"true", "True", "TRUE"})) return {Kind::boolean, 1, 0};
        return {};
    case 'f':
    case 'F':
        if (is_one_of(text, {"false", "False", "FALSE"})) return {Kind::boolean, 0, 0};
        return {};
    case '+':
    case '-':
    case '.': return type_of_number(text);
    default: return is_digit(text.front()) ? type_of_number(text) : Typed{};
    }
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
    std::size_t head = part;
    std::size_t tail = path.size() - part;
    while (text::is_continuation(path[head]))
        --head;
    while (text::is_continuation(path[tail]))
        ++tail;
    return path.replace(head, tail - head, " ... ");
}

} // namespace

// Where the next value stays. A key that is a list or a mapping stands in the value of its entry
// while it is read.
Node& Builder::begin_value() {
    if (open_.empty()) return *root_;
    Frame& frame = open_.back();
    if (frame.kind == Kind::sequence) return items_.emplace_back();
    if (frame.has_key) return entries_.back().value;
    frame.at = entries_.size();
    return entries_.emplace_back().value;
}

// That of begin_value(), when what was read since then has been taken from the lists.
Node& Builder::begun_value() {
    if (open_.empty()) return *root_;
    return open_.back().kind == Kind::sequence ? items_.back() : entries_.back().value;
}

void Builder::end_value() {
    if (open_.empty()) return;
    Frame& frame = open_.back();
    if (frame.kind == Kind::sequence) {
        ++frame.at;
    } else if (frame.has_key) {
        end_entry(frame);
    } else {
        take_collection_as_key(frame);
    }
}

Proceed Builder::begin(Place place, Kind kind) {
    if (count_node(place) == Proceed::no) return Proceed::no;
    if (open_.size() >= max_depth) {
        refuse_too_deep(place);
        return Proceed::no;
    }
    Node& node = begin_value();
    node.kind_ = kind;
    node.mark_ = mark(place);
    Frame& frame = open_.emplace_back();
    frame.kind = kind;
    frame.first = kind == Kind::sequence ? items_.size() : entries_.size();
    frame.anchor = std::exchange(next_anchor_, 0);
    return Proceed::yes;
}

void Builder::end() {
    Frame const frame = std::move(open_.back());
    open_.pop_back();
    if (frame.kind == Kind::sequence) {
        auto items = take_from(items_, frame.first);
        begun_value().content_ = std::move(items);
    } else {
        auto entries = take_from(entries_, frame.first);
        begun_value().own_mapping().entries = std::move(entries);
    }
    Node& node = begun_value();
    if (frame.oddities != nullptr && !frame.oddities->merged.empty())
        merge(node, frame.oddities->merged);
    if (frame.kind == Kind::mapping) check_keys(node);
    keep_anchored(node, frame.anchor);
    end_value();
}

void Builder::refuse_too_deep(Place place) {
    refuse_document(place, "nested deeper than " + std::to_string(max_depth) + " levels",
                    "make the document flatter");
}

Proceed Builder::plain_scalar(Place place, std::string_view text) {
    if (count_node(place) == Proceed::no) return Proceed::no;
    last_scalar_ = place;
    Typed const typed = type_of(text);
    return add_scalar({place, text, typed.kind, false, typed.integer, typed.number});
}

Proceed Builder::quoted_scalar(Place place, std::string_view text) {
    if (count_node(place) == Proceed::no) return Proceed::no;
    return add_scalar({place, text, Kind::string, true});
}

void Builder::set(Node& node, Scalar const& scalar) const {
    node.mark_ = mark(scalar.place);
    node.kind_ = scalar.kind;
    node.quoted_ = scalar.is_quoted;
    auto& content = node.own_scalar();
    content.text = std::string{scalar.text}; // less than to assign it
    content.integer = scalar.integer;
    content.number = scalar.number;
}

Proceed Builder::add_scalar(Scalar const& scalar) {
    std::size_t const anchor = std::exchange(next_anchor_, 0);
    if (is_at_key()) {
        if (anchor != 0) {
            Node key;
            set(key, scalar);
            keep_copy(key, anchor);
        }
        take_key(mark(scalar.place), scalar.kind, scalar.is_quoted, scalar.text);
        return Proceed::yes;
    }
    Node& node = begin_value();
    set(node, scalar);
    keep_anchored(node, anchor);
    end_value();
    return Proceed::yes;
}

Proceed Builder::count_node(Place place) {
    return ++nodes_ <= max_nodes ? Proceed::yes : refuse_too_many(place);
}

Proceed Builder::refuse_too_many(Place place) {
    refuse_document(place, "more than " + std::to_string(max_nodes) + " values",
                    "split the document");
    return Proceed::no;
}

bool Builder::is_value_of_key_at(Place place) const {
    if (open_.empty() || !open_.back().has_key) return false;
    Mark const& key = entries_.back().mark;
    return key.line == place.line && key.column == place.column;
}

// One that was not read here: a copy of what an alias stands for.
void Builder::add(Node&& node) {
    if (is_at_key() && node.is_scalar())
        return take_key(node.mark_, node.kind_, node.quoted_, node.text());
    begin_value() = std::move(node);
    end_value();
}

void Builder::take_key(Mark mark, Kind kind, bool is_quoted, std::string_view text) {
    Frame& frame = open_.back();
    frame.at = entries_.size();
    Entry& entry = entries_.emplace_back();
    entry.key = std::string{text};
    entry.mark = mark;
    frame.has_key = true;
    frame.key_is_unusable = false;
    frame.key_is_merge = syntax_ == Syntax::full && !is_quoted && text == "<<";
    // `200:` in a document that others have written can mean nothing else than its text. The text
    // of a null is not known.
    bool const is_text = kind == Kind::string || (syntax_ == Syntax::full && kind != Kind::null);
    if (is_text) return;
    Oddities& odd = frame.odd();
    odd.key_problem = "a key must be a string, not " + std::string{name_of(kind)};
    odd.key_hint =
        "write it in quotes: \"" + (kind == Kind::null ? "null" : std::string{text}) + '"';
}

void Builder::take_collection_as_key(Frame& frame) {
    Entry& entry = entries_.back();
    Oddities& odd = frame.odd();
    odd.key_problem = "a key must be a string, not " + std::string{name_of(entry.value.kind_)};
    odd.key_hint = "write a plain word or a string in quotes";
    frame.has_key = true;
    frame.key_is_unusable = true;
    frame.key_is_merge = false;
    entry.mark = entry.value.mark_;
    entry.value = Node{};
}

void Builder::end_entry(Frame& frame) {
    Entry& entry = entries_.back();
    if (frame.oddities != nullptr && !frame.oddities->key_problem.empty()) {
        add_problem(entry.mark, path_around(), std::exchange(frame.oddities->key_problem, {}),
                    std::move(frame.oddities->key_hint));
    }
    // What is not there has no place of its own: yaml-cpp names the next line.
    if (entry.value.is_null() && entry.value.text().empty()) entry.value.mark_ = entry.mark;
    frame.has_key = false;
    if (frame.key_is_merge) frame.odd().merged.push_back(std::move(entry));
    if (frame.key_is_merge || frame.key_is_unusable) entries_.pop_back();
}

// Most mappings are small, and have no key twice.
void Builder::check_keys(Node& mapping) {
    mapping.index_keys();
    if (!has_repeated_key(mapping)) return;
    remove_repeated_keys(mapping.own_mapping().entries);
    mapping.index_keys();
}

bool Builder::has_repeated_key(Node const& mapping) {
    auto const& entries = mapping.mapping().entries;
    auto const& by_key = mapping.mapping().by_key;
    if (!by_key.empty()) {
        auto const are_same = [&entries](std::uint32_t one, std::uint32_t other) {
            return entries[one].key == entries[other].key;
        };
        return std::adjacent_find(by_key.begin(), by_key.end(), are_same) != by_key.end();
    }
    for (std::size_t i = 1; i < entries.size(); ++i)
        for (std::size_t before = 0; before < i; ++before)
            if (entries[before].key == entries[i].key) return true;
    return false;
}

void Builder::remove_repeated_keys(std::vector<Entry>& entries) {
    std::vector<bool> is_repeated(entries.size());
    Entry const* first = nullptr;
    for (std::uint32_t const index : order_of_keys(entries)) {
        Entry const& entry = entries[index];
        is_repeated[index] = first != nullptr && first->key == entry.key;
        if (!is_repeated[index]) {
            first = &entry;
            continue;
        }
        add_problem(entry.mark, join_key(path(), entry.key),
                    "the key is given twice, first on line " + std::to_string(first->mark.line),
                    "keep one of them");
    }
    std::vector<Entry> kept;
    kept.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (!is_repeated[i]) kept.push_back(std::move(entries[i]));
    entries = std::move(kept);
}

std::string Builder::path() const {
    std::string out;
    for (Frame const& frame : open_) {
        if (frame.kind == Kind::sequence) {
            out = join_index(out, frame.at);
        } else if (frame.has_key) {
            out = join_key(out, entries_[frame.at].key);
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
    problems_.push_back({where, std::move(path), std::move(what), std::move(hint)});
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
    node.mark_ = mark;
    node.content_ = std::move(items);
    return node;
}

Node Builder::mapping_of(Mark mark, std::vector<Entry> entries) {
    Node node;
    node.kind_ = Kind::mapping;
    node.mark_ = mark;
    node.own_mapping().entries = std::move(entries);
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
