// JSON values to write: documents of the configuration as JSON, and the schema of the
// configuration.
#pragma once

#include "config/yaml.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {

struct JsonMember;

/// A value that is written. Members keep their order.
struct JsonValue {
    enum class Kind : std::uint8_t { literal, string, array, object };

    Kind kind = Kind::object;
    std::string text; // of a literal as JSON writes it; of a string its value
    std::vector<JsonValue> items;
    std::vector<JsonMember> members;

    /// Adds a member to an object; gives the object.
    JsonValue& add(std::string_view name, JsonValue value);
};

struct JsonMember {
    std::string name;
    JsonValue value;
};

[[nodiscard]] JsonValue json_object();
[[nodiscard]] JsonValue json_array(std::vector<JsonValue> items = {});
[[nodiscard]] JsonValue json_text(std::string_view text);
[[nodiscard]] JsonValue json_integer(std::int64_t number);
[[nodiscard]] JsonValue json_boolean(bool value);

/// The value of a node. Numbers keep their digits where JSON can write them; what JSON has no
/// number for (`.inf`, `.nan`) becomes its text.
[[nodiscard]] JsonValue json_of(yaml::Node const& node);

enum class Layout : std::uint8_t { one_line, indented };

/// RFC 8259. Texts must be UTF-8.
[[nodiscard]] std::string print(JsonValue const& value, Layout layout = Layout::one_line);

} // namespace sallyport::config
