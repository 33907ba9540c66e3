// The names of style deepObject with several pairs of brackets, by the schemas of their values.
// OpenAPI 3.1, 4.8.12.3 leaves them undefined; what clients send is `name[a][b]`, `name[a][]` and
// `name[a][0][b]`.
#include "gateway/contract/schema/accepted.h"

#include "config/text.h"

#include <map>
#include <utility>

namespace sallyport::contract {

namespace {

constexpr unsigned nested = value_bits::array | value_bits::object;
constexpr unsigned plain = value_bits::any & ~(nested | value_bits::null);
constexpr std::size_t max_parts = 10'000; // of one parameter

class DeepNames {
public:
    DeepNames(Program const& program, std::vector<DeepPart>& parts)
        : program_{program}, parts_{parts} {}

    // The part of a value with these schemas. A schema that refers to itself leads back to its part.
    std::uint32_t add(PropertyKinds kinds, std::string const& what) {
        Key key;
        for (auto const& [node, effect] : kinds.schemas)
            key.emplace_back(node, effect);
        auto const at = static_cast<std::uint32_t>(parts_.size());
        auto const [known, is_new] = known_.emplace(std::move(key), at);
        if (!is_new) return known->second;
        DeepPart& part = parts_.emplace_back();
        if (parts_.size() > max_parts) fail("the parameter has too many names");
        part.part = std::move(kinds.part);
        unsigned accepted = kinds.kinds.accepted;
        // Of the two only what a schema describes: any other value is read in the same way.
        unsigned const described = accepted & kinds.kinds.named & nested;
        if (described != 0) accepted = (accepted & ~nested) | described;
        part.takes_value = !kinds.may_be_nested || (accepted & plain) != 0;
        part.takes_list = kinds.may_be_nested && (accepted & value_bits::array) != 0;
        part.takes_object = kinds.may_be_nested && (accepted & value_bits::object) != 0;
        // `name[0]` would be either.
        if (part.takes_list && part.takes_object) fail(what + " may be a list or an object");
        if (fault) return at;
        if (parts_[at].takes_list) add_items(at, kinds.schemas, what);
        if (parts_[at].takes_object) add_members(at, kinds.schemas, what);
        return at;
    }

    std::optional<std::string> fault;

private:
    using Key = std::vector<std::pair<NodeIndex, Effect>>;

    void fail(std::string what) {
        if (!fault) fault = std::move(what);
    }

    void add_items(std::uint32_t at, std::vector<SchemaInPlace> const& schemas,
                   std::string const& what) {
        auto items = read_all_items(program_, schemas);
        if (!items) return fail(what + " has items of different schemas");
        auto const others = add(std::move(*items), "an item of " + what);
        parts_[at].others = others;
    }

    void add_members(std::uint32_t at, std::vector<SchemaInPlace> const& schemas,
                     std::string const& what) {
        ObjectKinds object = read_properties(program_, schemas);
        for (PropertyKinds& one : object.members) {
            std::string name = one.name;
            std::string const shown = "the property " + config::in_quotes(name);
            auto const part = add(std::move(one), shown);
            parts_[at].members.emplace_back(std::move(name), part);
        }
        for (PropertyKinds& one : object.patterns) {
            auto const pattern = one.pattern;
            auto const part = add(std::move(one), "a property that matches a pattern");
            parts_[at].patterns.emplace_back(pattern, part);
        }
        auto const others = add(std::move(object.others), "an additional property of " + what);
        parts_[at].others = others;
    }

    Program const& program_;
    std::vector<DeepPart>& parts_;
    std::map<Key, std::uint32_t> known_;
};

} // namespace

bool has_deep_names(Program const& program, std::vector<SchemaInPlace> const& schemas) {
    PropertyKinds const value = kinds_of(program, schemas);
    if (!value.may_be_nested) return false;
    constexpr unsigned object = value_bits::object | value_bits::null;
    if ((value.kinds.accepted & ~object) != 0) return true;
    Parameter flat;
    return read_members(program, schemas, flat).has_value();
}

std::optional<std::string> read_deep_names(Program const& program,
                                           std::vector<SchemaInPlace> const& schemas,
                                           Parameter& parameter) {
    DeepNames names{program, parameter.deep};
    (void)names.add(kinds_of(program, schemas), "the value");
    bool const is_list = parameter.deep.front().takes_list;
    parameter.shape = is_list ? ParameterShape::list : ParameterShape::object;
    return names.fault;
}

} // namespace sallyport::contract
