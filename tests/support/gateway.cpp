// Starts, watches and stops the gateway.
#include "tests/support/gateway.h"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>

namespace sallyport::test {
namespace {

// In block style, or each in a line in flow style.
std::size_t count_listeners(std::string const& yaml) {
    return count_of("  - name:", yaml) + count_of("  - { name:", yaml);
}

using Ports = std::map<std::string, std::uint16_t, std::less<>>;

void add_ports(Ports& ports, std::string const& error_output, std::string_view begin,
               std::regex const& line) {
    // Counted in a loop: a regular expression is slow for a whole log.
    for (auto at = error_output.find(begin); at != std::string::npos;
         at = error_output.find(begin, at + 1)) {
        auto const end = error_output.find('\n', at);
        if (end == std::string::npos) break;
        auto const rest = error_output.substr(at + begin.size(), end - at - begin.size());
        std::smatch found;
        if (std::regex_match(rest, found, line))
            ports[found[1]] = static_cast<std::uint16_t>(std::stoul(found[2]));
    }
}

Ports bound_ports(std::string const& error_output) {
    static std::regex const text{R"(^(\S+) address=\S+:(\d+)$)"};
    static std::regex const json{R"json(^"([^"]+)","address":"[^"]+:(\d+)"\}$)json"};
    Ports ports;
    add_ports(ports, error_output, "listening listener=", text);
    add_ports(ports, error_output, R"("event":"listening","listener":)", json);
    return ports;
}

std::vector<Json> parse_lines(std::string const& text) {
    std::vector<Json> lines;
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        lines.push_back(Json::parse(std::string_view{text}.substr(begin, end - begin)));
        begin = end + 1;
    }
    return lines;
}

} // namespace

std::size_t count_of(std::string_view word, std::string_view text) {
    std::size_t count = 0;
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

std::string gateway_program() {
    auto const* program = std::getenv("SALLYPORT_BINARY");
    if (program == nullptr)
        throw std::runtime_error("SALLYPORT_BINARY does not name the program under test");
    return program;
}

Finished run_gateway(std::vector<std::string> const& arguments, std::string_view input,
                     std::filesystem::path const& folder,
                     std::map<std::string, std::string> const& environment) {
    std::vector<std::string> whole{gateway_program()};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    return run({whole, environment, folder}, input);
}

// Checks, then waits for a change, until `found` returns something; the end of the process causes a
// last check.
template <class Found>
auto Gateway::wait_until(Found found, std::string const& what) const {
    TimeLimit const limit;
    FileWatch watch{folder_.path()};
    auto waited = Waited::happened;
    for (;;) {
        if (auto value = found()) return *value;
        if (waited != Waited::happened)
            throw std::runtime_error(
                what
                + (waited == Waited::interrupted ? ": the gateway has ended; " : ": not in time; ")
                + "its error output:\n" + standard_error());
        waited = watch.wait(process_->descriptor(), limit);
    }
}

Gateway::Gateway(Configuration const& configuration, Options const& options) {
    folder_.write("sallyport.yaml", configuration.text());
    bool const has_files = configuration.apis.find("  files:") != std::string::npos;
    folder_.write("credentials.yaml",
                  options.credentials + (has_files ? mover_credential() : std::string{}));
    for (auto const& [name, content] : options.files) {
        folder_.write(name, content);
        given_files_.insert(name);
    }
    process_ = std::make_unique<Process>(
        Command{{gateway_program(), "run", "-c", (folder_ / "sallyport.yaml").string()},
                options.environment,
                folder_.path()},
        ProcessFiles{"/dev/null", folder_ / "output", folder_ / "error"});
    auto const listeners = count_listeners(configuration.listeners);
    wait_until(
        [&]() -> std::optional<bool> {
            if (bound_ports(standard_error()).size() < listeners) return {};
            return true;
        },
        "the listeners");
}

Gateway::~Gateway() = default;

std::uint16_t Gateway::port(std::string_view listener) const {
    // Including those that a reload added.
    auto const ports = bound_ports(standard_error());
    auto const found = ports.find(listener);
    if (found == ports.end()) throw std::runtime_error("no listener " + std::string{listener});
    return found->second;
}

std::uint16_t Gateway::admin_port() const {
    static std::regex const line{R"(admin_listening address=\S+:(\d+)\n)"};
    auto const output = standard_error();
    std::uint16_t port = 0;
    for (std::sregex_iterator found{output.begin(), output.end(), line}, end; found != end; ++found)
        port = static_cast<std::uint16_t>(std::stoul((*found)[1]));
    if (port == 0) throw std::runtime_error("no admin listener");
    return port;
}

void Gateway::replace(std::string_view name, std::string_view content) {
    auto const next = folder_.write(std::string{name} + ".next", content);
    given_files_.insert(std::string{name});
    std::filesystem::rename(next, folder_ / name);
}

void Gateway::wait_for_reloads(std::size_t adopted) const {
    wait_for_error_output(
        [&](std::string const& text) { return count_of(" reloaded ", text) >= adopted; });
}

void Gateway::wait_for_rejected_reloads(std::size_t rejected) const {
    wait_for_error_output(
        [&](std::string const& text) { return count_of(" reload_rejected ", text) >= rejected; });
}

int Gateway::wait_for_exit() {
    auto const exit_code = process_->wait();
    if (!exit_code) throw std::runtime_error("the gateway does not end:\n" + standard_error());
    return *exit_code;
}

int Gateway::stop() {
    signal(SIGTERM);
    return wait_for_exit();
}

bool Gateway::is_running() const {
    return wait_for(process_->descriptor(), -1, TimeLimit{std::chrono::milliseconds{0}})
           == Waited::time_limit;
}

std::vector<Json> Gateway::log() const {
    return parse_lines(read_file(access_log()));
}

Json Gateway::wait_for_log(std::function<bool(Json const&)> const& predicate) const {
    return wait_until(
        [&]() -> std::optional<Json> {
            for (auto& line : log())
                if (predicate(line)) return std::move(line);
            return {};
        },
        "a line of the access log");
}

Json Gateway::wait_for_log_of(std::string_view request_id) const {
    return wait_for_log([&](Json const& line) { return line.text("request_id") == request_id; });
}

std::vector<Json> Gateway::wait_for_log_lines(std::size_t count) const {
    return wait_until(
        [&]() -> std::optional<std::vector<Json>> {
            auto lines = log();
            if (lines.size() < count) return {};
            return lines;
        },
        std::to_string(count) + " lines of the access log");
}

void Gateway::wait_for_error_output(
    std::function<bool(std::string const&)> const& predicate) const {
    wait_until([&] { return predicate(standard_error()) ? std::optional{true} : std::nullopt; },
               "a line of the error output");
}

std::string Gateway::every_written_byte() const {
    std::string all;
    for (auto const& entry : std::filesystem::recursive_directory_iterator{folder_.path()})
        if (entry.is_regular_file() && given_files_.count(entry.path().filename().string()) == 0)
            all += read_file(entry.path());
    return all;
}

} // namespace sallyport::test
