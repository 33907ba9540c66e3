// Finds names of a query that some parsers take for a declared parameter.
#include "gateway/contract/evaluate/query_names.h"

#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/evaluate/query_owner.h"
#include "gateway/text/ascii.h"
#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace sallyport::contract {

namespace {

// Decodes any name once: some parsers accept a name that is not UTF-8.
void decode_name(std::string_view raw, std::string& out) {
    out.clear();
    for (std::size_t at = 0; at < raw.size(); ++at) {
        int const byte = text::escaped_byte(raw, at);
        if (byte >= 0) {
            out += static_cast<char>(byte);
            at += 2;
        } else {
            out += raw[at] == '+' ? ' ' : raw[at];
        }
    }
}

// The number of bytes of an invisible character at one end of a name, which parsers may cut off:
// white space and control characters, also of Unicode, and characters without width. 0: none.
enum class End : std::uint8_t { front, back };
std::size_t unseen_bytes(std::string_view name, End end) noexcept {
    if (name.empty()) return 0;
    char const c = end == End::front ? name.front() : name.back();
    if ((c >= 0 && c <= ' ') || c == '\x7f') return 1;
    if (c >= 0) return 0;
    // All others have two or three bytes.
    for (std::size_t const size : {std::size_t{2}, std::size_t{3}}) {
        if (name.size() < size) break;
        auto const bytes =
            end == End::front ? name.substr(0, size) : name.substr(name.size() - size);
        if (text::utf8_length(bytes) != size) continue;
        char32_t const one = text::first_code_point(bytes);
        bool const is_unseen =
            (one >= 0x80 && one <= 0xA0) || one == 0xAD || one == 0x1680 || one == 0x180E
            || (one >= 0x2000 && one <= 0x200F) || (one >= 0x2028 && one <= 0x202F)
            || (one >= 0x205F && one <= 0x206F) || one == 0x3000 || one == 0xFEFF;
        return is_unseen ? size : 0;
    }
    return 0;
}

// Cuts the name at a NUL, and removes invisible characters at both ends.
std::string_view trim(std::string_view name) noexcept {
    name = name.substr(0, name.find('\0'));
    while (std::size_t const size = unseen_bytes(name, End::front))
        name.remove_prefix(size);
    while (std::size_t const size = unseen_bytes(name, End::back))
        name.remove_suffix(size);
    return name;
}

// As PHP converts names of variables, and in lower case.
constexpr char folded(char c) {
    if (c == ' ' || c == '.' || c == '[') return '_';
    return text::to_lower(c);
}

bool is_alike(std::string_view name, std::string_view other) noexcept {
    return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                      [](char a, char b) { return folded(a) == folded(b); });
}

enum class Dots : std::uint8_t { are_letters, part };

// The parts of a name as parsers of nested names split it: `a[b][]` has the parts a and b, and for
// some parsers so has `a.b`. Empty parts are skipped, so that the brackets of a list add none;
// white space around parts is ignored.
class Parts {
public:
    Parts(std::string_view name, Dots dots)
        : rest_{name}, marks_{dots == Dots::part ? "[]." : "[]"} {}

    // Empty: there are no more parts.
    std::string_view next() noexcept {
        while (!rest_.empty()) {
            auto const end = std::min(rest_.find_first_of(marks_), rest_.size());
            auto const part = trim(rest_.substr(0, end));
            rest_.remove_prefix(std::min(end + 1, rest_.size()));
            if (!part.empty()) return part;
        }
        return {};
    }

private:
    std::string_view rest_;
    std::string_view marks_;
};

enum class Relation : std::uint8_t { other, same, within };

// How a name is related to the declared name that consists of the given pieces: `within` means that
// it has all its parts, and further ones after them.
Relation compare(std::string_view name, std::initializer_list<std::string_view> declared,
                 Dots dots) noexcept {
    Parts parts{name, dots};
    bool has_any = false;
    for (std::string_view const piece : declared) {
        Parts wanted{piece, dots};
        for (auto part = wanted.next(); !part.empty(); part = wanted.next()) {
            if (!is_alike(parts.next(), part)) return Relation::other;
            has_any = true;
        }
    }
    if (!has_any) return Relation::other;
    return parts.next().empty() ? Relation::same : Relation::within;
}

// Whether parsers that split at dots find something below a name: not for a string or a number.
enum class Nests : std::uint8_t { no, yes };

// `name` is decoded; `declared` is the name of the parameter's pairs, or its beginning.
bool may_be_read_as(std::string_view name, std::string_view declared, Nests nests) noexcept {
    auto const plain = trim(name);
    if (is_alike(plain, declared)) return true;
    if (compare(plain, {declared}, Dots::are_letters) != Relation::other) return true;
    auto const relation = compare(plain, {declared}, Dots::part);
    return relation == Relation::same || (relation == Relation::within && nests == Nests::yes);
}

bool may_be_read_as(std::string_view name, Parameter const& parameter) noexcept {
    if (!parameter.is_spread()) {
        bool const nests = parameter.shape != ParameterShape::value
                           && parameter.shape != ParameterShape::json;
        return may_be_read_as(name, parameter.name, nests ? Nests::yes : Nests::no);
    }
    // Its properties have their own names in the query; some parsers also accept them after its
    // name.
    auto const plain = trim(name);
    return std::any_of(
        parameter.members.begin(), parameter.members.end(), [&](Parameter::Member const& member) {
            return may_be_read_as(name, member.name, Nests::no)
                   || compare(plain, {parameter.name, member.name}, Dots::part) != Relation::other;
        });
}

// `name[Member]` if there is a `member`: an undeclared property for the contract, the declared one
// for parsers that ignore letter case.
bool has_twin_of_member(std::string_view name, Parameter const& parameter) noexcept {
    if (parameter.is_spread() || parameter.shape != ParameterShape::object) return false;
    if (!parameter.deep.empty()) return false; // DeepValue compares the names
    auto const begin = parameter.name.size() + 1;
    bool const is_one = name.size() > begin && name.find_first_of("[]", begin) == name.size() - 1;
    if (!is_one) return false; // malformed: check_query() reports it
    auto const own = name.substr(begin, name.size() - 1 - begin);
    auto const& members = parameter.members;
    auto const is_named_so = [own](Parameter::Member const& member) { return member.name == own; };
    auto const is_twin = [own](Parameter::Member const& member) {
        return is_alike(trim(own), member.name);
    };
    return std::none_of(members.begin(), members.end(), is_named_so)
           && std::any_of(members.begin(), members.end(), is_twin);
}

// Calls `visit` with hashes of the name until it returns true: names that have none in common are
// different for all parsers. The hashes are those of the whole name and of its beginning up to the
// first bracket, or bracket or dot. `plain` is trimmed if it is not a declared name.
template <class Visit>
void each_key(std::string_view plain, Visit const& visit) noexcept {
    auto const key_of = [](std::string_view text, std::uint32_t seed) {
        std::uint32_t hash = seed; // FNV-1a
        for (char const c : text)
            hash = (hash ^ static_cast<unsigned char>(folded(c))) * 0x0100'0193U;
        return hash;
    };
    if (!visit(key_of(plain, 0x811C'9DC5U))) return;
    if (!visit(key_of(Parts{plain, Dots::are_letters}.next(), 0x811C'9DC6U))) return;
    visit(key_of(Parts{plain, Dots::part}.next(), 0x811C'9DC7U));
}

bool may_be_lookalike(QueryIndex const& index, std::string_view name) noexcept {
    bool is_met = false;
    each_key(trim(name), [&](std::uint32_t key) {
        is_met = std::binary_search(index.lookalikes.begin(), index.lookalikes.end(), key);
        return !is_met;
    });
    return is_met;
}

// Whether it is separated by `&`: otherwise its value was not validated either.
enum class Parted : std::uint8_t { by_ampersand, by_semicolon };

Parameter const* find_disguised_name(PairParameters const& pairs, std::string_view name,
                                     Parted parted) {
    if (name.empty()) return nullptr;
    auto const& declared = pairs.query_parameters;
    // The value of a pair with a declared name is validated by check_query().
    if (parted == Parted::by_ampersand) {
        auto const owner = find_named(pairs, name);
        if (owner && !has_twin_of_member(name, declared[owner->at])) return nullptr;
    }
    if (!may_be_lookalike(pairs.query_index, name)) return nullptr;
    auto const found =
        std::find_if(declared.begin(), declared.end(), [name](Parameter const& parameter) {
            return may_be_read_as(name, parameter);
        });
    return found == declared.end() ? nullptr : &*found;
}

} // namespace

bool is_read_alike(std::string_view name, std::string_view declared) noexcept {
    return is_alike(trim(name), declared);
}

void append_lookalikes(Parameter const& parameter, std::vector<std::uint32_t>& out) {
    auto const add = [&out](std::string_view name) {
        each_key(name, [&out](std::uint32_t key) {
            out.push_back(key);
            return true;
        });
    };
    add(parameter.name);
    if (!parameter.is_spread()) return;
    for (Parameter::Member const& member : parameter.members)
        add(member.name);
}

Parameter const* find_disguised(PairParameters const& pairs, std::string_view query,
                                std::string& scratch) {
    auto parted = Parted::by_ampersand;
    while (!query.empty()) {
        auto const end = std::min(query.find_first_of("&;"), query.size());
        auto const pair = query.substr(0, end);
        decode_name(pair.substr(0, pair.find('=')), scratch);
        auto const* const found = find_disguised_name(pairs, scratch, parted);
        if (found != nullptr) return found;
        bool const is_semicolon = end < query.size() && query[end] == ';';
        parted = is_semicolon ? Parted::by_semicolon : Parted::by_ampersand;
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return nullptr;
}

bool is_disguised(PairParameters const& pairs, std::string_view name) {
    return find_disguised_name(pairs, name, Parted::by_ampersand) != nullptr;
}

} // namespace sallyport::contract
