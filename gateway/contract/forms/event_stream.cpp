// Reads events of text/event-stream.
#include "gateway/contract/forms/event_stream.h"

#include "gateway/contract/schema/constants.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <optional>

namespace sallyport::contract {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// The fields of one event.
struct Event {
    std::optional<std::string> data;
    std::optional<std::string_view> type;
    std::optional<std::string_view> id;
    std::optional<std::string_view> retry;
};

[[nodiscard]] std::string_view trim(std::string_view text) noexcept {
    auto const is_space = [](char c) { return c == ' ' || text::is_control(c); };
    while (!text.empty() && is_space(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_space(text.back()))
        text.remove_suffix(1);
    return text;
}

// Some readers compare without case, or without white space around a name.
[[nodiscard]] bool is_disguised(std::string_view name) noexcept {
    constexpr std::array<std::string_view, 4> fields{"data", "event", "id", "retry"};
    return std::any_of(fields.begin(), fields.end(), [tight = trim(name)](std::string_view field) {
        return text::equals_ignoring_case(tight, field);
    });
}

[[nodiscard]] Malformed keep(std::optional<std::string_view>& field, std::string_view value) {
    if (field) return Malformed::duplicate_field;
    field = value;
    return Malformed::none;
}

// HTML Living Standard, 9.2.6: one line that is not blank. A comment is a field without a name.
[[nodiscard]] Malformed take_line(std::string_view line, Event& event) {
    if (line.starts_with(byte_order_mark)) return Malformed::byte_order_mark;
    auto const colon = std::min(line.find(':'), line.size());
    auto const name = line.substr(0, colon);
    auto value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") return keep(event.type, value);
    if (name == "id") return keep(event.id, value);
    if (name == "retry") return keep(event.retry, value);
    if (name != "data") return is_disguised(name) ? Malformed::disguised_field : Malformed::none;
    if (event.data) {
        event.data->append(1, '\n').append(value);
    } else {
        event.data.emplace(value);
    }
    return Malformed::none;
}

// The digits of an integer as JSON; empty: the value is none, and is ignored.
[[nodiscard]] std::string_view digits_of(std::string_view retry) noexcept {
    if (!std::all_of(retry.begin(), retry.end(), text::is_digit)) return {};
    while (retry.size() > 1 && retry.front() == '0')
        retry.remove_prefix(1);
    return retry;
}

void write(Event const& event, std::string& json) {
    auto const begin = [&json](std::string_view name) {
        json.append(json.empty() ? "{\"" : ",\"").append(name).append("\":");
    };
    auto const add = [&](std::string_view name, std::optional<std::string_view> value) {
        if (!value) return;
        begin(name);
        append_json_string(json, *value);
    };
    add("event", event.type);
    add("data", event.data);
    add("id", event.id);
    if (auto const digits = digits_of(event.retry.value_or("")); !digits.empty()) {
        begin("retry");
        json += digits;
    }
    if (!json.empty()) json += '}';
}

} // namespace

Malformed read_event(std::string_view lines, std::string& json) {
    json.clear();
    if (!text::is_utf8(lines)) return Malformed::invalid_utf8;
    if (lines.find('\0') != std::string_view::npos) return Malformed::nul;
    Event event;
    while (!lines.empty()) {
        auto const end = std::min(lines.find('\n'), lines.size());
        bool const has_end = end < lines.size();
        auto line = lines.substr(0, end);
        lines.remove_prefix(has_end ? end + 1 : end);
        if (has_end && line.ends_with('\r')) line.remove_suffix(1);
        if (line.find('\r') != std::string_view::npos) return Malformed::bare_cr;
        if (line.empty()) continue; // the blank line behind it
        Malformed const fault = take_line(line, event);
        if (fault != Malformed::none) return fault;
    }
    write(event, json);
    return Malformed::none;
}

} // namespace sallyport::contract
