// Real clients that write a whole body before they read, refused before they have written it: each
// gets the response (RFC 9112, 9.6).
#include "tests/end_to_end/stage.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>

#include <cstdlib>

namespace e27_refused_uploads {

using namespace sallyport::test;

namespace {

using namespace std::chrono_literals;

// Each program takes URL, authority, size, count and status, sends a body of that size so many
// times, each on a connection of its own, and prints how many responses had the status.
constexpr char const* python_uploads = R"(
import sys, requests
url, authority, size, count, status = sys.argv[1:]
body, right = b"x" * int(size), 0
for _ in range(int(count)):
    try:
        right += requests.post(url, data=body, verify=authority, timeout=20).status_code == int(status)
    except requests.RequestException as error:
        print(error, file=sys.stderr)
print(right, end="")
)";

constexpr char const* node_uploads = R"(
const [url, authority, size, count, status] = process.argv.slice(1);
const ca = require("fs").readFileSync(authority), body = Buffer.alloc(Number(size), "x");
const upload = () => new Promise((resolve) => {
  const failed = (error) => { console.error(error); resolve(false); };
  const request = require("https").request(url, { method: "POST", ca, agent: false,
    headers: { "Content-Length": size } }, (response) => {
      response.on("error", failed).on("end", () => resolve(response.statusCode === Number(status))).resume();
    });
  request.on("error", failed).setTimeout(20000, () => request.destroy(new Error("too slow"))).end(body);
});
(async () => {
  let right = 0;
  for (let i = 0; i < Number(count); ++i) right += await upload();
  process.stdout.write(String(right));
})();
)";

constexpr char const* go_uploads = R"(package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

func main() {
	authority, _ := os.ReadFile(os.Args[2])
	size, _ := strconv.Atoi(os.Args[3])
	count, _ := strconv.Atoi(os.Args[4])
	status, _ := strconv.Atoi(os.Args[5])
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	client := http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots}}}
	body := bytes.Repeat([]byte("x"), size)
	right := 0
	for i := 0; i < count; i++ {
		response, err := client.Post(os.Args[1], "text/plain", bytes.NewReader(body))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode == status {
			right++
		}
	}
	fmt.Print(right)
}
)";

bool is_at_full_scale() {
    return std::getenv("SALLYPORT_UPLOADS_AT_FULL_SCALE") != nullptr;
}

std::size_t uploads() {
    return is_at_full_scale() ? 400 : 10;
}

std::vector<std::string> sizes() {
    std::vector<std::string> sizes{"2097152", "8388608"};
    if (is_at_full_scale()) sizes.emplace_back("33554432");
    return sizes;
}

// At an operation of the management API without credentials: refused at the head.
class RefusedUploads {
public:
    void check(std::vector<std::string> command) {
        for (auto const& size : sizes()) {
            CAPTURE(command[0], size);
            auto whole = command;
            auto const& target = operation("updatePipeSettings").target;
            whole.insert(whole.end(),
                         {"https://localhost:" + std::to_string(stage_.port()) + target,
                          certificates().authority.string(), size, std::to_string(uploads()),
                          "401"});
            auto const finished = run({whole}, {}, TimeLimit{10min});
            CAPTURE(finished.error);
            CHECK(finished.output == std::to_string(uploads()));
        }
    }
    void finish() { stage_.finish(); }

private:
    Stage stage_;
};

} // namespace

TEST_CASE("Python gets the response that refuses its upload") {
    if (!has_program("python3") || run({{"python3", "-c", "import requests"}}).exit_code != 0) {
        WARN("not checked: there is no python3 with `requests` on this machine");
        return;
    }
    RefusedUploads uploads;
    uploads.check({"python3", "-c", python_uploads});
    uploads.finish();
}

TEST_CASE("Node gets the response that refuses its upload") {
    if (!has_program("node")) return;
    RefusedUploads uploads;
    uploads.check({"node", "-e", node_uploads});
    uploads.finish();
}

TEST_CASE("Go gets the response that refuses its upload") {
    // It compiles its library first, which takes a minute.
    if (!is_at_full_scale() || !has_program("go")) return;
    TemporaryFolder const folder;
    auto const program = (folder / "uploads").string();
    auto const source = folder.write("uploads.go", go_uploads).string();
    Command build{{"go", "build", "-o", program, source}};
    build.environment = {{"GOCACHE", (folder / "cache").string()}, {"GOTOOLCHAIN", "local"}};
    auto const built = run(build, {}, TimeLimit{5min});
    CAPTURE(built.error);
    REQUIRE(built.exit_code == 0);
    RefusedUploads uploads;
    uploads.check({program});
    uploads.finish();
}

TEST_CASE("curl gets the response that refuses its upload") {
    if (!has_program("curl")) return;
    Stage stage;
    TemporaryFolder const folder;
    for (auto const& size : sizes()) {
        auto const body = folder.write("body", std::string(std::stoul(size), 'x')).string();
        for (std::size_t i = 0; i < uploads(); ++i) {
            auto const refused = run(
                {{"curl", "--silent", "--show-error", "--max-time", "25", "--cacert",
                  certificates().authority.string(), "-X", "POST", "-H", "Expect:", "--data-binary",
                  "@" + body, "-o", "/dev/null", "-w", "%{http_code}",
                  "https://localhost:" + std::to_string(stage.port())
                      + operation("updatePipeSettings").target}});
            CAPTURE(refused.error);
            CHECK(refused.output == "401");
        }
    }
    stage.finish();
}

} // namespace e27_refused_uploads
