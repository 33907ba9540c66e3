// Values that satisfy the schemas of an OpenAPI document.
#include "tests/support/sample_value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <regex>
#include <stdexcept>
#include <string_view>

namespace sallyport::test {

namespace {

Json const* find(Json const& node, std::string_view name) {
    for (auto const& member : node.members) {
        if (member.name == name) return &member.value;
    }
    return nullptr;
}

bool is_true(Json const* node) {
    return node != nullptr && node->boolean;
}

std::string text_of_number(double number) {
    std::array<char, 64> text{};
    auto const length = std::snprintf(text.data(), text.size(), "%.15g", number);
    return {text.data(), static_cast<std::size_t>(length)};
}

// A scalar in JSON.
std::string text_of(Json const& value) {
    switch (value.kind) {
    case Json::Kind::null: return "null";
    case Json::Kind::boolean: return value.boolean ? "true" : "false";
    case Json::Kind::number: return text_of_number(value.number);
    case Json::Kind::string: return quoted(value.string);
    default: throw std::runtime_error{"no scalar"};
    }
}

struct Sample {
    std::string_view format;
    std::string_view text;
};
constexpr std::array samples{
    Sample{"uuid", "0b1c2d3e-0000-4000-8000-00000000000f"},
    Sample{"date-time", "2026-01-02T03:04:05Z"},
    Sample{"date", "2026-01-02"},
    Sample{"email", "somebody@example.com"},
    Sample{"hostname", "host.example.com"},
    Sample{"uri", "https://example.com/a"},
    Sample{"", "a"},
    Sample{"", "5m"},
    Sample{"", "Aa0bbbbbbbbbbbbbbbbbbbbb"},
    Sample{"", "0b1c2d3e-0000-4000-8000-00000000000f"},
    Sample{"", "2026-01-02T03:04:05Z"},
};

} // namespace

struct Samples::Merged {
    std::vector<Json const*> parts;

    [[nodiscard]] Json const* find_last(std::string_view keyword) const {
        Json const* found = nullptr;
        for (Json const* const part : parts) {
            if (Json const* const one = find(*part, keyword)) found = one;
        }
        return found;
    }
    [[nodiscard]] double number(std::string_view keyword, double otherwise) const {
        Json const* const found = find_last(keyword);
        return found != nullptr && found->kind == Json::Kind::number ? found->number : otherwise;
    }
    [[nodiscard]] std::string type() const {
        Json const* const found = find_last("type");
        if (found == nullptr) return find_last("properties") != nullptr ? "object" : "string";
        if (found->kind == Json::Kind::string) return found->string;
        for (Json const& item : found->items) {
            if (item.string != "null") return item.string;
        }
        return "null";
    }
    [[nodiscard]] bool takes(std::string_view text) const {
        auto const length = static_cast<double>(text.size());
        if (length < number("minLength", 0) || length > number("maxLength", 1e9)) return false;
        return std::all_of(parts.begin(), parts.end(), [text](Json const* part) {
            Json const* const pattern = find(*part, "pattern");
            return pattern == nullptr
                   || std::regex_search(std::string{text}, std::regex{pattern->string});
        });
    }
    [[nodiscard]] std::string string() const {
        Json const* const format = find_last("format");
        for (Sample const& one : samples) {
            bool const is_of_format = format != nullptr && one.format == format->string;
            if ((is_of_format || one.format.empty()) && takes(one.text)) return quoted(one.text);
        }
        return quoted(std::string(static_cast<std::size_t>(number("minLength", 1)), 'a'));
    }
    [[nodiscard]] std::string numeric(bool is_integer) const {
        double value = number("minimum", number("exclusiveMinimum", 0));
        Json const* const flag = find_last("exclusiveMinimum");
        if (flag != nullptr && (flag->kind == Json::Kind::number || flag->boolean)) {
            value += is_integer ? 1 : 0.5;
        }
        double const step = number("multipleOf", 0);
        if (step > 0) value = std::ceil(value / step) * step;
        return text_of_number(value);
    }
};

Json const& Samples::resolved(Json const& node) const {
    Json const* const reference = find(node, "$ref");
    if (reference == nullptr) return node;
    Json const* target = &document_;
    std::string_view rest = std::string_view{reference->string}.substr(2);
    while (!rest.empty()) {
        auto const end = std::min(rest.find('/'), rest.size());
        target = &(*target)[rest.substr(0, end)];
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return resolved(*target);
}

void Samples::merge(Merged& into, Json const& schema, std::size_t choice, std::size_t depth) const {
    Json const& one = resolved(schema);
    into.parts.push_back(&one);
    if (depth > 20) return;
    if (Json const* const all = find(one, "allOf")) {
        for (Json const& part : all->items)
            merge(into, part, choice, depth + 1);
    }
    for (auto const* const keyword : {"oneOf", "anyOf"}) {
        Json const* const forms = find(one, keyword);
        if (forms == nullptr) continue;
        merge(into, forms->items[choice % forms->items.size()], choice, depth + 1);
    }
}

std::string Samples::object_of(Merged const& schema, Side side, std::size_t choice,
                               std::size_t depth) const {
    std::vector<std::string> names;
    for (Json const* const part : schema.parts) {
        Json const* const required = find(*part, "required");
        if (required == nullptr) continue;
        for (Json const& name : required->items) {
            bool const is_new = std::find(names.begin(), names.end(), name.string) == names.end();
            if (is_new) names.push_back(name.string);
        }
    }
    // Members that distinguish the forms, required or not.
    for (Json const* const part : schema.parts) {
        Json const* const properties = find(*part, "properties");
        if (properties == nullptr) continue;
        for (auto const& [name, property] : properties->members) {
            Json const* const list = find(property, "enum");
            bool const is_one =
                (list != nullptr && list->items.size() == 1) || find(property, "const") != nullptr;
            bool const is_new = std::find(names.begin(), names.end(), name) == names.end();
            if (is_one && is_new) names.push_back(name);
        }
    }
    auto const least = static_cast<std::size_t>(schema.number("minProperties", 0));
    Json const* const known = schema.find_last("properties");
    for (std::size_t i = 0; known != nullptr && names.size() < least && i < known->members.size();
         ++i) {
        names.push_back(known->members[i].name);
    }
    std::string text = "{";
    for (std::string const& name : names) {
        Merged member;
        for (Json const* const part : schema.parts) {
            Json const* const properties = find(*part, "properties");
            Json const* const one = properties != nullptr ? find(*properties, name) : nullptr;
            if (one != nullptr) merge(member, *one, choice, 0);
        }
        if (side == Side::request && is_true(member.find_last("readOnly"))) continue;
        text += (text.size() > 1 ? "," : "") + quoted(name) + ":";
        static Json const anything;
        Json const* const last = member.parts.empty() ? &anything : member.parts.front();
        Json const* const constant = member.find_last("const");
        Json const* const list = member.find_last("enum");
        if (constant != nullptr) {
            text += text_of(*constant);
        } else if (list != nullptr) {
            text += text_of(list->items.front());
        } else {
            text += value(*last, side, choice, depth + 1);
        }
    }
    Json const* const additional = schema.find_last("additionalProperties");
    for (std::size_t i = names.size(); i < least && additional != nullptr; ++i) {
        text +=
            (text.size() > 1 ? ",\"other" : "\"other") + std::to_string(i) + "\":"
            + (additional->kind == Json::Kind::object ? value(*additional, side, choice, depth + 1)
                                                      : "\"a\"");
    }
    return text + "}";
}

std::string Samples::value(Json const& schema, Side side, std::size_t choice,
                           std::size_t depth) const {
    if (depth > 12) return "null";
    Merged merged;
    merge(merged, schema, choice, 0);
    if (Json const* const constant = merged.find_last("const")) return text_of(*constant);
    if (Json const* const list = merged.find_last("enum")) {
        return text_of(list->items[choice % list->items.size()]);
    }
    std::string const type = merged.type();
    if (type == "null") return "null";
    if (type == "boolean") return "true";
    if (type == "string") return merged.string();
    if (type == "integer" || type == "number") return merged.numeric(type == "integer");
    if (type == "object") return object_of(merged, side, choice, depth);
    std::string text = "[";
    Json const* const items = merged.find_last("items");
    auto const count = static_cast<std::size_t>(merged.number("minItems", 0));
    for (std::size_t i = 0; i < count && items != nullptr; ++i) {
        text += (i > 0 ? "," : "") + value(*items, side, choice, depth + 1);
    }
    return text + "]";
}

std::vector<SampleOperation> Samples::operations() const {
    std::vector<SampleOperation> found;
    for (auto const& [path, item] : document_["paths"].members) {
        for (auto const& [key, operation] : item.members) {
            if (!operation.has("operationId")) continue;
            SampleOperation one;
            one.id = operation.text("operationId");
            one.method = key;
            std::transform(key.begin(), key.end(), one.method.begin(),
                           [](char c) { return static_cast<char>(c - 'a' + 'A'); });
            one.operation = &operation;
            one.path = path;
            for (Json const* const holder : std::array{&item, &operation}) {
                Json const* const list = find(*holder, "parameters");
                if (list == nullptr) continue;
                for (Json const& parameter : list->items)
                    one.parameters.push_back(&resolved(parameter));
            }
            found.push_back(std::move(one));
        }
    }
    return found;
}

std::string Samples::target(SampleOperation const& operation) const {
    std::string path = operation.path;
    std::string query;
    for (Json const* const parameter : operation.parameters) {
        std::string const name = parameter->text("name");
        std::string text = value((*parameter)["schema"], Side::request, 0);
        if (text.front() == '"') text = text.substr(1, text.size() - 2);
        if (parameter->text("in") == "path") {
            std::string const braces = "{" + name + "}";
            path.replace(path.find(braces), braces.size(), text);
        } else if (is_true(find(*parameter, "required"))) {
            query += (query.empty() ? "?" : "&") + name + "=" + text;
        }
    }
    return path + query;
}

std::string Samples::request_body(SampleOperation const& operation, std::size_t choice) const {
    Json const* const body = find(*operation.operation, "requestBody");
    if (body == nullptr) return {};
    return value(resolved(*body)["content"]["application/json"]["schema"], Side::request, choice);
}

int Samples::status(SampleOperation const& operation) const {
    for (auto const& member : (*operation.operation)["responses"].members) {
        if (member.name.front() == '2') return std::stoi(member.name);
    }
    return 200;
}

std::string Samples::response_type(SampleOperation const& operation) const {
    auto const& responses = (*operation.operation)["responses"];
    Json const* const response = find(responses, std::to_string(status(operation)));
    Json const* const content =
        response != nullptr ? find(resolved(*response), "content") : nullptr;
    bool const is_json = content == nullptr || content->members.empty()
                         || find(*content, "application/json") != nullptr;
    return is_json ? "application/json" : content->members.front().name;
}

std::string Samples::response_body(SampleOperation const& operation, std::size_t choice) const {
    auto const& responses = (*operation.operation)["responses"];
    Json const* const response = find(responses, std::to_string(status(operation)));
    Json const* const content =
        response != nullptr ? find(resolved(*response), "content") : nullptr;
    Json const* const json = content != nullptr ? find(*content, "application/json") : nullptr;
    return json != nullptr ? value((*json)["schema"], Side::response, choice) : std::string{};
}

} // namespace sallyport::test
