// JSON values to write: see json_value.h.
#include "config/json_value.h"

#include <charconv>
#include <cmath>

namespace sallyport::config {

namespace {

void append_escaped(std::string& out, std::string_view text) {
    static constexpr std::string_view digits = "0123456789abcdef";
    out += '"';
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            out += "\\u00";
            out += digits[byte >> 4U];
            out += digits[byte & 0xFU];
        } else {
            out += c;
        }
    }
    out += '"';
}

class Printer {
public:
    explicit Printer(Layout layout) : layout_{layout} {}

    void append(JsonValue const& value) {
        switch (value.kind) {
        case JsonValue::Kind::literal: out_ += value.text; return;
        case JsonValue::Kind::string: append_escaped(out_, value.text); return;
        case JsonValue::Kind::array: append_array(value); return;
        case JsonValue::Kind::object: append_object(value); return;
        }
    }
    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    void append_array(JsonValue const& value) {
        out_ += '[';
        // Lists of scalars stay on one line: they are read as one thing.
        Layout const outer = layout_;
        if (is_flat(value)) layout_ = Layout::one_line;
        ++depth_;
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            separate(i);
            append(value.items[i]);
        }
        --depth_;
        if (!value.items.empty()) end_line();
        layout_ = outer;
        out_ += ']';
    }

    void append_object(JsonValue const& value) {
        out_ += '{';
        ++depth_;
        for (std::size_t i = 0; i < value.members.size(); ++i) {
            separate(i);
            append_escaped(out_, value.members[i].name);
            out_ += layout_ == Layout::indented ? ": " : ":";
            append(value.members[i].value);
        }
        --depth_;
        if (!value.members.empty()) end_line();
        out_ += '}';
    }

    static bool is_flat(JsonValue const& array) {
        for (JsonValue const& item : array.items) {
            if (item.kind == JsonValue::Kind::object || item.kind == JsonValue::Kind::array)
                return false;
        }
        return true;
    }

    void separate(std::size_t index) {
        if (index > 0) out_ += ',';
        end_line();
    }
    void end_line() {
        if (layout_ == Layout::indented) out_ += '\n' + std::string(2 * depth_, ' ');
    }

    std::string out_;
    std::size_t depth_ = 0;
    Layout layout_;
};

// RFC 8259, 6: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view text) {
    std::size_t at = 0;
    auto const digits = [&] {
        std::size_t const begin = at;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9')
            ++at;
        return at - begin;
    };
    if (at < text.size() && text[at] == '-') ++at;
    std::size_t const first = at;
    std::size_t const count = digits();
    if (count == 0 || (count > 1 && text[first] == '0')) return false;
    if (at < text.size() && text[at] == '.') {
        ++at;
        if (digits() == 0) return false;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        if (digits() == 0) return false;
    }
    return at == text.size();
}

JsonValue literal(std::string text) {
    return {JsonValue::Kind::literal, std::move(text), {}, {}};
}

JsonValue json_number(yaml::Node const& node) {
    if (is_json_number(node.text())) return literal(node.text());
    if (node.is_integer()) return json_integer(node.as_integer()); // 0x1F, +5
    if (!std::isfinite(node.as_number())) return json_text(node.text());
    std::string text(32, '\0'); // .5, 1.
    auto const end = std::to_chars(text.data(), text.data() + text.size(), node.as_number()).ptr;
    text.resize(static_cast<std::size_t>(end - text.data()));
    return literal(std::move(text));
}

} // namespace

JsonValue& JsonValue::add(std::string_view name, JsonValue value) {
    members.push_back({std::string{name}, std::move(value)});
    return *this;
}

JsonValue json_object() {
    return {JsonValue::Kind::object, {}, {}, {}};
}

JsonValue json_array(std::vector<JsonValue> items) {
    return {JsonValue::Kind::array, {}, std::move(items), {}};
}

JsonValue json_text(std::string_view text) {
    return {JsonValue::Kind::string, std::string{text}, {}, {}};
}

JsonValue json_integer(std::int64_t number) {
    return literal(std::to_string(number));
}

JsonValue json_boolean(bool value) {
    return literal(value ? "true" : "false");
}

JsonValue json_of(yaml::Node const& node) {
    switch (node.kind()) {
    case yaml::Kind::null: return literal("null");
    case yaml::Kind::boolean: return json_boolean(node.as_boolean());
    case yaml::Kind::integer:
    case yaml::Kind::number: return json_number(node);
    case yaml::Kind::string: return json_text(node.text());
    case yaml::Kind::sequence: {
        JsonValue out = json_array();
        for (yaml::Node const& item : node.items())
            out.items.push_back(json_of(item));
        return out;
    }
    case yaml::Kind::mapping: break;
    }
    JsonValue out = json_object();
    for (yaml::Entry const& entry : node.entries())
        out.add(entry.key, json_of(entry.value));
    return out;
}

std::string print(JsonValue const& value, Layout layout) {
    Printer printer{layout};
    printer.append(value);
    return printer.take();
}

} // namespace sallyport::config
