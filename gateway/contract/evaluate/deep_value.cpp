// Nested names of style deepObject: see deep_value.h.
#include "gateway/contract/evaluate/deep_value.h"

#include "gateway/contract/evaluate/query_names.h"
#include "gateway/text/digits.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sallyport::contract {

namespace {

[[nodiscard]] std::optional<std::size_t> index_from(std::string_view text) noexcept {
    constexpr std::size_t longest = 4;
    if (text.size() > longest) return std::nullopt;
    return text::parse_digits<std::size_t>(text);
}

// Takes `[segment]` from the front; nullopt: it does not begin so.
[[nodiscard]] std::optional<std::string_view> take_segment(std::string_view& path) noexcept {
    if (path.front() != '[') return std::nullopt;
    auto const end = path.find_first_of("[]", 1);
    if (end == std::string_view::npos || path[end] != ']') return std::nullopt;
    auto const segment = path.substr(1, end - 1);
    path.remove_prefix(end + 1);
    return segment;
}

} // namespace

std::uint32_t DeepValue::add_child(std::uint32_t at, std::uint32_t part) {
    auto const child = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back().part = part;
    nodes_[at].children.push_back(child);
    return child;
}

// `[]` is one more item; an index is that of an item, or of the next one. `[][a]` is not read:
// whether it begins another item differs from reader to reader.
DeepFault DeepValue::find_item(std::uint32_t at, DeepPart const& part, std::string_view index,
                               bool is_last, std::uint32_t& child) {
    auto const& children = nodes_[at].children;
    bool const has_index = !index.empty();
    auto const names = has_index ? ItemNames::indexes : ItemNames::brackets;
    if (!children.empty() && nodes_[at].items != names) return DeepFault::style;
    nodes_[at].items = names;
    if (!has_index && !is_last) return DeepFault::style;
    auto const wanted = has_index ? index_from(index) : std::optional{children.size()};
    if (!wanted || *wanted > children.size()) return DeepFault::style;
    child = *wanted < children.size() ? children[*wanted] : add_child(at, part.others);
    return DeepFault::none;
}

DeepFault DeepValue::find_property(std::uint32_t at, DeepPart const& part, std::string_view name,
                                   Undeclared const& undeclared, std::uint32_t& child) {
    if (name.empty()) return DeepFault::style;
    auto const& children = nodes_[at].children;
    auto const known = std::find_if(children.begin(), children.end(),
                                    [&](std::uint32_t one) { return nodes_[one].name == name; });
    if (known != children.end()) {
        child = *known;
        return DeepFault::none;
    }
    auto const declared = std::find_if(part.members.begin(), part.members.end(),
                                       [name](auto const& one) { return one.first == name; });
    bool const is_declared = declared != part.members.end();
    // An upstream may take it for the declared one, whose rules it does not satisfy.
    bool const is_twin =
        !is_declared && std::any_of(part.members.begin(), part.members.end(), [name](auto const& one) {
            return is_read_alike(name, one.first);
        });
    if (is_twin) return DeepFault::look_alike;
    child = add_child(at, is_declared ? declared->second : undeclared(part, name));
    nodes_[child].name = name;
    return DeepFault::none;
}

// A value at a name without further brackets. Clients that know no brackets for lists repeat the
// name (`a=1&a=2`), and so does one item stand there.
DeepFault DeepValue::add_at_name(std::uint32_t at, std::vector<DeepPart> const& parts,
                                 std::string_view text, Lists lists) {
    DeepPart const& part = parts[nodes_[at].part];
    bool const is_first = nodes_[at].kind == Kind::none;
    if (part.takes_value && is_first) {
        nodes_[at].kind = Kind::value;
        nodes_[at].text = text;
        return DeepFault::none;
    }
    bool const may_repeat =
        part.takes_list && lists != Lists::strict && parts[part.others].takes_value;
    bool const is_one = nodes_[at].kind == Kind::value;
    if (!may_repeat) return is_one ? DeepFault::duplicate : DeepFault::style;
    bool const is_list =
        nodes_[at].kind == Kind::list && nodes_[at].items == ItemNames::repeated;
    if (!is_first && !is_one && !is_list) return DeepFault::style;
    nodes_[at].kind = Kind::list;
    nodes_[at].items = ItemNames::repeated;
    auto const add_item = [&](std::string item) {
        auto const child = add_child(at, part.others);
        nodes_[child].kind = Kind::value;
        nodes_[child].text = std::move(item);
    };
    if (is_one) add_item(std::exchange(nodes_[at].text, {}));
    add_item(std::string{text});
    return DeepFault::none;
}

DeepFault DeepValue::add(std::vector<DeepPart> const& parts, std::string_view path,
                         std::string_view text, Lists lists, Undeclared const& undeclared) {
    if (nodes_.empty()) nodes_.emplace_back();
    std::uint32_t at = 0;
    for (std::size_t depth = 0; !path.empty(); ++depth) {
        if (depth == max_deep_brackets) return DeepFault::style;
        auto const segment = take_segment(path);
        DeepPart const& part = parts[nodes_[at].part];
        if (!segment || !(part.takes_list || part.takes_object)) return DeepFault::style;
        Kind const kind = part.takes_list ? Kind::list : Kind::object;
        if (nodes_[at].kind != Kind::none && nodes_[at].kind != kind) return DeepFault::style;
        nodes_[at].kind = kind;
        std::uint32_t child = 0;
        DeepFault const fault = part.takes_list
                                    ? find_item(at, part, *segment, path.empty(), child)
                                    : find_property(at, part, *segment, undeclared, child);
        if (fault != DeepFault::none) return fault;
        at = child;
    }
    return add_at_name(at, parts, text, lists);
}

} // namespace sallyport::contract
