// `credential`: what its commands print and refuse; no hash and no secret where none belongs.
#include "tests/end_to_end/prepared.h"

#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace e10_credential {

using namespace sallyport::test;

TEST_CASE("credential create prints a secret once, and its entry works in the file") {
    auto const first = run_gateway({"credential", "create", "--name", "ci"});
    CAPTURE(first.output, first.error);
    REQUIRE(first.exit_code == 0);
    auto const second = run_gateway({"credential", "create", "--name", "ci"});
    CHECK(first.output != second.output);
    CHECK(first.output.find("sha256:") != std::string::npos);
    CHECK(first.output.find("allow:") != std::string::npos);
}

TEST_CASE("the first credential is made by the command, in an empty file or a new one") {
    for (auto const* const text : {"", "# Callers.\ncredentials: []\n"}) {
        Prepared const prepared;
        auto const file = prepared.folder / "credentials.yaml";
        std::filesystem::remove(file);
        bool const is_there = *text != '\0';
        if (is_there) prepared.folder.write("credentials.yaml", text);
        // A file without credentials is loaded, with a warning; a missing one is an error.
        auto const before = prepared.check();
        CHECK(before.exit_code == (is_there ? 0 : 1));
        CHECK((before.output.find("credentials.yaml:2:14: warning: credentials: is empty")
               != std::string::npos)
              == is_there);
        auto const made = run_gateway({"credential", "create", "--name", "first", "--allow",
                                       "management/*", "--write", "sallyport.yaml"},
                                      {}, prepared.folder.path());
        CAPTURE(made.output, made.error);
        CHECK(made.exit_code == 0);
        CHECK((made.output.find("The file is new, with mode 0600") == std::string::npos)
              == is_there);
        auto const others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
        auto const mode = std::filesystem::status(file).permissions();
        CHECK(((mode & others) == std::filesystem::perms::none) == !is_there);
        CHECK(prepared.check().exit_code == 0);
    }
}

TEST_CASE("credential create refuses what the file of credentials would refuse") {
    for (auto const* const allow :
         {"all,management/*", "management", "/x", "a/", "a/b/c", "a b/*"}) {
        auto const finished =
            run_gateway({"credential", "create", "--name", "ci", "--allow", allow});
        CAPTURE(allow, finished.output, finished.error);
        CHECK(finished.exit_code == 2);
        CHECK(finished.output.empty());
        CHECK(finished.error.find("--allow: ") != std::string::npos);
    }
    for (auto const* const allow : {"all", "management/*", "management/getPipe,observability/*"})
        CHECK(run_gateway({"credential", "create", "--name", "ci", "--allow", allow}).exit_code
              == 0);
}

TEST_CASE("credential rotate prints both hashes and the new secret, and does not change the file") {
    Prepared const prepared;
    auto const before = read_file(prepared.folder / "credentials.yaml");
    auto const rotate = [&](std::string const& name) {
        return run_gateway(
            {"credential", "rotate", "-c", "sallyport.yaml", "--name", name, "--format", "json"},
            {}, prepared.folder.path());
    };
    for (auto const& [name, secret] :
         {std::pair{"scale", scale.secret}, std::pair{"observer", observer_token}}) {
        auto const finished = rotate(name);
        CAPTURE(finished.output, finished.error);
        REQUIRE(finished.exit_code == 0);
        auto const made = Json::parse(finished.output);
        CHECK(made["hashes"][0].string == "sha256:" + sha256_hex(std::string{secret}));
        CHECK(made["hashes"][1].string == "sha256:" + sha256_hex(made.text("secret")));
    }
    CHECK(read_file(prepared.folder / "credentials.yaml") == before);
    auto const twice = rotate("rotating");
    CHECK(twice.exit_code == 1);
    CHECK(twice.error.find("has two secrets already") != std::string::npos);
    auto const unknown = rotate("scal");
    CHECK(unknown.exit_code == 1);
    CHECK(unknown.error.find("did you mean \"scale\"?") != std::string::npos);
}

TEST_CASE("a credential is made, rotated and revoked while the gateway runs") {
    Stage stage;
    auto const folder = stage.gateway.folder();
    unsigned changes = 0;
    auto const change = [&](std::vector<std::string> words) {
        words.insert(words.begin(), "credential");
        words.insert(words.end(), {"--name", "new", "--format", "json"});
        auto const finished = run_gateway(words, {}, folder);
        CAPTURE(finished.output, finished.error);
        REQUIRE(finished.exit_code == 0);
        stage.gateway.wait_for_reloads(++changes);
        return Json::parse(finished.output);
    };
    auto const made =
        change({"create", "--write", "sallyport.yaml", "--allow", "management/getPipe"});
    auto const status_with = [&](std::string const& secret) {
        auto const field = basic_of(made.text("key_id") + ':' + secret);
        return stage.send(request_for("getPipe").authorization(field)).status;
    };
    auto const first = made.text("secret");
    CHECK(status_with(first) == 200);
    CHECK(status_with(first + "x") == 401);
    auto const second = change({"rotate", "-c", "sallyport.yaml", "--write"}).text("secret");
    CHECK(status_with(first) == 200);
    CHECK(status_with(second) == 200);
    static_cast<void>(change({"rotate", "-c", "sallyport.yaml", "--finish"}));
    CHECK(status_with(first) == 401);
    CHECK(status_with(second) == 200);
    static_cast<void>(change({"revoke", "-c", "sallyport.yaml"}));
    auto const refused = stage.send(
        request_for("getPipe").authorization(basic_of(made.text("key_id") + ':' + second)));
    CHECK(refused.status == 401);
    CHECK(stage.log_of(refused).text("auth_failure") == "disabled");
    stage.gateway.wait_for_error_output([](std::string const& text) {
        return text.find("the credential is disabled: new") != std::string::npos;
    });
    // The others are as before.
    CHECK(read_file(folder / "credentials.yaml").starts_with(standard_credentials()));
    stage.finish();
}

TEST_CASE("a denied secret is refused within a second, without a reload") {
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.credentials = "credentials.yaml, denied: denied.txt";
                    configuration.rest += "reload: on_signal\n";
                },
                {.files = {{"denied.txt", "# none\n"}}}};
    auto const pipe = request_for("getPipe").authorization(basic(administrator));
    CHECK(stage.send(pipe).status == 200);
    auto const event = [&stage](std::string const& text) {
        stage.gateway.wait_for_error_output(
            [&text](std::string const& output) { return output.find(text) != std::string::npos; });
    };
    event("denied_secrets_loaded count=0");
    auto const hash = "sha256:" + sha256_hex(std::string{administrator.secret});
    stage.gateway.replace("denied.txt", hash + " # leaked\n");
    event("denied_secrets_loaded count=1");
    auto const refused = stage.send(pipe);
    CHECK(refused.status == 401);
    CHECK(stage.log_of(refused).text("auth_failure") == "denied");
    CHECK(stage.send(request_for("getPipe").authorization(basic(scale))).status == 200);
    // A list with an error leaves the one in force.
    stage.gateway.replace("denied.txt", "not a hash\n");
    event("denied_secrets_rejected");
    CHECK(stage.send(pipe).status == 401);
    std::filesystem::remove(stage.gateway.folder() / "denied.txt");
    event("denied.txt: No such file");
    CHECK(stage.send(pipe).status == 401);
    stage.gateway.replace("denied.txt", "");
    stage.gateway.wait_for_error_output([](std::string const& output) {
        auto const first = output.find("denied_secrets_loaded count=0");
        return output.find("denied_secrets_loaded count=0", first + 1) != std::string::npos;
    });
    CHECK(stage.send(pipe).status == 200);
    stage.finish();
}

TEST_CASE("check fails with a list of denied secrets that is wrong") {
    Prepared prepared;
    prepared.configuration.credentials = "credentials.yaml, denied: denied.txt";
    prepared.write();
    for (auto const& [text, problem] :
         {std::pair{"sha256:0\n", "denied.txt:1: is no hash as `sallyport credential hash`"},
          std::pair{"", ""}}) {
        prepared.folder.write("denied.txt", text);
        auto const finished = prepared.check();
        CAPTURE(finished.output, finished.error);
        CHECK((finished.exit_code == 0) == std::string_view{problem}.empty());
        CHECK(finished.output.find(problem) != std::string::npos);
    }
}

TEST_CASE("credential hash reads the secret from standard input and never prints it") {
    std::string const secret = "0123456789abcdefghijkl";
    for (auto const* end : {"", "\n"}) {
        auto const finished = run_gateway({"credential", "hash"}, secret + end);
        CAPTURE(finished.output, finished.error);
        CHECK(finished.exit_code == 0);
        CHECK(finished.output == "sha256:" + sha256_hex(secret) + "\n");
    }
    CHECK(run_gateway({"credential", "hash"}, "").exit_code != 0);
    CHECK(run_gateway({"credential", "hash"}, "short").exit_code != 0);
}

TEST_CASE("credential list shows names and permissions, never a hash") {
    Prepared const prepared;
    auto const finished =
        run_gateway({"credential", "list", "-c", "sallyport.yaml"}, {}, prepared.folder.path());
    CAPTURE(finished.output, finished.error);
    CHECK(finished.exit_code == 0);
    for (auto const* name : {"administrator", "narrow", "observer", "expired"})
        CHECK(finished.output.find(name) != std::string::npos);
    CHECK(finished.output.find(sha256_hex(administrator.secret)) == std::string::npos);
}

} // namespace e10_credential
