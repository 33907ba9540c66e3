// Makes the files that examples name, and starts what they start.
#include "tests/documentation/stage.h"

#include "tests/documentation/markdown.h"
#include "tests/documentation/project.h"
#include "tests/support/certificates.h"
#include "tests/support/encodings.h"
#include "tests/support/file_watch.h"
#include "tests/support/gateway.h"
#include "tests/support/token_signer.h"

#include <csignal>
#include <regex>
#include <stdexcept>

namespace sallyport::documentation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view api_of_examples = "https://api.example.com\"";

// An upstream of a page: the last word is its port.
constexpr std::string_view file_server = "python3 -m http.server ";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

std::string secret_number(std::size_t number) {
    return "secret.of.an.example.0123456789." + std::to_string(number);
}

bool serves(std::string_view command) {
    for (std::string_view const start :
         {"sallyport run ", "sallyport sandbox", "sallyport-sandbox", file_server.data()}) {
        if (command.substr(0, start.size()) == start) {
            return command.find(" --help") == std::string_view::npos;
        }
    }
    return false;
}

// The address in its line `listening ...`; empty before there is one.
std::string bound_address(std::string const& output) {
    static std::regex const line{R"(listening (?:on |listener=\S+ address=)(\S+:\d+))"};
    static std::regex const python{R"(HTTP on (\S+) port (\d+))"};
    std::smatch found;
    if (std::regex_search(output, found, python)) return found[1].str() + ":" + found[2].str();
    return std::regex_search(output, found, line) ? found[1].str() : std::string{};
}

} // namespace

std::map<std::string, std::string> sections_of(std::string_view yaml) {
    std::map<std::string, std::string> sections;
    std::string name;
    for (auto const& line : lines_of(yaml)) {
        bool const begins = !line.empty() && line[0] != ' ' && line[0] != '#';
        if (begins) name = line.substr(0, line.find(':'));
        if (!name.empty()) sections[name] += line + '\n';
    }
    return sections;
}

Stage::Stage(Props props) : props_{props} {
    environment_ = {{"PATH", fs::path{test::gateway_program()}.parent_path().string() + ":"
                                 + std::getenv("PATH")},
                    {"PYTHONUNBUFFERED", "1"}};
    if (props == Props::none) return;
    auto const root = project_folder();
    fs::create_directory_symlink(root / "config", folder_ / "config");
    fs::create_directory_symlink(root / "config" / "contracts", folder_ / "contracts");
    fs::create_directory_symlink(root / "deploy" / "platform", folder_ / "platform");
    for (auto const* made : {"log", "secrets", "tls"})
        fs::create_directory(folder_ / made);
    environment_.insert({{"KEY_ID", "9fK2c1"},
                         {"SECRET", secret_number(0)},
                         {"CURL_CA_BUNDLE", test::certificates().authority.string()}});
    replace("/etc/sallyport/", folder_.path().string() + "/");
    replace("/etc/letsencrypt/", (folder_ / "letsencrypt").string() + "/");
    replace("/var/log/sallyport/", (folder_ / "log").string() + "/");
    replace("/run/secrets/", (folder_ / "secrets").string() + "/");
    replace("../contracts/", (folder_ / "contracts").string() + "/");
    // What the examples of --help name.
    folder_.write("secret.txt", secret_number(0) + "\n");
    folder_.write("body.json", R"({"db_max_threads":64})");
    folder_.write("schema.json", R"({"type":"object"})");
    static auto const keys_of_an_issuer = test::key_set({test::TokenSigner{"RS256"}.jwk()});
    folder_.write("keys.json", keys_of_an_issuer);
    folder_.write("a.json", "{}");
    folder_.write("b.yaml", "{}");
    folder_.write("ours.overlay.yaml", "overlay: 1.1.0\ninfo: { title: Ours, version: '1' }\n"
                                       "actions: [{ target: $.info, update: { title: Ours } }]\n");
    auto const examples = root / "config" / "examples";
    write("sallyport.yaml", test::read_file(examples / "minimal.yaml"));
    write("minimal-credentials.yaml", test::read_file(examples / "minimal-credentials.yaml"));
}

void Stage::replace(std::string from, std::string to) {
    replaced_.emplace_back(std::move(from), std::move(to));
}

std::string Stage::on_stage(std::string text) const {
    for (auto const& [from, to] : replaced_)
        replace_all(text, from, to);
    return text;
}

std::string Stage::with_hashes(std::string text) {
    std::size_t number = 0;
    constexpr std::string_view example = "sha256:...";
    for (auto at = text.find(example); at != std::string::npos; at = text.find(example, at))
        text.replace(at, example.size(), "sha256:" + test::sha256_hex(secret_number(number++)));
    return text;
}

void Stage::make_files(std::string const& name, std::string const& text) {
    auto const folder = (folder_ / name).parent_path();
    auto const place = [&](std::string const& file, fs::path const& original) {
        auto const target = folder / file;
        fs::create_directories(target.parent_path());
        fs::copy_file(original, target, fs::copy_options::overwrite_existing);
    };
    auto const each = [&text](char const* expression, auto const& make) {
        std::regex const pattern{expression};
        for (std::sregex_iterator found{text.begin(), text.end(), pattern}, end; found != end;
             ++found)
            make((*found)[1].str());
    };
    auto const& made = test::certificates();
    each(R"(\bcertificate: ([^ ,}\n]+))",
         [&](std::string const& file) { place(file, made.server.certificate); });
    each(R"(\bprivate_key: ([^ ,}\n]+))",
         [&](std::string const& file) { place(file, made.server.private_key); });
    each(R"(\bca: ([^ ,}\n]+))", [&](std::string const& file) { place(file, made.authority); });
    each(R"(\btoken_file: ([^ ,}\n]+))", [&](std::string const& file) {
        folder_.write(fs::relative(file, folder_.path()).string(), "example\n");
    });
    each(R"(\$\{env:(\w+)\})",
         [&](std::string const& variable) { environment_[variable] = "example"; });
    each(R"(\$\{file:([^}]+)\})", [&](std::string const& file) {
        folder_.write(fs::relative(file, folder_.path()).string(), "example\n");
    });
}

void Stage::write(std::string const& name, std::string_view text) {
    static std::regex const address{R"(address: [0-9.]+:\d+)"};
    if (text.find(api_of_examples) != std::string_view::npos && !has_sandbox_) {
        has_sandbox_ = true;
        // Examples without a credential of the upstream send the caller's own.
        replace(std::string{api_of_examples},
                "http://" + serve("sallyport-sandbox --any-credentials") + "\"");
    }
    auto content =
        std::regex_replace(on_stage(std::string{text}), address, "address: 127.0.0.1:0");
    if (props_ == Props::all) {
        content = with_hashes(std::move(content));
        make_files(name, content);
    }
    folder_.write(name, content);
}

void Stage::write_sections(std::string_view text) {
    auto sections = sections_of(test::read_file(folder_ / "sallyport.yaml"));
    for (auto const& [name, lines] : sections_of(text))
        sections[name] = lines;
    std::string whole;
    for (auto const& [name, lines] : sections)
        whole += lines;
    write("sallyport.yaml", whole);
}

std::string Stage::path_of(std::string_view program) const {
    return (fs::path{test::gateway_program()}.parent_path() / program).string();
}

// Returns the address on which it listens.
std::string Stage::serve(std::string const& command) {
    auto const output = folder_ / ("server-" + std::to_string(servers_.size()));
    folder_.write(output.filename().string(), {});
    test::Command const shell{{test::find_program("bash").string(), "-c", "exec " + command},
                              environment_,
                              folder_.path()};
    test::FileWatch watch{folder_.path()};
    servers_.push_back(
        {std::make_unique<test::Process>(shell, test::ProcessFiles{"/dev/null", output, output}),
         output, command.starts_with(file_server)});
    test::TimeLimit const limit;
    for (;;) {
        auto const address = bound_address(test::read_file(output));
        if (!address.empty()) return address;
        if (watch.wait(servers_.back().process->descriptor(), limit) != test::Waited::happened)
            throw std::runtime_error(command + " does not serve:\n" + test::read_file(output));
    }
}

test::Finished Stage::run(std::string const& command) {
    auto line = on_stage(command);
    if (line.size() > 2 && line.compare(line.size() - 2, 2, " &") == 0)
        line.resize(line.size() - 2);
    if (line.starts_with(file_server)) {
        auto const port = line.rfind(' ') + 1;
        auto const address = serve(line.substr(0, port) + "0");
        replace("127.0.0.1:" + line.substr(port), address);
        return {0, {}, {}};
    }
    if (serves(line)) {
        // Ports of examples may be taken.
        auto const port = std::regex_replace(line, std::regex{R"(--port \d+)"}, "--port 0");
        auto const address = serve(port);
        auto const bound = address.substr(address.rfind(':'));
        bool const is_gateway = line.rfind("sallyport run", 0) == 0;
        static std::regex const admin{R"(admin_listening address=(\S+:\d+))"};
        std::smatch found;
        auto const output = test::read_file(servers_.back().output);
        if (std::regex_search(output, found, admin)) replace("127.0.0.1:9901", found[1].str());
        replace(is_gateway ? "localhost:8443" : "127.0.0.1:8123",
                (is_gateway ? "localhost" : "127.0.0.1") + bound);
        return {0, {}, {}};
    }
    return test::run(
        {{test::find_program("bash").string(), "-c", line}, environment_, folder_.path()});
}

test::Finished Stage::check(std::string const& name) {
    return test::run({{path_of("sallyport"), "check", "-c", name}, environment_, folder_.path()});
}

test::Finished Stage::check_schema(std::string const& name) {
    auto const sections = sections_of(test::read_file(folder_ / name));
    bool const is_whole = sections.count("listeners") == 1 || sections.count("include") == 1;
    bool const is_credentials = name == "credentials.yaml" || sections.count("credentials") == 1;
    std::string const kind = is_whole                             ? ""
                             : is_credentials                     ? " --credentials"
                                                                  : " --included";
    return run("sallyport config schema" + kind
               + " > of-this.json && sallyport validate --schema of-this.json " + name);
}

std::string Stage::written() const {
    std::string all;
    for (auto const& server : servers_)
        all += test::read_file(server.output);
    return all;
}

std::vector<int> Stage::end() {
    std::vector<int> exit_codes;
    for (auto const& server : servers_)
        server.process->signal(SIGTERM);
    for (auto const& server : servers_) {
        auto const exit_code = server.process->wait().value_or(-1);
        // Python's server has no other end.
        if (!server.ends_by_signal || exit_code != 128 + SIGTERM) exit_codes.push_back(exit_code);
    }
    servers_.clear();
    return exit_codes;
}

} // namespace sallyport::documentation
