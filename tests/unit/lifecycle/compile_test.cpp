// The content of a snapshot: upstreams, credentials, APIs, files; and problems that prevent
// one.
#include "gateway/lifecycle/compile.h"

#include "tests/support/certificates.h"
#include "tests/unit/support/snapshot.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace compile_test {

using namespace sallyport;
using namespace sallyport::lifecycle;
using lifecycle::test::configuration_text;
using lifecycle::test::Sections;

namespace {

// A folder with the files of a configuration, which a test may change.
struct Files {
    explicit Files(Sections const& sections = {})
        : path{lifecycle::test::write(folder, sections)} {}

    // Replaces the first by the second.
    void change(std::string const& from, std::string const& to) {
        auto text = sallyport::test::read_file(path);
        auto const at = text.find(from);
        REQUIRE(at != std::string::npos);
        folder.write("sallyport.yaml", text.replace(at, from.size(), to));
    }
    Compiled compile() const {
        return load(path, sallyport::test::tables(), lifecycle::test::fresh());
    }
    // All problems, a line each.
    std::string problems() const {
        std::string text;
        auto const compiled = compile();
        for (auto const& problem : compiled.problems)
            text += config::yaml::describe(problem) + "\n";
        CHECK((compiled.snapshot == nullptr) == config::yaml::has_errors(compiled.problems));
        return text;
    }

    sallyport::test::TemporaryFolder folder;
    std::string path;
};

bool has(std::string const& text, std::string_view word) {
    INFO(text);
    return text.find(word) != std::string::npos;
}

} // namespace

TEST_CASE("a missing file is a problem at the key that names it") {
    Files files;
    SECTION("a contract") {
        std::filesystem::remove(files.folder / "items.yaml");
        CHECK(has(files.problems(), "apis.items.contract"));
    }
    SECTION("the credentials") {
        std::filesystem::remove(files.folder / "credentials.yaml");
        CHECK(has(files.problems(), "credentials"));
    }
    SECTION("a certificate") {
        files.change("tls: off",
                     "tls: { certificates: [ { certificate: a.pem, private_key: b.pem } ] }");
        CHECK(has(files.problems(), "a.pem"));
    }
    SECTION("authorities of an upstream") {
        files.change("http://upstream.example:80\"]",
                     "https://upstream.example\"], tls: { ca: ca.pem }");
        CHECK(has(files.problems(), "ca.pem"));
    }
}

TEST_CASE("credentials that allow what no API has are refused") {
    struct Row {
        std::string allow;
        std::string said;
    };
    auto const row = GENERATE(values<Row>({
        {"{ operations: [items/nothing] }",
         "the contract of \"items\" has no operation \"nothing\""},
        {"{ operations: [other/getItem] }", "no API is called \"other\""},
        {"{ operations: [\"items/zzz*\"] }", "'*' stands for all operations of an API"},
        {"{ apis: [other] }", "no API is called \"other\""},
        {"{ operations: [files/getFile] }", "has no contract, so it has no operations"},
        {"{ operations: [\"items/*\"], nothing: [x] }",
         "no contract has a path parameter \"nothing\""},
    }));
    Files files;
    files.folder.write("credentials.yaml",
                       "credentials:\n  - name: tester\n    bearer: { tokens: [\"sha256:"
                           + sallyport::test::sha256_hex("x") + "\"] }\n    allow: " + row.allow
                           + "\n");
    files.change("authenticate: [basic]", "authenticate: [bearer]");
    auto const said = files.problems();
    CHECK(has(said, "credentials.yaml"));
    CAPTURE(said);
    CHECK(has(said, row.said));
}

TEST_CASE("credentials may be restricted to operations, APIs and values of parameters") {
    auto const* const allow =
        GENERATE("all", "{ operations: [items/getItem] }",
                 "{ operations: [\"items/*\"], id: [\"1\", \"2\"] }", "{ apis: [items] }");
    Files files;
    files.folder.write("credentials.yaml",
                       "credentials:\n  - name: tester\n    basic: { key_id: a, secrets: [\"sha256:"
                           + sallyport::test::sha256_hex("x")
                           + "\"] }\n    allow: " + std::string{allow} + "\n");
    auto const compiled = files.compile();
    for (auto const& problem : compiled.problems)
        UNSCOPED_INFO(config::yaml::describe(problem));
    REQUIRE(compiled.snapshot);
    REQUIRE(compiled.snapshot->credentials->all().size() == 1);
    CHECK(compiled.snapshot->credentials->all().front()->identity.permissions->size() == 2);
}

TEST_CASE("a reload keeps when each secret of an entry was last used") {
    Files files;
    auto const fast = [](std::string const& secret) {
        return "sha256:" + sallyport::test::sha256_hex(secret);
    };
    std::string const slow = "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
    auto const load_with = [&](std::string const& name, std::vector<std::string> const& secrets,
                               CarriedOver const& carried_over) {
        std::string list;
        for (auto const& secret : secrets)
            list += (list.empty() ? "\"" : ", \"") + secret + '"';
        files.folder.write("credentials.yaml", "credentials:\n  - name: " + name
                                                   + "\n    basic: { key_id: a, secrets: [" + list
                                                   + "] }\n    allow: all\n");
        auto const compiled = load(files.path, sallyport::test::tables(), carried_over);
        REQUIRE(compiled.snapshot);
        return compiled.snapshot->credentials;
    };
    auto const uses = [](pipeline::CredentialTable const& table) {
        return table.all().front()->last_uses;
    };
    auto const first = load_with("a", {fast("one"), slow}, lifecycle::test::fresh());
    auto const before = uses(*first);
    REQUIRE(before[0] != nullptr);
    REQUIRE(before[1] != nullptr);
    CHECK(first->all().front()->places_of_digests == std::array<std::uint8_t, 2>{0, 0});
    CHECK(first->all().front()->places_of_slow[0] == 1);
    auto carried_over = lifecycle::test::fresh();
    carried_over.credentials = first;
    // Whatever their order is.
    auto const swapped = uses(*load_with("a", {slow, fast("one")}, carried_over));
    CHECK(swapped[0] == before[1]);
    CHECK(swapped[1] == before[0]);
    auto const rotated = uses(*load_with("a", {fast("one"), fast("two")}, carried_over));
    CHECK(rotated[0] == before[0]);
    CHECK(rotated[1] != nullptr);
    CHECK(rotated[1] != before[1]);
    auto const finished = uses(*load_with("a", {slow}, carried_over));
    CHECK(finished[0] == before[1]);
    CHECK(finished[1] == nullptr);
    auto const renamed = uses(*load_with("b", {fast("one"), slow}, carried_over));
    CHECK(renamed[0] != before[0]);
    CHECK(renamed[1] != before[1]);
}

TEST_CASE("an entry may have a certificate beside a secret, by which each finds the other") {
    Files files;
    files.folder.write("credentials.yaml",
                       "credentials:\n  - name: a\n    client_certificate: { subject: \"CN=a\" }\n"
                       "    basic: { key_id: a, secrets: [\"sha256:"
                           + sallyport::test::sha256_hex("x") + "\"] }\n    allow: all\n");
    auto const compiled = files.compile();
    REQUIRE(compiled.snapshot);
    auto const& table = *compiled.snapshot->credentials;
    REQUIRE(table.all().size() == 1);
    auto const now = std::chrono::system_clock::now();
    auto const* const by_certificate = table.find("client_certificate", "sCN=a", now).valid();
    CHECK(by_certificate == table.all().front().get());
    pipeline::Sha256 sha256;
    CHECK(table.find("basic", "a", sha256("x"), now).valid() == by_certificate);
    CHECK(table.find("basic", "a", sha256("y"), now).valid() == nullptr);
    CHECK(table.find("basic", "sCN=a", sha256("x"), now).valid() == nullptr);
}

TEST_CASE("an upstream's own credential is spelled as it is sent") {
    Files files;
    SECTION("Basic") {
        files.change("http://upstream.example:80\"]",
                     "http://upstream.example:80\"], credential: { basic: { key_id: Aladdin, "
                     "secret: \"open sesame\" } }");
        auto const compiled = files.compile();
        REQUIRE(compiled.snapshot);
        // RFC 7617, 2.
        CHECK(compiled.snapshot->upstreams[0].settings.authorization->reveal()
              == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    }
    SECTION("Bearer") {
        files.change("http://upstream.example:80\"]",
                     "http://upstream.example:80\"], credential: { bearer: { token: abc } }");
        auto const compiled = files.compile();
        REQUIRE(compiled.snapshot);
        CHECK(compiled.snapshot->upstreams[0].settings.authorization->reveal() == "Bearer abc");
    }
    SECTION("Basic that cannot be sent") {
        files.change("http://upstream.example:80\"]",
                     "http://upstream.example:80\"], credential: { basic: { key_id: \"a:b\", "
                     "secret: x } }");
        CHECK(has(files.problems(), "key_id"));
    }
    SECTION("none") {
        CHECK_FALSE(files.compile().snapshot->upstreams[0].settings.authorization);
    }
}

TEST_CASE("the Host field is the endpoint's authority, unless configured otherwise") {
    struct Row {
        std::string upstream; // behind `endpoints: [`
        std::string host;
    };
    auto const authority = sallyport::test::certificates().authority.string();
    auto const row = GENERATE_COPY(values<Row>({
        {"\"http://upstream.example:80\"]", "upstream.example"},
        {"\"http://upstream.example:8080\"]", "upstream.example:8080"},
        {"\"http://[2001:db8::1]:80\"]", "[2001:db8::1]"},
        {"\"https://upstream.example:443\"], tls: { ca: \"" + authority + "\" }",
         "upstream.example"},
        {"\"https://upstream.example:443\"], tls: { server_name: other.example, ca: \"" + authority
             + "\" }",
         "other.example"},
        {"\"unix:/run/up.sock\"]", "localhost"},
        {"\"http://upstream.example:80\"], host: api.example", "api.example"},
    }));
    CAPTURE(row.upstream);
    Files files;
    files.change("\"http://upstream.example:80\"]", row.upstream);
    auto const compiled = files.compile();
    for (auto const& problem : compiled.problems)
        UNSCOPED_INFO(config::yaml::describe(problem));
    REQUIRE(compiled.snapshot);
    CHECK(compiled.snapshot->upstreams[0].hosts == std::vector{row.host});
}

TEST_CASE(
    "an upstream with other connection settings shares no connections with the previous one") {
    Files files;
    auto const before = files.compile().snapshot->upstreams[0].connects_as;
    CHECK(files.compile().snapshot->upstreams[0].connects_as == before);
    auto const* const more =
        GENERATE("host: a.example", "connections: { idle: 3 }", "timeouts: { connect: 1s }");
    files.change("http://upstream.example:80\"]",
                 "http://upstream.example:80\"], " + std::string{more});
    CHECK(files.compile().snapshot->upstreams[0].connects_as != before);
}

TEST_CASE("a file that is being written makes no snapshot") {
    Files files;
    int const writing = ::open((files.folder / "items.yaml").c_str(), O_WRONLY | O_CLOEXEC);
    REQUIRE(writing >= 0);
    auto const compiled = files.compile();
    ::close(writing);
    CHECK_FALSE(compiled.snapshot);
    REQUIRE(compiled.unfinished.size() == 1);
    CHECK(compiled.unfinished[0].ends_with("items.yaml"));
}

TEST_CASE("a snapshot lists the files that it depends on") {
    auto const compiled = Files{}.compile();
    REQUIRE(compiled.snapshot);
    for (auto const* const name : {"sallyport.yaml", "credentials.yaml", "items.yaml"})
        CHECK(std::any_of(compiled.snapshot->files.begin(), compiled.snapshot->files.end(),
                          [&](std::string const& file) { return file.ends_with(name); }));
}

TEST_CASE("included files and the folders of patterns are watched, also when one is broken") {
    Files files;
    files.folder.write("teams/a.yaml", "drain: 5s\n");
    files.change("listeners:", "include: [teams/*.yaml, gone.yaml]\nlisteners:");
    auto const depends_on = [&files](std::string const& name) {
        auto const compiled = files.compile();
        auto const path = (files.folder / name).string();
        return std::find(compiled.files.begin(), compiled.files.end(), path)
               != compiled.files.end();
    };
    CHECK(has(files.problems(), "include[1]: "));
    for (auto const* const name : {"teams/.", "teams/a.yaml", "gone.yaml"})
        CHECK(depends_on(name));
    files.folder.write("gone.yaml", "{}");
    CHECK(files.problems().empty());
    for (auto const* const name : {"teams/.", "teams/a.yaml", "gone.yaml"})
        CHECK(depends_on(name));
    // A file that is being written is named by the entry that leads to it.
    auto const path = (files.folder / "teams/a.yaml").string();
    int const writer = ::open(path.c_str(), O_WRONLY);
    REQUIRE(writer >= 0);
    CHECK(has(files.problems(), "include[0]: " + path + ": is still being written"));
    ::close(writer);
}

TEST_CASE("a log that cannot be opened prevents a start, but not a reload") {
    Files files{{.access_log = "{ output: missing/access.log }"}};
    auto const compiled = files.compile();
    CHECK(compiled.snapshot);
    REQUIRE(compiled.obstacles.size() == 1);
    CHECK(has(config::yaml::describe(compiled.obstacles[0]), "there is no folder"));
}

TEST_CASE("the name of a secret cannot be an exception from redaction") {
    Files files{{.rest = "redact: { members: [launchCode], except: [launchCode] }\n"}};
    CHECK(has(files.problems(), "is itself the name of a secret"));
}

} // namespace compile_test
