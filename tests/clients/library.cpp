// Two named pipes to a child process.
#include "tests/clients/library.h"

#include "tests/support/certificates.h"
#include "tests/support/encodings.h"
#include "tests/support/event.h"
#include "tests/support/json.h"

#include <array>
#include <stdexcept>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sallyport::test {
namespace {

// Open for both directions, so that neither side waits for the other to open it.
Descriptor make_pipe(std::filesystem::path const& path) {
    if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo " + path.string());
    Descriptor pipe{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
    if (!pipe.is_open()) throw std::runtime_error("open " + path.string());
    return pipe;
}

std::string json_of(Order const& order, std::uint16_t port) {
    auto const member = [](std::string_view name, std::string const& value) {
        return test::quoted(name) + ":" + value;
    };
    std::string fields;
    for (auto const& field : order.fields)
        fields += (fields.empty() ? "[" : ",[") + test::quoted(field.name) + ","
                  + test::quoted(field.value) + "]";
    return "{" + member("method", test::quoted(order.method)) + ","
           + member("origin", test::quoted("https://" + host_of(port))) + ","
           + member("target", test::quoted(order.target)) + ","
           + member("fields", "[" + fields + "]") + ","
           + member("body", order.body.empty() ? "null" : test::quoted(base64(order.body))) + ","
           + member("chunked", order.is_chunked ? "true" : "false") + "}\n";
}

} // namespace

Order order_of(Case const& one, std::string_view host) {
    auto const request = one.request();
    if (!request) throw std::runtime_error("no library can send " + one.label());
    Order order{request->method, request->target, {}, request->body, one.chunk != 0};
    for (auto const& field : request->fields) {
        bool const is_its_own = equal_ignoring_case(field.name, "Content-Length")
                                || equal_ignoring_case(field.name, "Transfer-Encoding")
                                || (equal_ignoring_case(field.name, "Host") && field.value == host)
                                || (equal_ignoring_case(field.name, "Connection")
                                    && equal_ignoring_case(field.value, "keep-alive"));
        if (!is_its_own) order.fields.push_back(field);
    }
    return order;
}

Library::Library(std::vector<std::string> const& command)
    : requests_(make_pipe(folder_ / "requests")), responses_(make_pipe(folder_ / "responses")) {
    auto const authority = certificates().authority.string();
    // The second name is for Node's own fetch.
    Command const whole{command,
                        {{"SALLYPORT_AUTHORITY", authority}, {"NODE_EXTRA_CA_CERTS", authority}}};
    process_ = std::make_unique<Process>(
        whole, ProcessFiles{folder_ / "requests", folder_ / "responses", folder_ / "error"});
}

void Library::ask(Order const& order, std::uint16_t port) {
    auto const line = json_of(order, port);
    std::string_view rest = line;
    while (!rest.empty()) {
        auto const written = ::write(requests_.get(), rest.data(), rest.size());
        if (written < 0) throw std::runtime_error("a pipe to a client broke");
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::string Library::read_line() {
    TimeLimit const limit;
    std::array<char, 65536> bytes;
    for (;;) {
        auto const end = pending_.find('\n');
        if (end != std::string::npos) {
            auto line = pending_.substr(0, end);
            pending_.erase(0, end + 1);
            return line;
        }
        auto const waited = wait_for(responses_.get(), process_->descriptor(), limit);
        if (waited == Waited::interrupted) return {};
        if (waited == Waited::time_limit)
            throw std::runtime_error("the client does not respond: "
                                     + read_file(folder_ / "error"));
        auto const count = ::read(responses_.get(), bytes.data(), bytes.size());
        if (count > 0) pending_.append(bytes.data(), static_cast<std::size_t>(count));
    }
}

ClientResponse Library::response() {
    auto const line = read_line();
    if (line.empty())
        throw std::runtime_error("the client has ended: " + read_file(folder_ / "error"));
    auto const json = Json::parse(line);
    if (json.has("failed")) throw std::runtime_error("the client failed: " + json.text("failed"));
    ClientResponse response{static_cast<int>(json["status"].number), {}, json.text("body")};
    for (auto const& field : json["fields"].items)
        response.fields.push_back({field[0].string, field[1].string});
    return response;
}

std::string Library::finish() {
    requests_.close(); // the only end for writing
    auto const last = read_line();
    auto const exit_code = process_->wait();
    if (exit_code != 0)
        throw std::runtime_error("the client did not end well: " + read_file(folder_ / "error"));
    return last;
}

} // namespace sallyport::test
