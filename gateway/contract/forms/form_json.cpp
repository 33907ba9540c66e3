// The fields of a form as JSON, for the log.
#include "gateway/contract/forms/form_json.h"

#include "gateway/contract/forms/form_body.h"
#include "gateway/contract/forms/multipart.h"
#include "gateway/contract/forms/urlencoded.h"
#include "gateway/contract/schema/constants.h"
#include "gateway/contract/text/json_text.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sallyport::contract {

namespace {

// That of a body in the log.
constexpr std::size_t deepest = 64;

// Brackets in a name; they cost their square.
constexpr int deepest_name = 16;

std::string bytes_of(std::size_t size) {
    return "{\"bytes\":" + std::to_string(size) + '}';
}

std::string json_of(std::string_view text) {
    auto const begin = text.find_first_not_of(" \t\r\n");
    bool const begins_like_json =
        begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[');
    if (!begins_like_json) {
        std::string json;
        append_json_string(json, text);
        return json;
    }
    bool const is_json = find_fault(text, deepest).reason == Malformed::none;
    return is_json ? std::string{text} : bytes_of(text.size());
}

// RFC 7578, 4.4: a part is text unless it says otherwise.
std::string json_of(MultipartPart const& part) {
    auto const type = part.content_type.substr(0, part.content_type.find_first_of("; \t"));
    bool const says_text = type.empty() || text::equals_ignoring_case(type, "text/plain")
                           || text::equals_ignoring_case(type, "application/json");
    return !part.file_name && says_text && text::is_utf8(part.body) ? json_of(part.body)
                                                                    : bytes_of(part.body.size());
}

// `a=b,1,c,2`: an object whose names are within the text.
bool is_object_in_one_value(FormBody const& form, std::string_view name) {
    auto const& declared = form.fields.query_parameters;
    return std::any_of(declared.begin(), declared.end(), [name](Parameter const& parameter) {
        return parameter.name == name && parameter.shape == ParameterShape::object
               && parameter.style != ParameterStyle::deep_object;
    });
}

// In the order in which their names occur first.
class Fields {
public:
    // `a[b][c]` is what `c` is in `b` in `a`. `size`: of the value, in bytes.
    void add(std::string_view name, std::string json, std::size_t size) {
        for (int depth = 0; name.ends_with(']'); ++depth) {
            auto const at = name.rfind('[');
            if (at == std::string_view::npos || at == 0) break;
            if (depth == deepest_name) {
                json = bytes_of(size);
                break;
            }
            std::string object = "{";
            append_json_string(object, name.substr(at + 1, name.size() - at - 2));
            json = std::move(object) + ':' + json + '}';
            name = name.substr(0, at);
        }
        add_whole(std::string{name}, std::move(json));
    }

    void write(std::string& out) const {
        out = "{";
        for (auto const& [name, values] : fields_) {
            if (out.size() > 1) out += ',';
            append_json_string(out, name);
            out += values.size() == 1 ? ":" : ":[";
            for (auto const& value : values)
                out.append(&value == &values.front() ? "" : ",").append(value);
            if (values.size() != 1) out += ']';
        }
        out += '}';
    }

private:
    void add_whole(std::string const& name, std::string json) {
        auto const [found, is_new] = indices_.try_emplace(name, fields_.size());
        if (is_new) fields_.emplace_back(name, std::vector<std::string>{});
        fields_[found->second].second.push_back(std::move(json));
    }

    std::vector<std::pair<std::string, std::vector<std::string>>> fields_;
    std::unordered_map<std::string, std::size_t> indices_;
};

bool read_pairs(FormBody const& form, std::string_view body, Fields& fields) {
    FormPairs pairs{body};
    std::string name;
    std::string value;
    for (FormPair pair; pairs.next(pair);) {
        if (decode_form_text(pair.name, name) != Malformed::none
            || decode_form_text(pair.value, value) != Malformed::none)
            return false;
        fields.add(name,
                   is_object_in_one_value(form, name) ? bytes_of(value.size()) : json_of(value),
                   value.size());
    }
    return true;
}

bool read_parts(SentBody const& body, Fields& fields) {
    Multipart parts{body.bytes, body.boundary};
    std::string name;
    for (MultipartPart part;;) {
        auto const next = parts.next(part);
        if (next == Multipart::Next::end) return true;
        if (next == Multipart::Next::fault || decode_part_name(part.name, name) != Malformed::none)
            return false;
        fields.add(name, json_of(part), part.body.size());
    }
}

} // namespace

bool write_fields_as_json(MediaType const& type, SentBody const& body, std::string& out) {
    Fields fields;
    bool const is_read = type.syntax == BodySyntax::form
                             ? read_pairs(*type.form, body.bytes, fields)
                             : read_parts(body, fields);
    if (is_read) fields.write(out);
    return is_read;
}

} // namespace sallyport::contract
