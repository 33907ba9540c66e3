// Starts, watches and ends the embedded upstream.
#include "tests/support/sandbox.h"

#include "tests/support/file_watch.h"

#include <cstdlib>
#include <stdexcept>

namespace sallyport::test {

std::string sandbox_program() {
    if (auto const* const program = std::getenv("SALLYPORT_SANDBOX")) return program;
    auto const self = std::filesystem::read_symlink("/proc/self/exe");
    return (self.parent_path() / "sallyport-sandbox").string();
}

Sandbox::Sandbox(std::vector<std::string> const& arguments) {
    std::vector<std::string> whole{sandbox_program(), "--record", (folder_ / "record").string()};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    folder_.write("output", {});
    FileWatch watch{folder_.path()};
    process_ = std::make_unique<Process>(
        Command{whole}, ProcessFiles{"/dev/null", folder_ / "output", folder_ / "error"});
    TimeLimit const limit;
    auto waited = Waited::happened;
    while (port_ == 0) {
        // "listening on 127.0.0.1:PORT" and a line feed, which shows that the number is complete.
        std::string const output = read_file(folder_ / "output");
        if (output.ends_with('\n')) {
            port_ = static_cast<std::uint16_t>(std::stoul(output.substr(output.rfind(':') + 1)));
        } else if (waited != Waited::happened) {
            throw std::runtime_error("the sandbox does not serve: " + standard_error());
        } else {
            waited = watch.wait(process_->descriptor(), limit);
        }
    }
}

std::string Sandbox::endpoint() const {
    return "http://127.0.0.1:" + std::to_string(port_);
}

std::vector<Json> Sandbox::record() const {
    std::vector<Json> requests;
    std::string const text = read_file(folder_ / "record");
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        requests.push_back(Json::parse(std::string_view{text}.substr(begin, end - begin)));
        begin = end + 1;
    }
    return requests;
}

int Sandbox::end(int signal) {
    process_->signal(signal);
    auto const code = process_->wait();
    if (!code) throw std::runtime_error("the sandbox does not end");
    return *code;
}

} // namespace sallyport::test
