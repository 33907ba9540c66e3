// JSON values as a plain tree.
#include "tests/fuzz/plain_value.h"

#include <algorithm>

namespace sallyport::fuzz {

Value const* Value::find(std::string const& wanted) const {
    for (auto const& [name, value] : members) {
        if (name == wanted) return &value;
    }
    return nullptr;
}

bool is_equal(Value const& left, Value const& right) {
    if (left.kind != right.kind) return false;
    switch (left.kind) {
    case Value::Kind::null: return true;
    case Value::Kind::boolean: return left.boolean == right.boolean;
    case Value::Kind::number: return left.number == right.number;
    case Value::Kind::string: return left.text == right.text;
    case Value::Kind::array:
        return std::equal(left.items.begin(), left.items.end(), right.items.begin(),
                          right.items.end(), is_equal);
    case Value::Kind::object: break;
    }
    return left.members.size() == right.members.size()
           && std::all_of(left.members.begin(), left.members.end(), [&right](Member const& member) {
                  Value const* const other = right.find(member.name);
                  return other != nullptr && is_equal(member.value, *other);
              });
}

namespace {

// Texts hold no quotes, backslashes or control characters.
void append_string(std::string& out, std::string const& text) {
    out += '"';
    out += text;
    out += '"';
}

} // namespace

void append_json(std::string& out, Value const& value) {
    switch (value.kind) {
    case Value::Kind::null: out += "null"; return;
    case Value::Kind::boolean: out += value.boolean ? "true" : "false"; return;
    case Value::Kind::number: out += value.text; return;
    case Value::Kind::string: return append_string(out, value.text);
    case Value::Kind::array:
        out += '[';
        for (Value const& item : value.items) {
            if (out.back() != '[') out += ',';
            append_json(out, item);
        }
        out += ']';
        return;
    case Value::Kind::object: break;
    }
    out += '{';
    for (auto const& [name, member] : value.members) {
        if (out.back() != '{') out += ',';
        append_string(out, name);
        out += ':';
        append_json(out, member);
    }
    out += '}';
}

Value number_value(long mantissa, int exponent, unsigned style) {
    Value value;
    value.kind = Value::Kind::number;
    boost::multiprecision::cpp_int power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i)
        power *= 10;
    Number const whole{boost::multiprecision::cpp_int{mantissa}};
    value.number = exponent < 0 ? Number{whole / Number{power}} : Number{whole * Number{power}};
    std::string digits = std::to_string(mantissa);
    if (style == 1 || exponent < 0) {
        value.text = digits + "e" + std::to_string(exponent);
    } else {
        value.text =
            digits + (mantissa == 0 ? "" : std::string(static_cast<std::size_t>(exponent), '0'));
        if (style == 2) value.text += ".0";
    }
    return value;
}

Value string_value(std::string text) {
    Value value;
    value.kind = Value::Kind::string;
    value.text = std::move(text);
    return value;
}

Value boolean_value(bool flag) {
    Value value;
    value.kind = Value::Kind::boolean;
    value.boolean = flag;
    return value;
}

} // namespace sallyport::fuzz
