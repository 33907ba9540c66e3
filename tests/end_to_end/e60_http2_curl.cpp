// Uploads over HTTP/2 by curl, which writes while it reads: refused ones too end with their whole
// response. Debian's curl 7.88 loses a response that RST_STREAM(NO_ERROR) follows at once.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/json.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>

namespace e60_http2_curl {

using namespace sallyport::test;

namespace {

// Of each kind: whether a response is lost depends on what else has come by then.
constexpr int uploads = 5;

constexpr std::size_t beyond_limit = std::size_t{8} << 20; // limits.body is 1 MiB

bool speaks_http2() {
    if (!has_program("curl")) return false;
    if (run({{"curl", "--version"}}).output.find("HTTP2") != std::string::npos) return true;
    WARN("skipped: curl has no HTTP/2 on this machine");
    return false;
}

// What a PUT of this content sends, and the arguments that make curl do so.
struct Upload {
    std::vector<std::string> arguments;
    std::string input;
};

Upload with_length(TemporaryFolder const& folder, std::string const& content) {
    return {{"--data-binary", "@" + folder.write("content", content).string()}, {}};
}

Upload without_length(std::string content) {
    return {{"--upload-file", "-"}, std::move(content)};
}

// CHECKs that curl was content, which it is with a whole response only, and used HTTP/2. The
// response as if it had come over HTTP/1.1.
Response put(Stage const& stage, Upload const& upload, std::string const& authorization) {
    TemporaryFolder const folder;
    std::vector<std::string> arguments{"curl",
                                       "--disable",
                                       "--silent",
                                       "--show-error",
                                       "--http2",
                                       "--max-time",
                                       "25",
                                       "--cacert",
                                       certificates().authority.string(),
                                       "--request",
                                       "PUT",
                                       "--header",
                                       "Content-Type: application/json",
                                       "--dump-header",
                                       (folder / "head").string(),
                                       "--output",
                                       (folder / "body").string(),
                                       "--write-out",
                                       "%{http_version}"};
    if (!authorization.empty())
        arguments.insert(arguments.end(), {"--header", "Authorization: " + authorization});
    arguments.insert(arguments.end(), upload.arguments.begin(), upload.arguments.end());
    arguments.push_back("https://localhost:" + std::to_string(stage.port())
                        + operation("updatePipeSettings").target);
    auto const finished = run({arguments}, upload.input);
    CAPTURE(finished.error);
    REQUIRE(finished.exit_code == 0);
    CHECK(finished.output == "2");
    auto const head = read_file(folder / "head");
    constexpr std::string_view version = "HTTP/2 ";
    REQUIRE(head.starts_with(version));
    // It has a length, which its body must have.
    auto const text = "HTTP/1.1 " + head.substr(version.size()) + read_file(folder / "body");
    return parse_response(text, "PUT", MoreToCome::no)->message;
}

void check_refusal(Response const& response, ExpectedProblem const& expected) {
    REQUIRE(response.status == expected.status);
    for (auto const& field : expected.fields)
        CHECK(response.fields.find(field.name) == field.value);
    auto const detail = Json::parse(response.body).text("detail");
    CHECK(response.body == problem_body(expected, detail, response.fields.one("X-Request-Id")));
}

} // namespace

TEST_CASE("curl gets the whole response that refuses its upload over HTTP/2") {
    if (!speaks_http2()) return;
    Stage stage;
    TemporaryFolder const folder;
    std::string const large(beyond_limit, ' ');
    for (auto const& upload : {with_length(folder, large), without_length(large)}) {
        CAPTURE(upload.arguments);
        for (int i = 0; i < uploads; ++i) {
            auto const unknown = put(stage, upload, {});
            check_refusal(unknown, unauthenticated_basic());
            CHECK(stage.log_of(unknown).text("protocol") == "HTTP/2.0");
            auto const too_large = put(stage, upload, basic(administrator));
            check_refusal(too_large, refused(413, "body_too_large"));
            CHECK(stage.log_of(too_large).text("reason") == "body_too_large");
        }
    }
    CHECK(stage.upstream.requests().empty());
    stage.finish();
}

TEST_CASE("curl uploads a body over HTTP/2 that is larger than a window") {
    if (!speaks_http2()) return;
    Stage stage;
    TemporaryFolder const folder;
    auto const body = R"({"fill":")" + std::string(600'000, 'x') + "\"}";
    for (auto const& upload : {with_length(folder, body), without_length(body)}) {
        CAPTURE(upload.arguments);
        auto const before = stage.upstream.requests().size();
        auto const response = put(stage, upload, basic(administrator));
        CHECK(response.status == 200);
        CHECK(response.body == "{}");
        CHECK(stage.log_of(response).text("protocol") == "HTTP/2.0");
        CHECK(stage.upstream.request(before).body == body);
        CHECK(stage.upstream.request(before).fields.one("Via") == "2.0 sallyport");
    }
    stage.finish();
}

} // namespace e60_http2_curl
