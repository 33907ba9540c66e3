// Bodies that are not JSON, sent by curl: forms, multipart bodies with files, texts.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/machine.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

namespace e32_forms {

using namespace sallyport::test;

namespace {

constexpr std::string_view contract = R"yaml(openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /v1/forms:
    post:
      operationId: sendForm
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [name]
              properties:
                name: { type: string, maxLength: 20 }
                count: { type: integer, maximum: 9 }
                tags: { type: array, items: { type: string, maxLength: 3 } }
                password: { type: string, format: password }
  /v1/files:
    post:
      operationId: sendFile
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              required: [title, photo]
              properties:
                title: { type: string, maxLength: 20 }
                meta: { type: object, properties: { n: { type: integer } } }
                photo: { type: string, format: binary, maxLength: 64 }
            encoding: { photo: { contentType: image/png } }
  /v1/keys:
    post:
      operationId: sendKeys
      requestBody:
        content: { application/json: { schema: { type: array, items: { type: string, writeOnly: true } } } }
      responses:
        "200": { description: d, content: { application/json: { schema: { type: string, format: password } } } }
  /v1/filters:
    post:
      operationId: sendFilter
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              properties:
                f: { type: object, properties: { rows: { type: array, items: { type: object, properties: {
                     n: { type: integer }, password: { type: string, format: password } } } } } }
            encoding: { f: { style: deepObject, explode: true } }
  /v1/notes:
    post:
      operationId: sendNote
      requestBody: { content: { text/plain: { schema: { type: string, maxLength: 9 } } } }
)yaml";

Stage stage() {
    Gateway::Options options;
    options.credentials = administrator_credentials();
    options.files["own.yaml"] = contract;
    return Stage{{},
                 [](Configuration& configuration) {
                     configuration.access_log += "  bodies: { requests: all, responses: all }\n";
                     configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                          "authenticate: [basic] }\n";
                 },
                 options};
}

// The status and the body of the response.
struct Sent {
    std::string status;
    std::string body;
};
Sent curl(Stage const& stage, std::string_view target, std::vector<std::string> const& arguments) {
    std::vector<std::string> whole{
        "curl",
        "--silent",
        "--show-error",
        "--cacert",
        certificates().authority.string(),
        "--max-time",
        "25",
        "-u",
        std::string{administrator.id} + ":" + std::string{administrator.secret},
        "-w",
        "\n%{http_code}",
        "https://localhost:" + std::to_string(stage.port()) + std::string{target}};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    auto const finished = run({whole});
    CAPTURE(finished.error);
    REQUIRE(finished.exit_code == 0);
    auto const at = finished.output.rfind('\n');
    return {finished.output.substr(at + 1), finished.output.substr(0, at)};
}

bool holds(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a form passes unchanged or is refused with the places of its fields") {
    if (!has_program("curl")) return;
    Stage own = stage();
    auto const passed =
        curl(own, "/v1/forms",
             {"--data-urlencode", "name=J\xC3\xBCrg & co", "--data-urlencode", "tags=a,b", "-d",
              "tags=c", "-d", "count=9", "-d", "password=c4nary"});
    CHECK(passed.status == "200");
    REQUIRE(own.upstream.requests().size() == 1);
    // Versions of curl differ in how they write a space.
    auto const body = own.upstream.requests()[0].body;
    CAPTURE(body);
    CHECK((body == "name=J%C3%BCrg%20%26%20co&tags=a%2Cb&tags=c&count=9&password=c4nary"
           || body == "name=J%C3%BCrg+%26+co&tags=a%2Cb&tags=c&count=9&password=c4nary"));
    auto const logged = own.gateway.wait_for_log_lines(1)[0]["request_body"];
    CHECK(logged["name"].string == "J\xC3\xBCrg & co");
    CHECK(logged["tags"].items.size() == 2);
    CHECK(logged["password"].string == "[redacted]");
    auto const violated = curl(own, "/v1/forms", {"-d", "count=10", "-d", "tags=abcd"});
    CHECK(violated.status == "400");
    CAPTURE(violated.body);
    for (auto const* const pointer : {R"("rule":"required")", R"("pointer":"/count")",
                                      R"("pointer":"/tags/0")", "contract_violation"})
        CHECK(holds(violated.body, pointer));
    auto const twice = curl(own, "/v1/forms", {"-d", "name=c4nary", "-d", "name=b"});
    CHECK(twice.status == "400");
    CHECK(holds(twice.body, "malformed_body"));
    CHECK(holds(twice.body, "The request body is not an acceptable form: a field that is not a "
                            "list occurs twice (at byte 12)"));
    CHECK_FALSE(holds(twice.body, "c4nary"));
    CHECK(own.upstream.requests().size() == 1);
    own.finish();
    CHECK_FALSE(holds(read_file(own.gateway.access_log()), "c4nary"));
}

TEST_CASE("a multipart body passes unchanged or is refused with the places of its parts") {
    if (!has_program("curl")) return;
    Stage own = stage();
    TemporaryFolder const folder;
    auto const small = folder.write("small.png", std::string{"\x89PNG\r\n\0c4nary", 13}).string();
    auto const large = folder.write("large.png", std::string(65, 'x')).string();
    auto const passed = curl(own, "/v1/files",
                             {"-F", "title=a photo", "-F", "meta={\"n\":1};type=application/json",
                              "-F", "photo=@" + small + ";type=image/png"});
    CHECK(passed.status == "200");
    REQUIRE(own.upstream.requests().size() == 1);
    auto const received = own.upstream.requests()[0];
    CHECK(holds(received.body, std::string{"\r\n\r\n\x89PNG\r\n\0c4nary\r\n", 19}));
    CHECK(received.body.size() == std::stoul(received.fields.one("Content-Length")));
    auto const boundary = received.fields.one("Content-Type");
    CHECK(holds(received.body, boundary.substr(boundary.find('=') + 1) + "--\r\n"));
    auto const violated = curl(
        own, "/v1/files",
        {"-F", "title=a", "-F", "meta={\"n\":\"x\"}", "-F", "photo=@" + large + ";type=image/gif"});
    CHECK(violated.status == "400");
    for (auto const* const text :
         {"/meta/n must be an integer", "/photo must have at most 64 bytes",
          "/photo must have the media type image/png"})
        CHECK(holds(violated.body, text));
    auto const twice = curl(own, "/v1/files", {"-F", "title=a", "-F", "title=b"});
    CHECK(holds(twice.body, "malformed_body"));
    auto const unbounded =
        curl(own, "/v1/files", {"-H", "Content-Type: multipart/form-data", "-d", "a"});
    CHECK(unbounded.status == "400");
    CHECK(holds(unbounded.body, "has no valid boundary"));
    CHECK(own.upstream.requests().size() == 1);
    own.finish();
    CHECK_FALSE(holds(read_file(own.gateway.access_log()), "c4nary"));
}

TEST_CASE("a body in which a server could read other values by its charset reaches no upstream") {
    if (!has_program("curl")) return;
    Stage own = stage();
    auto const send = [&own](std::string const& target, std::string const& type,
                             std::vector<std::string> more) {
        more.insert(more.begin(), {"-H", "Content-Type: " + type});
        return curl(own, target, more);
    };
    std::string const form = "application/x-www-form-urlencoded";
    std::string const parts = "multipart/form-data; boundary=b";
    auto const title = [](std::string const& head) {
        return "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n" + head
               + "\r\nt\r\n--b\r\nContent-Disposition: form-data; name=\"photo\"; "
                 "filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\nx\r\n--b--\r\n";
    };
    for (auto const& charset : {"utf-7", "utf-16", "iso-8859-1", "windows-1252", "x"}) {
        CAPTURE(charset);
        std::string const named = std::string{"; charset="} + charset;
        CHECK(send("/v1/forms", form + named, {"-d", "name=a"}).status == "415");
        CHECK(send("/v1/forms", form, {"-d", std::string{"name=a&_charset_="} + charset}).status
              == "415");
        CHECK(send("/v1/files", parts + named, {"--data-binary", title("")}).status == "415");
        CHECK(send("/v1/files", parts,
                   {"--data-binary", title("Content-Type: text/plain" + named + "\r\n")})
                  .status
              == "415");
    }
    CHECK(send("/v1/files", parts, {"--data-binary", title("Content-Length: 99\r\n")}).status
          == "400");
    CHECK(own.upstream.requests().empty());
    CHECK(send("/v1/files", parts + "; charset=utf8",
               {"--data-binary",
                title("Content-Type: text/plain; charset=UTF-8\r\nContent-Length: 1\r\n")})
              .status
          == "200");
}

TEST_CASE("uploads as Node's fetch and Python's requests write them pass unchanged") {
    Stage own = stage();
    std::size_t sent = 0;
    auto const send = [&](std::vector<std::string> command, std::string const& script) {
        command.insert(command.end(),
                       {script, "https://localhost:" + std::to_string(own.port()) + "/v1/files",
                        basic(administrator), certificates().authority.string()});
        auto const finished =
            run({command, {{"NODE_EXTRA_CA_CERTS", certificates().authority.string()}}});
        CAPTURE(finished.error);
        CHECK(finished.output == "200");
        auto const received = own.upstream.requests();
        REQUIRE(received.size() == ++sent);
        CHECK(holds(received.back().body, "filename=\"\xc3\xa9 b.png\""));
    };
    if (has_program("node")) {
        send({"node", "--input-type=module", "-e"}, R"js(
const form = new FormData();
form.append("title", "a photo");
form.append("meta", new Blob(['{"n":1}'], { type: "application/json" }));
form.append("photo", new Blob(["png"], { type: "image/png" }), "\u00e9 b.png");
const response = await fetch(process.argv[1], { method: "POST", body: form, headers: { authorization: process.argv[2] } });
process.stdout.write(String(response.status));)js");
    }
    bool const has_requests =
        has_program("python3") && run({{"python3", "-c", "import requests"}}).exit_code == 0;
    if (has_requests) {
        send({"python3", "-c"}, R"py(
import requests, sys
files = {"title": (None, "a photo"), "photo": ("\u00e9 b.png", b"png", "image/png")}
response = requests.post(sys.argv[1], files=files, headers={"Authorization": sys.argv[2]}, verify=sys.argv[3])
print(response.status_code, end=""))py");
    }
}

TEST_CASE("what clients and upstreams leave out is not needed: a type of no content, a reason") {
    if (!has_program("curl")) return;
    Stage own = stage();
    own.upstream.respond_with([](UpstreamExchange& exchange) {
        exchange.send("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok");
    });
    std::vector<std::string> const chunks{"-H", "Content-Type:", "-H", "Transfer-Encoding: chunked"};
    auto const with = [&](std::string const& target, std::string const& data) {
        auto arguments = chunks;
        arguments.insert(arguments.end(), {"-d", data});
        return curl(own, target, arguments);
    };
    CHECK(with("/v1/files", "x").status == "415");
    CHECK(holds(with("/v1/forms", "").body, "needs a body, and has none"));
    CHECK(own.upstream.requests().empty());
    auto const empty = with("/v1/files", "");
    CHECK(empty.status == "200");
    CHECK(empty.body == "ok");
    CHECK(own.upstream.requests().size() == 1);
}

TEST_CASE("a text passes or is refused, and is not in the log even if it is JSON") {
    if (!has_program("curl")) return;
    Stage own = stage();
    auto const send = [&own](std::string const& type, std::string const& text) {
        return curl(own, "/v1/notes", {"-H", "Content-Type: " + type, "--data-binary", text});
    };
    CHECK(send("text/plain", "\"c4nary\"").status == "200");
    CHECK(send("text/plain; charset=us-ascii", "c4nary").status == "200");
    CHECK(send("text/plain; charset=latin1", "c4nary").status == "415");
    auto const violated = send("text/plain", "c4nary c4nary");
    CHECK(violated.status == "400");
    CHECK(holds(violated.body, "the body must have at most 9 characters"));
    CHECK(holds(send("text/plain", "\xff").body, "the body is not UTF-8 (at byte 0)"));
    CHECK(own.upstream.requests().size() == 2);
    own.finish();
    CHECK_FALSE(holds(read_file(own.gateway.access_log()), "c4nary"));
}

TEST_CASE("of a body that is secret as a whole the log has its size alone, of responses too") {
    if (!has_program("curl")) return;
    Stage own = stage();
    own.upstream.respond_with([](UpstreamExchange& exchange) {
        exchange.send(response_text("\"c4nary\"", 200, {{"Content-Type", "application/json"}}));
    });
    auto const sent =
        curl(own, "/v1/keys", {"-H", "Content-Type: application/json", "-d", "[\"c4nary\"]"});
    CHECK(sent.status == "200");
    CHECK(sent.body == "\"c4nary\"");
    auto const line = own.gateway.wait_for_log_lines(1)[0];
    CHECK(line["request_body"].names() == std::vector<std::string>{"bytes"});
    CHECK(line["response_body"].names() == std::vector<std::string>{"bytes"});
    own.finish();
    CHECK_FALSE(holds(read_file(own.gateway.access_log()), "c4nary"));
}

TEST_CASE("a form with nested names passes unchanged, or is refused by the places in its schema") {
    if (!has_program("curl")) return;
    Stage own = stage();
    auto const send = [&own](std::string const& body) {
        return curl(own, "/v1/filters", {"-d", body});
    };
    CHECK(send("f[rows][0][n]=1&f[rows][1][n]=2&f[rows][0][password]=c4nary").status == "200");
    REQUIRE(own.upstream.requests().size() == 1);
    CHECK(own.upstream.requests()[0].body
          == "f[rows][0][n]=1&f[rows][1][n]=2&f[rows][0][password]=c4nary");
    auto const violated = send("f[rows][0][n]=x");
    CHECK(violated.status == "400");
    CHECK(holds(violated.body, R"("pointer":"/f/rows/0/n")"));
    CHECK(holds(send("f[rows][][n]=1").body, "malformed_body"));
    CHECK(holds(send("f[rows][0][n]=1&f%5Brows%5D[1][n]=2").body, "malformed_body"));
    CHECK(own.upstream.requests().size() == 1);
    own.finish();
    CHECK_FALSE(holds(read_file(own.gateway.access_log()), "c4nary"));
}

} // namespace e32_forms
