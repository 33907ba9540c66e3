// Failures of the environment: folders, disks, descriptors, files, readers. Each is reported in a
// clear line, and causes no loss of a request.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>

#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <regex>
#include <set>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace e18_bad_surroundings {

using namespace sallyport::test;
namespace fs = std::filesystem;

namespace {

// A limit of the running gateway, until it is removed.
class LimitOf {
public:
    LimitOf(pid_t process, __rlimit_resource resource, rlim_t limit)
        : process_{process}, resource_{resource} {
        REQUIRE(::prlimit(process_, resource_, nullptr, &before_) == 0);
        rlimit const now{limit, before_.rlim_max};
        REQUIRE(::prlimit(process_, resource_, &now, nullptr) == 0);
    }
    LimitOf(LimitOf const&) = delete;
    LimitOf& operator=(LimitOf const&) = delete;
    ~LimitOf() { lift(); }
    void lift() const { ::prlimit(process_, resource_, &before_, nullptr); }

private:
    pid_t process_;
    __rlimit_resource resource_;
    rlimit before_{};
};

std::size_t count(std::string_view word, std::string_view text) {
    std::size_t number = 0;
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
        ++number;
    return number;
}

void wait_for_line(Gateway const& gateway, std::string const& expression) {
    std::regex const line{expression};
    gateway.wait_for_error_output(
        [&](std::string const& text) { return std::regex_search(text, line); });
}

Change with_log(std::string const& output) {
    return [output](Configuration& configuration) {
        configuration.access_log = "  output: " + output + "\n";
    };
}

// The read end of a named pipe that is the output of a program. The test decides when it reads.
class Reader {
public:
    explicit Reader(fs::path path) : path_{std::move(path)} {
        REQUIRE(::mkfifo(path_.c_str(), 0600) == 0);
        end_ = Descriptor{::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
        REQUIRE(end_.is_open());
    }

    // Everything that has arrived and arrives until the expression matches.
    std::string read_until(std::string const& expression) {
        std::regex const wanted{expression};
        TimeLimit const limit;
        std::string text;
        while (!std::regex_search(text, wanted)) {
            INFO(text);
            pollfd entry{end_.get(), POLLIN, 0};
            REQUIRE(::poll(&entry, 1, limit.left()) > 0);
            text += read_some();
        }
        return text;
    }
    std::string read_all() {
        std::string text;
        for (auto part = read_some(); !part.empty(); part = read_some())
            text += part;
        return text;
    }
    // Until no byte fits any more.
    void fill() const {
        Descriptor const writer{::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)};
        REQUIRE(writer.is_open());
        std::string const block(4096, '.');
        for (std::size_t size : {block.size(), std::size_t{1}}) {
            while (::write(writer.get(), block.data(), size) > 0) {
            }
        }
    }
    void leave() { end_.close(); }

private:
    std::string read_some() const {
        std::array<char, 4096> memory;
        auto const size = ::read(end_.get(), memory.data(), memory.size());
        return size > 0 ? std::string{memory.data(), static_cast<std::size_t>(size)} : "";
    }

    fs::path path_;
    Descriptor end_;
};

void with_admin(Configuration& configuration) {
    configuration.rest += admin_section;
}

double metric(Stage const& stage, std::string const& name) {
    return metrics_of(stage.gateway)[name];
}

// A gateway whose standard error is a pipe of the test.
struct Piped {
    explicit Piped(Change const& change = {}) : reader{folder / "error"} {
        auto configuration = standard_configuration(upstream);
        configuration.listeners = "  - name: plain\n    address: 127.0.0.1:0\n    tls: off\n";
        if (change) change(configuration);
        folder.write("sallyport.yaml", configuration.text());
        folder.write("credentials.yaml", standard_credentials());
        process.emplace(
            Command{{gateway_program(), "run", "-c", "sallyport.yaml"}, {}, folder.path()},
            ProcessFiles{"/dev/null", "/dev/null", folder / "error"});
        auto const text = reader.read_until(" ready\n");
        std::smatch found;
        REQUIRE(std::regex_search(text, found, std::regex{R"(address=127\.0\.0\.1:(\d+))"}));
        port = static_cast<std::uint16_t>(std::stoul(found[1]));
    }

    Response send(std::string const& request) const { return fetch(port, request, without_tls()); }
    // Until a request is served by this generation.
    void wait_for_generation(int generation) const {
        auto const wanted = "\"generation\":" + std::to_string(generation) + ",";
        TimeLimit const limit;
        while (read_file(folder / "access.log").find(wanted) == std::string::npos) {
            REQUIRE_FALSE(limit.has_passed());
            CHECK(send(request_for("getPipe").text()).status == 200);
        }
    }

    RecordingUpstream upstream;
    TemporaryFolder folder;
    Reader reader;
    std::optional<Process> process;
    std::uint16_t port = 0;
};

} // namespace

TEST_CASE("a log that cannot be opened prevents the start, and `check` reports it before") {
    struct Row {
        std::string output;
        std::string error;
        std::string problem; // of `check`, which does not write
    };
    for (auto const& row :
         {Row{"none/access.log", "No such file or directory", "there is no folder"},
          Row{"sallyport.yaml/access.log", "Not a directory", "there is no folder"},
          Row{"./logs", "Is a directory", "is a folder"},
          // Not writable, even for root.
          Row{"/sys/access.log",
              "(Permission denied|Read-only file system|Operation not permitted)", ""}}) {
        CAPTURE(row.output);
        TemporaryFolder const folder;
        folder.write("logs/other.log", "");
        folder.write("credentials.yaml", standard_credentials());
        auto configuration = standard_configuration("http://127.0.0.1:9", "http://127.0.0.1:9");
        configuration.access_log = "  output: " + row.output + "\n";
        folder.write("sallyport.yaml", configuration.text());
        auto const run = run_gateway({"run", "-c", "sallyport.yaml"}, {}, folder.path());
        INFO(run.error);
        CHECK(run.exit_code == 1);
        CHECK(std::regex_search(
            run.error,
            std::regex{"error access_log_not_opened output=[^\n]* error=\"" + row.error}));
        CHECK(run.error.find("listening") == std::string::npos);
        auto const check = run_gateway({"check", "-c", "sallyport.yaml"}, {}, folder.path());
        INFO(check.output);
        CHECK(check.exit_code == (row.problem.empty() ? 0 : 1));
        CHECK(check.output.find(row.problem) != std::string::npos);
        bool const is_reported = check.output.find(": access_log.output: ") != std::string::npos;
        CHECK(is_reported == !row.problem.empty());
    }
}

TEST_CASE(
    "a log whose folder was removed continues in the old file, and in a new one once it exists") {
    Stage stage{
        {}, both(with_admin, with_log("logs/access.log")), {.files = {{"logs/other.log", ""}}}};
    auto const folder = stage.gateway.folder();
    auto const send_one = [&] {
        return stage.send(request_for("getPipe")).fields.one("X-Request-Id");
    };
    auto const before = send_one();
    fs::rename(folder / "logs", folder / "gone");
    stage.gateway.signal(SIGUSR1);
    wait_for_line(stage.gateway,
                  "error access_log_not_reopened error=\"No such file or directory\"\n");
    CHECK(metric(stage, "sallyport_log_write_errors_total") == 1);
    auto const during = send_one();
    fs::create_directory(folder / "logs");
    // Lines before the signal belong into the old file; a line follows its response.
    auto const is_logged = [&] {
        return read_file(folder / "gone/access.log").find(during) != std::string::npos;
    };
    TimeLimit const limit;
    while (!is_logged())
        REQUIRE_FALSE(limit.has_passed());
    stage.gateway.signal(SIGUSR1);
    wait_for_line(stage.gateway, "info access_log_reopened\n");
    auto const after = send_one();
    stage.finish();
    auto const old_log = read_file(folder / "gone/access.log");
    CHECK(old_log.find(before) != std::string::npos);
    CHECK(read_file(folder / "logs/access.log").find(after) != std::string::npos);
    CHECK(count(" access_log_reopened", stage.gateway.standard_error()) == 1);
}

// The result of `sallyport status`, as text and by its exit code.
Finished status_of(Stage const& stage) {
    return run_gateway(
        {"status", "--address", "127.0.0.1:" + std::to_string(stage.gateway.admin_port())});
}

TEST_CASE("a full disk loses lines, each of them counted, and no request") {
    Stage stage{{}, both(with_admin, with_log("access.log\n  buffer: 1MiB"))};
    std::optional<RawClient> client{std::in_place, stage.port()};
    constexpr rlim_t room = 100'000; // not a multiple of a line: the last one that fits is
                                     // truncated
    constexpr std::size_t most = 20'000;
    std::size_t requests = 0;
    auto const send_one = [&] {
        ++requests;
        return client->exchange(request_for("getPipe").text());
    };
    {
        LimitOf const disk{stage.gateway.id(), RLIMIT_FSIZE, room};
        // A ring of 1 MiB waits for the disk before a line is lost.
        std::size_t bytes = 0;
        while (bytes < (std::size_t{3} << 20) && requests < most) {
            auto const response = send_one();
            REQUIRE(response.status == 200);
            bytes += 500; // the shortest line
        }
        wait_for_line(stage.gateway, "error access_log_write_failed error=\"File too large\" "
                                     "dropped_lines=\\d+\n");
        CHECK(fs::file_size(stage.gateway.access_log()) == room);
        auto const status = status_of(stage);
        CHECK(status.exit_code == 1);
        CHECK(status.output.find("LINES ARE BEING LOST") != std::string::npos);
        CHECK(status.output.find("CANNOT BE WRITTEN: File too large") != std::string::npos);
        CHECK(std::regex_search(status.output,
                                std::regex{"lines lost: .*[1-9][0-9]* write_failed"}));
    }
    wait_for_line(stage.gateway, "info access_log_recovered dropped_lines=\\d+\n");
    auto const text = stage.gateway.standard_error();
    std::smatch found;
    REQUIRE(std::regex_search(text, found, std::regex{R"(recovered dropped_lines=(\d+))"}));
    auto const dropped = std::stoul(found[1]);
    CHECK(dropped > 0);
    CHECK(count("access_log_write_failed", text) == 1);
    auto const last = send_one();
    CHECK(last.status == 200);
    auto const last_line = stage.log_of(last);
    auto const counted = metric(stage, "sallyport_log_lines_dropped_total");
    CHECK(metric(stage, "sallyport_log_write_errors_total") > 0);
    client.reset();
    stage.finish();
    // Whole lines, and each missing one was counted; the numbers of the lines show where.
    CHECK(stage.gateway.log().size() + dropped == requests);
    CHECK(counted == static_cast<double>(dropped));
    CHECK(last_line.text("seq") == std::to_string(requests - 1));
}

TEST_CASE("with when_full refuse no request is forwarded without space for its line") {
    Stage stage{{}, both(with_admin, with_log("access.log\n  buffer: 1MiB\n  when_full: refuse"))};
    RawClient client{stage.port()};
    std::set<std::string> forwarded;
    std::optional<Response> refusal;
    {
        LimitOf const disk{stage.gateway.id(), RLIMIT_FSIZE, 100'000};
        constexpr std::size_t most = 20'000;
        while (!refusal && forwarded.size() < most) {
            auto const response = client.exchange(request_for("getPipe").text());
            if (response.status == 200) {
                forwarded.insert(response.fields.one("X-Request-Id"));
            } else {
                refusal = response;
            }
        }
        REQUIRE(refusal);
        CHECK(refusal->status == 503);
        CHECK(refusal->body.find("\"overloaded\"") != std::string::npos);
        CHECK(refusal->fields.one("Retry-After") == "1");
        CHECK(status_of(stage).output.find(" 0 lines lost\n") != std::string::npos);
    }
    // With room on the disk there is one in the log.
    wait_for_line(stage.gateway, "info access_log_recovered dropped_lines=0\n");
    auto const last = client.exchange(request_for("getPipe").text());
    CHECK(last.status == 200);
    forwarded.insert(last.fields.one("X-Request-Id"));
    CHECK(status_of(stage).exit_code == 0);
    stage.finish();
    std::set<std::string> logged;
    for (auto const& line : stage.gateway.log())
        if (line.text("status") == "200") logged.insert(line.text("request_id"));
    CHECK(logged == forwarded);
}

TEST_CASE("a full disk under the control log ends nothing, and is reported when there is room") {
    Stage stage{{}, with_admin};
    CHECK(metric(stage, "sallyport_control_log_lines_dropped_total") == 0);
    {
        LimitOf const disk{stage.gateway.id(), RLIMIT_FSIZE, 1};
        for (int index = 0; index < 3; ++index) {
            RawClient client{stage.port()};
            client.try_send("GET / HTTP/1.1\r\n\r\n"); // normally logged in the control log
            CHECK(client.read_response().status == 400);
            CHECK(stage.send(request_for("getPipe")).status == 200);
        }
        stage.gateway.signal(SIGUSR1);
        CHECK(stage.gateway.is_running());
    }
    auto const lost = metric(stage, "sallyport_control_log_lines_dropped_total");
    CHECK(lost > 0);
    wait_for_line(stage.gateway, "warning control_lines_lost lines=[1-9]\\d*\n");
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_reloads(1);
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

TEST_CASE("without descriptors nothing is accepted or reloaded, and open connections continue") {
    if (sanitizers().find("undefined") != std::string_view::npos) {
        // It opens a pipe to test whether an object's memory is readable, and takes a failure for
        // no.
        WARN("skipped: UndefinedBehaviorSanitizer needs descriptors itself");
        return;
    }
    Stage stage;
    std::optional<RawClient> known{std::in_place, stage.port()};
    CHECK(known->exchange(request_for("getPipe").text()).status == 200);
    LimitOf const descriptors{stage.gateway.id(), RLIMIT_NOFILE, 3};
    auto waiting = std::async(std::launch::async, [&stage] {
        return RawClient{stage.port()}.exchange(request_for("getPipe").text()).status;
    });
    wait_for_line(stage.gateway,
                  "error accept_paused listener=\\S+ what=\"Too many open files\"\n");
    CHECK(known->exchange(request_for("getPipe").text()).status == 200);
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_rejected_reloads(1);
    wait_for_line(stage.gateway, "error reload_problem problem=[^\n]*Too many open files");
    CHECK(known->exchange(request_for("getPipe").text()).status == 200);

    descriptors.lift();
    // Waiting clients are served normally.
    CHECK(waiting.get() == 200);
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_reloads(1);
    CHECK(known->exchange(request_for("getPipe").text()).status == 200);
    known.reset();
    stage.finish();
}

TEST_CASE("files that vanish, or become something else, change nothing until they are restored") {
    Stage stage;
    auto const folder = stage.gateway.folder();
    std::optional<RawClient> client{std::in_place, stage.port()};
    struct Row {
        std::string file;
        std::function<void(fs::path const&)> spoil;
        std::string problem;
    };
    std::vector<Row> const rows{
        {"sallyport.yaml", [](fs::path const&) {}, "cannot be read: No such file or directory"},
        {"sallyport.yaml", [](fs::path const& path) { fs::create_directory(path); },
         "cannot be read: it is a folder"},
        {"sallyport.yaml", [&](fs::path const&) { stage.gateway.replace("sallyport.yaml", ""); },
         "the file is empty"},
        {"sallyport.yaml",
         [&](fs::path const&) { stage.gateway.replace("sallyport.yaml", "\x7F\x45LF\x01\x02"); },
         "sallyport.yaml"},
        {"credentials.yaml", [](fs::path const&) {}, "cannot be read: No such file or directory"},
        {"credentials.yaml",
         [](fs::path const& path) { fs::create_symlink("credentials.yaml", path); },
         "cannot be read: Too many levels of symbolic links"},
    };
    std::size_t rejected = 0;
    std::size_t adopted = 0;
    for (auto const& row : rows) {
        CAPTURE(row.file, row.problem);
        auto const path = folder / row.file;
        fs::rename(path, folder / "aside");
        row.spoil(path);
        // The change itself is noticed too: it may have been rejected already.
        auto const size = stage.gateway.standard_error().size();
        stage.gateway.signal(SIGHUP);
        stage.gateway.wait_for_error_output([&](std::string const& text) {
            auto const news = text.substr(std::min(size, text.size()));
            return news.find(row.problem) != std::string::npos
                   && news.find(" reload_rejected ") != std::string::npos;
        });
        auto const during = client->exchange(request_for("getPipe").text());
        CHECK(during.status == 200);
        CHECK(stage.log_of(during).text("generation") == std::to_string(adopted + 1));

        fs::remove(path);
        fs::rename(folder / "aside", path);
        ++rejected;
        // By the change alone, or by the signal: the file is used once it exists.
        stage.gateway.wait_for_reloads(adopted + 1);
        adopted = count(" reloaded ", stage.gateway.standard_error());
    }
    CHECK(count(" reload_rejected ", stage.gateway.standard_error()) >= rejected);
    CHECK(client->exchange(request_for("getPipe").text()).status == 200);
    client.reset();
    stage.finish();
}

TEST_CASE("a blocked reader of standard error does not block the gateway") {
    Piped gateway;
    gateway.reader.fill();
    gateway.process->signal(SIGHUP);
    gateway.wait_for_generation(2);
    for (int index = 0; index < 20; ++index)
        CHECK(gateway.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").status == 400);
    // When the reader continues it gets the number of lost lines.
    auto text = gateway.reader.read_all();
    gateway.process->signal(SIGHUP);
    text += gateway.reader.read_until("reloaded [^\n]*generation=3\n");
    CHECK(std::regex_search(text, std::regex{"warning control_lines_lost lines=[1-9]\\d*\n"}));

    gateway.reader.fill();
    gateway.process->signal(SIGTERM);
    CHECK(gateway.process->wait() == 0);
}

TEST_CASE("a closed reader of standard error, or of the log, does not end the gateway") {
    auto const output = GENERATE(as<std::string>{}, "access.log", "stderr");
    Piped gateway{with_log(output)};
    CHECK(gateway.send(request_for("getPipe").text()).status == 200);
    gateway.reader.leave();
    gateway.process->signal(SIGHUP);
    for (int index = 0; index < 100; ++index)
        CHECK(gateway.send(request_for("getPipe").text()).status == 200);
    gateway.process->signal(SIGTERM);
    CHECK(gateway.process->wait() == 0);
}

} // namespace e18_bad_surroundings
