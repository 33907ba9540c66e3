// Constants of a contract.
#include "gateway/contract/schema/constants.h"

#include "gateway/contract/evaluate/canonical.h"
#include "gateway/contract/evaluate/value_hashes.h"
#include "gateway/contract/text/decimal.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

namespace sallyport::contract {

namespace {

using config::yaml::Entry;
using config::yaml::Kind;
using config::yaml::Node;

[[nodiscard]] double nearest_double(std::string_view text, Decimal const& decimal) noexcept {
    double value = 0;
    auto const result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc::result_out_of_range) return value;
    // Too large, or too close to zero.
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (Decimal::compare(decimal, Decimal{"1"}) > 0) return infinity;
    return Decimal::compare(decimal, Decimal{"-1"}) < 0 ? -infinity : 0.0;
}

[[nodiscard]] bool append_canonical(std::string& out, Node const& node) {
    switch (node.kind()) {
    case Kind::null: out += canonical::null; return true;
    case Kind::boolean:
        out += node.as_boolean() ? canonical::true_value : canonical::false_value;
        return true;
    case Kind::string: canonical::append_string(out, node.text()); return true;
    case Kind::sequence: {
        out += canonical::array_begin;
        bool const is_good =
            std::all_of(node.items().begin(), node.items().end(),
                        [&out](Node const& item) { return append_canonical(out, item); });
        out += canonical::array_end;
        return is_good;
    }
    case Kind::mapping: {
        std::vector<Entry const*> entries;
        for (Entry const& entry : node.entries())
            entries.push_back(&entry);
        std::sort(entries.begin(), entries.end(),
                  [](Entry const* left, Entry const* right) { return left->key < right->key; });
        out += canonical::object_begin;
        bool const is_good =
            std::all_of(entries.begin(), entries.end(), [&out](Entry const* entry) {
                canonical::append_string(out, entry->key);
                return append_canonical(out, entry->value);
            });
        out += canonical::object_end;
        return is_good;
    }
    case Kind::integer:
    case Kind::number: break;
    }
    auto const number = number_text(node);
    if (number) canonical::append_number(out, *number);
    return number.has_value();
}

// The hash of a value that append_canonical() has written.
[[nodiscard]] std::uint64_t hash_of(Node const& node) {
    switch (node.kind()) {
    case Kind::null: return value_hash::of_word(canonical::null);
    case Kind::boolean:
        return value_hash::of_word(node.as_boolean() ? canonical::true_value
                                                     : canonical::false_value);
    case Kind::string: return value_hash::of_string(node.text());
    case Kind::sequence: {
        std::uint64_t hash = value_hash::array_seed;
        for (Node const& item : node.items())
            hash = value_hash::with_item(hash, hash_of(item));
        return value_hash::whole(hash, node.items().size());
    }
    case Kind::mapping: {
        std::uint64_t hash = value_hash::object_seed;
        for (Entry const& entry : node.entries()) {
            hash = value_hash::with_member(hash, value_hash::of_string(entry.key),
                                           hash_of(entry.value));
        }
        return value_hash::whole(hash, node.entries().size());
    }
    case Kind::integer:
    case Kind::number: break;
    }
    return value_hash::of_number(*number_text(node));
}

[[nodiscard]] std::uint8_t kind_of(Kind kind) noexcept {
    switch (kind) {
    case Kind::null: return value_bits::null;
    case Kind::boolean: return value_bits::boolean;
    case Kind::string: return value_bits::string;
    case Kind::sequence: return value_bits::array;
    case Kind::mapping: return value_bits::object;
    case Kind::integer:
    case Kind::number: break;
    }
    return value_bits::integer | value_bits::number;
}

// YAML 1.2.2, 10.3.2: `+1.5`, `.5`, `5.` and `007.5` are numbers, too.
[[nodiscard]] std::string json_number(std::string_view text) {
    std::string out;
    if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
        if (text.front() == '-') out = "-";
        text.remove_prefix(1);
    }
    while (text.size() > 1 && text.front() == '0' && text::is_digit(text[1]))
        text.remove_prefix(1);
    if (!text.empty() && text.front() == '.') out += '0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const has_fraction = i + 1 < text.size() && text::is_digit(text[i + 1]);
        if (text[i] != '.' || has_fraction) out += text[i];
    }
    return out;
}

} // namespace

std::optional<std::string> number_text(Node const& node) {
    if (!node.is_number()) return std::nullopt;
    if (is_number(node.text())) return node.text();
    // 0x1F and the like
    if (node.is_integer()) return std::to_string(node.as_integer());
    std::string text = json_number(node.text());
    if (!is_number(text)) return std::nullopt; // .inf, .nan
    return text;
}

std::optional<bool> flag_in_text(Node const& node) {
    if (!node.is_string()) return std::nullopt;
    for (std::string_view const word : {"true", "yes", "on"})
        if (text::equals_ignoring_case(node.text(), word)) return true;
    for (std::string_view const word : {"false", "no", "off"})
        if (text::equals_ignoring_case(node.text(), word)) return false;
    return std::nullopt;
}

bool is_set(Node const& flag) {
    return flag.as_boolean() || flag_in_text(flag).value_or(false);
}

std::optional<std::string> bound_text(Node const& node) {
    return node.is_string() && is_number(node.text()) ? node.text() : number_text(node);
}

void append_json_string(std::string& out, std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    out += '"';
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            out += "\\u00";
            out += hex[byte >> 4];
            out += hex[byte & 0xF];
        } else {
            out += c;
        }
    }
    out += '"';
}

bool append_json(std::string& out, Node const& node) {
    bool is_first = true;
    auto const separate = [&out, &is_first] {
        if (!is_first) out += ',';
        is_first = false;
    };
    switch (node.kind()) {
    case Kind::null: out += "null"; return true;
    case Kind::boolean: out += node.as_boolean() ? "true" : "false"; return true;
    case Kind::string: append_json_string(out, node.text()); return true;
    case Kind::sequence:
        out += '[';
        for (Node const& item : node.items()) {
            separate();
            if (!append_json(out, item)) return false;
        }
        out += ']';
        return true;
    case Kind::mapping:
        out += '{';
        for (Entry const& entry : node.entries()) {
            separate();
            append_json_string(out, entry.key);
            out += ':';
            if (!append_json(out, entry.value)) return false;
        }
        out += '}';
        return true;
    case Kind::integer:
    case Kind::number: break;
    }
    auto const number = number_text(node);
    if (number) out += *number;
    return number.has_value();
}

void fill_number(NumberOperand& operand, std::string text) {
    operand.text = std::move(text);
    operand.decimal = Decimal{operand.text};
    operand.nearest = nearest_double(operand.text, operand.decimal);
    operand.is_whole = operand.decimal.whole(operand.whole);
}

bool add_constant(ConstantSet& set, Node const& node) {
    set.kinds |= kind_of(node.kind());
    ++set.count;
    switch (node.kind()) {
    case Kind::null: set.has_null = true; return true;
    case Kind::boolean: (node.as_boolean() ? set.has_true : set.has_false) = true; return true;
    case Kind::string: set.strings.add(node.text()); return true;
    default: break;
    }
    if (auto const number = number_text(node)) {
        std::int64_t value = 0;
        Decimal const decimal{*number};
        if (decimal.whole(value)) set.integers.add(value);
        if (!decimal.is_integer()) set.has_fractions = true;
    }
    std::string text;
    if (!append_canonical(text, node)) return false;
    set.canonical.add(value_hash::kept(hash_of(node)), std::move(text));
    return true;
}

void finish(ConstantSet& set) {
    set.integers.build();
    set.strings.build();
    set.canonical.build();
}

} // namespace sallyport::contract
