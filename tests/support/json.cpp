// Copies simdjson's strict parse into plain values.
#include "tests/support/json.h"

#include <cmath>
#include <stdexcept>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <simdjson.h>
#pragma GCC diagnostic pop

namespace sallyport::test {
namespace {

using simdjson::dom::element_type;

Json copy(simdjson::dom::element const& from) {
    Json to;
    switch (from.type()) {
    case element_type::NULL_VALUE: break;
    case element_type::BOOL:
        to.kind = Json::Kind::boolean;
        to.boolean = bool(from);
        break;
    case element_type::INT64:
        to.kind = Json::Kind::number;
        to.number = static_cast<double>(std::int64_t(from));
        break;
    case element_type::UINT64:
        to.kind = Json::Kind::number;
        to.number = static_cast<double>(std::uint64_t(from));
        break;
    case element_type::DOUBLE:
        to.kind = Json::Kind::number;
        to.number = double(from);
        break;
    case element_type::STRING:
        to.kind = Json::Kind::string;
        to.string = std::string_view(from);
        break;
    case element_type::ARRAY:
        to.kind = Json::Kind::array;
        for (auto const item : simdjson::dom::array(from))
            to.items.push_back(copy(item));
        break;
    case element_type::OBJECT:
        to.kind = Json::Kind::object;
        for (auto const [name, value] : simdjson::dom::object(from))
            to.members.push_back({std::string{name}, copy(value)});
        break;
    }
    return to;
}

} // namespace

Json Json::parse(std::string_view text) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    if (auto const error = parser.parse(text.data(), text.size()).get(root))
        throw std::runtime_error("not JSON (" + std::string{simdjson::error_message(error)}
                                 + "): " + std::string{text.substr(0, 500)});
    return copy(root);
}

bool Json::has(std::string_view name) const {
    for (auto const& member : members)
        if (member.name == name) return true;
    return false;
}

Json const& Json::operator[](std::string_view name) const {
    for (auto const& member : members)
        if (member.name == name) return member.value;
    throw std::runtime_error("no member " + std::string{name});
}

Json const& Json::operator[](std::size_t index) const {
    return items.at(index);
}

std::string Json::text(std::string_view name) const {
    if (!has(name)) return {};
    auto const& value = (*this)[name];
    if (value.kind == Kind::number && std::floor(value.number) == value.number)
        return std::to_string(static_cast<long long>(value.number));
    return value.string;
}

std::vector<std::string> Json::names() const {
    std::vector<std::string> names;
    for (auto const& member : members)
        names.push_back(member.name);
    return names;
}

std::string quoted(std::string_view text) {
    std::string literal = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') literal += '\\';
        literal += c;
    }
    return literal + '"';
}

} // namespace sallyport::test
