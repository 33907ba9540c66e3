// A case as a command line of curl.
#include "tests/clients/curl.h"

#include "tests/support/certificates.h"

#include <stdexcept>

namespace sallyport::test {
namespace {

// Fields that curl adds by itself are removed if the case does not have them.
void add_fields(std::vector<std::string>& arguments, Order const& order) {
    for (auto const& field : order.fields) {
        arguments.push_back("--header");
        // curl's notation for an empty value is a name with `;` after it.
        arguments.push_back(field.value.empty() ? field.name + ";"
                                                : field.name + ": " + field.value);
    }
    for (auto const* own : {"User-Agent", "Accept", "Content-Type"})
        if (order.fields.count(own) == 0)
            arguments.insert(arguments.end(), {"--header", std::string{own} + ":"});
    if (order.fields.count("Expect") == 0)
        arguments.insert(arguments.end(), {"--header", "Expect:"});
}

// The last head of a dump, which has those of interim responses too (RFC 9110, 15.2).
ClientResponse response_in(std::string const& heads, std::string const& body) {
    constexpr std::string_view newer = "HTTP/2 ";
    constexpr std::string_view older = "HTTP/1.1 ";
    bool const is_newer = heads.starts_with(newer);
    auto const last = heads.rfind(is_newer ? newer : older);
    if (last == std::string::npos) throw std::runtime_error("curl has no head: " + heads);
    auto const rest = heads.substr(last + (is_newer ? newer : older).size());
    // Parsed like a response to HEAD: the body is in a file of its own.
    auto parsed = parse_response(std::string{older} + rest, "HEAD", MoreToCome::no);
    return {parsed->message.status, parsed->message.fields, body};
}

} // namespace

ClientResponse ask_curl(Order const& order, std::uint16_t port, ClientVersion version) {
    TemporaryFolder const folder;
    std::vector<std::string> arguments{"curl",
                                       "--disable",
                                       "--silent",
                                       "--show-error",
                                       "--max-time",
                                       "25",
                                       version == ClientVersion::http_2 ? "--http2" : "--http1.1",
                                       "--globoff",
                                       "--path-as-is",
                                       "--cacert",
                                       certificates().authority.string(),
                                       "--dump-header",
                                       (folder / "heads").string(),
                                       "--output",
                                       (folder / "body").string()};
    if (order.method == "HEAD")
        arguments.push_back("--head");
    else
        arguments.insert(arguments.end(), {"--request", order.method});
    add_fields(arguments, order);
    if (order.is_chunked)
        arguments.insert(arguments.end(), {"--header", "Transfer-Encoding: chunked"});
    bool const is_empty = order.body.empty();
    if (!is_empty || order.method == "POST")
        arguments.insert(
            arguments.end(),
            {"--data-binary", is_empty ? "" : "@" + folder.write("content", order.body).string()});
    arguments.insert(arguments.end(), {"--request-target", order.target});
    arguments.push_back("https://" + host_of(port) + "/");
    auto const finished = run({arguments});
    if (finished.exit_code != 0) throw std::runtime_error(finished.error);
    return response_in(read_file(folder / "heads"),
                       order.method == "HEAD" ? "" : read_file(folder / "body"));
}

} // namespace sallyport::test
