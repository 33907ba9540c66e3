// Fuzzes multipart bodies: what is accepted is exactly its parts and the lines between them, and no
// part contains what a lenient reader takes for a boundary. The first line of an input is the
// Content-Type, the rest is the body.
#include "check.h"

#include "gateway/contract/forms/field_parameters.h"
#include "gateway/contract/forms/multipart.h"
#include "gateway/contract/forms/urlencoded.h"
#include "gateway/text/utf8.h"

#include <string>

namespace {

using namespace sallyport::contract;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;

void check_part(MultipartPart const& part, std::string_view delimiter) {
    check(part.body.find(delimiter) == std::string_view::npos, "no boundary within a part");
    check(part.count >= 1 && part.count <= max_part_fields, "a part has a few fields");
    for (auto const& [name, value] : part.fields()) {
        check(!name.empty() && name.find_first_of("\r\n :") == std::string_view::npos,
              "the name of a field is a token");
        check(value.find_first_of("\r\n") == std::string_view::npos, "a value is one line");
        check(sallyport::text::is_utf8(value), "a value is UTF-8");
    }
    check(part.name.find_first_of("\"\\\r\n") == std::string_view::npos, "a name is in quotes");
    std::string name;
    check(decode_part_name(part.name, name) == Malformed::none, "a name is UTF-8");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const input{sallyport::fuzz::view_of(data, size)};
    auto const line = input.view().substr(0, input.view().find('\n'));
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
    Multipart parts{body, *boundary};
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
        check_part(part, delimiter);
        auto const begin = static_cast<std::size_t>(part.body.data() - body.data());
        auto const head = body.substr(part.offset, begin - part.offset);
        check(head.size() <= max_part_head, "a head has a limit");
        check(head.ends_with("\r\n\r\n"), "a head ends with an empty line");
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
