// Fuzzes multipart bodies and event streams. A multipart body that is accepted is exactly its parts
// and the lines between them, and no part contains what a lenient reader takes for a boundary. The
// events of a stream do not depend on how it is split, and have the fields that a plain reader
// finds. The first line of an input is the Content-Type, the rest is the body.
#include "check.h"

#include "gateway/contract/forms/event_stream.h"
#include "gateway/contract/forms/field_parameters.h"
#include "gateway/contract/forms/multipart.h"
#include "gateway/contract/forms/urlencoded.h"
#include "gateway/contract/items.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace sallyport::contract;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;

void check_part(MultipartPart const& part, std::string_view delimiter, PartNames names) {
    check(part.body.find(delimiter) == std::string_view::npos, "no boundary within a part");
    check(part.count >= (names == PartNames::required ? 1 : 0) && part.count <= max_part_fields,
          "a part has a few fields");
    for (auto const& [name, value] : part.fields()) {
        check(!name.empty() && name.find_first_of("\r\n :") == std::string_view::npos,
              "the name of a field is a token");
        check(value.find_first_of("\r\n") == std::string_view::npos, "a value is one line");
        check(sallyport::text::is_utf8(value), "a value is UTF-8");
    }
    if (names == PartNames::ignored) return check(part.name.empty(), "a name is not looked for");
    check(part.name.find_first_of("\"\\\r\n") == std::string_view::npos, "a name is in quotes");
    std::string name;
    check(decode_part_name(part.name, name) == Malformed::none, "a name is UTF-8");
}

// The texts of the events, from pieces of that size.
std::vector<std::string> split(std::string_view body, std::size_t piece) {
    std::vector<std::string> items;
    ItemSplitter splitter{BodySyntax::events};
    std::size_t begin = 0;
    for (std::size_t end = 0;;) {
        end = std::min(end + piece, body.size());
        auto const more = end < body.size() ? MoreFollow::yes : MoreFollow::no;
        while (auto const item = splitter.next(body.substr(begin, end - begin), more)) {
            check(item->size == item->text.size() && item->size > 0, "an event has its own bytes");
            items.emplace_back(item->text);
            begin += item->size;
        }
        if (more == MoreFollow::no) break;
    }
    check(begin == body.size(), "every byte belongs to an event");
    return items;
}

// As the HTML Living Standard, 9.2.6, word for word, for lines that end with LF or CR LF.
std::map<std::string, std::string> read_plainly(std::string lines) {
    std::map<std::string, std::string> fields;
    while (!lines.empty()) {
        auto const end = lines.find('\n');
        std::string line = lines.substr(0, end);
        lines = end == std::string::npos ? "" : lines.substr(end + 1);
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty() || line.front() == ':') continue;
        auto const colon = line.find(':');
        std::string const name = line.substr(0, colon);
        std::string value = colon == std::string::npos ? "" : line.substr(colon + 1);
        if (!value.empty() && value.front() == ' ') value = value.substr(1);
        if (name == "data") {
            fields["data"] += value + '\n';
        } else if (name == "event" || name == "id") {
            fields[name] = value;
        } else if (name == "retry" && !value.empty()
                   && value.find_first_not_of("0123456789") == std::string::npos) {
            auto const digits = value.find_first_not_of('0');
            fields[name] = digits == std::string::npos ? "0" : value.substr(digits);
        }
    }
    if (fields.contains("data")) fields["data"].pop_back();
    return fields;
}

void check_event(std::string const& lines) {
    std::string json;
    if (read_event(lines, json) != Malformed::none) return;
    auto const fields = read_plainly(lines);
    check(json.empty() == fields.empty(), "an event has a field");
    if (json.empty()) return;
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    // A number of any size is an integer, but not one of simdjson's.
    bool const is_small = !fields.contains("retry") || fields.at("retry").size() < 19;
    if (!is_small) return;
    check(parser.parse(json).get(object) == simdjson::SUCCESS, "an event is an object");
    check(object.size() == fields.size(), "of its fields");
    for (auto const& [name, value] : fields) {
        auto const found = object[name];
        check(name == "retry" ? std::to_string(found.get_int64().value()) == value
                              : found.get_string().value() == value,
              "which have their values");
    }
}

void check_events(std::string_view body) {
    auto const items = split(body, std::max<std::size_t>(body.size(), 1));
    for (std::size_t const piece : {1U, 2U, 3U, 7U})
        check(split(body, piece) == items, "events do not depend on how a stream is split");
    for (std::string const& item : items)
        check_event(item);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const input{sallyport::fuzz::view_of(data, size)};
    auto const line = input.view().substr(0, input.view().find('\n'));
    if (line.starts_with("text/event-stream")) {
        check_events(input.view().substr(std::min(line.size() + 1, input.view().size())));
        return 0;
    }
    auto const boundary = find_boundary(line);
    if (!boundary) return 0;
    check(!boundary->empty() && boundary->size() <= 70, "a boundary has 1 to 70 characters");
    check(boundary->find_first_of("\r\n\"\\;") == std::string_view::npos, "none of these");
    auto body = input.view();
    body.remove_prefix(std::min(line.size() + 1, body.size()));
    std::string const delimiter = "--" + std::string{*boundary};

    // The body again, from its parts.
    std::string again;
    std::size_t end = 0;
    bool const is_form = sallyport::text::equals_ignoring_case(
        line.substr(0, line.find_first_of("; \t")), "multipart/form-data");
    auto const names = is_form ? PartNames::required : PartNames::ignored;
    Multipart parts{body, *boundary, names};
    std::size_t count = 0;
    for (MultipartPart part;;) {
        auto const next = parts.next(part);
        if (next == Multipart::Next::fault) {
            check(parts.reason() != Malformed::none, "a fault has a reason");
            check(parts.offset() <= body.size(), "and a place in the body");
            return 0;
        }
        if (next == Multipart::Next::end) break;
        check(++count <= max_form_fields, "there are not more parts than the limit");
        check_part(part, delimiter, names);
        auto const begin = static_cast<std::size_t>(part.body.data() - body.data());
        auto const head = body.substr(part.offset, begin - part.offset);
        check(head.size() <= max_part_head, "a head has a limit");
        bool const is_empty = names == PartNames::ignored && head == "\r\n";
        check(is_empty || head.ends_with("\r\n\r\n"), "a head ends with an empty line");
        again += body.substr(end, part.offset - end);
        check(body.substr(end, part.offset - end).ends_with(delimiter + "\r\n"), "a boundary");
        again.append(head).append(part.body);
        end = begin + part.body.size();
    }
    auto const rest = body.substr(end);
    std::string const last = (count == 0 ? "" : "\r\n") + delimiter + "--";
    check(rest == last || rest == last + "\r\n" || (count == 0 && rest.starts_with("\r\n")),
          "nothing but the last boundary follows the last part");
    again += rest;
    check(again == body, "a body is its parts and the lines between them");
    return 0;
}
