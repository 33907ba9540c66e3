// When the secrets of a credential were last used, through a rotation and its reloads.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

namespace e51_last_use {

using namespace sallyport::test;

namespace {

struct Watched {
    Watched()
        : stage{{}, [](Configuration& configuration) {
                    configuration.workers = "2";
                    configuration.rest += std::string{admin_section};
                }} {}

    Json credentials(std::string const& path) const {
        auto const response = request_admin(stage.gateway, path);
        CHECK(response.status == 200);
        return Json::parse(response.body)["credentials"];
    }
    // Of the entry: "used,never"; empty: it is not in the list.
    static std::string uses_in(Json const& list, std::string const& name) {
        for (auto const& one : list.items) {
            if (one.text("name") != name) continue;
            std::string out;
            for (auto const& time : one["last_use"].items) {
                if (!time.is_null()) CHECK(time.string.ends_with(":00Z"));
                out += (out.empty() ? "" : ",") + std::string{time.is_null() ? "never" : "used"};
            }
            return out;
        }
        return {};
    }
    // A line is written after its response, and the use is noted with it.
    std::string used(std::string const& name) const {
        return uses_in(credentials("/status?last_use")["used"], name);
    }
    std::string rotating(std::string const& name) const {
        return uses_in(credentials("/status")["rotating"], name);
    }
    int send(std::string const& field) const {
        auto const response = stage.send(request_for("getPipe").authorization(field));
        static_cast<void>(stage.log_of(response));
        return response.status;
    }
    Json change(std::vector<std::string> words) {
        words.insert(words.begin(), "credential");
        words.insert(words.end(), {"--name", "scale", "--format", "json"});
        auto const finished = run_gateway(words, {}, stage.gateway.folder());
        CAPTURE(finished.output, finished.error);
        REQUIRE(finished.exit_code == 0);
        stage.gateway.wait_for_reloads(++reloads);
        return Json::parse(finished.output);
    }
    std::string list(std::vector<std::string> const& more) const {
        std::vector<std::string> words{"credential",
                                       "list",
                                       "-c",
                                       "sallyport.yaml",
                                       "--last-use",
                                       "--address",
                                       "127.0.0.1:" + std::to_string(stage.gateway.admin_port())};
        words.insert(words.end(), more.begin(), more.end());
        auto const finished = run_gateway(words, {}, stage.gateway.folder());
        CAPTURE(finished.error);
        CHECK(finished.exit_code == 0);
        return finished.output;
    }

    std::size_t reloads = 0;
    Stage stage;
};

// What `credential list` says of an entry.
std::string part_of(std::string const& list, std::string const& name) {
    auto const begin = list.find('\n' + name + '\n');
    REQUIRE(begin != std::string::npos);
    auto end = begin + 1;
    do {
        end = list.find('\n', end + 1);
    } while (end != std::string::npos && list.compare(end, 3, "\n  ") == 0);
    return list.substr(begin + 1, end - begin);
}

} // namespace

TEST_CASE("a rotation shows when its older secret is not used any more") {
    Watched watched;
    CHECK(watched.used("scale").empty());
    CHECK(watched.send(basic(scale)) == 200);
    CHECK(watched.used("scale") == "used");
    CHECK(watched.rotating("scale").empty());

    auto const made = watched.change({"rotate", "-c", "sallyport.yaml", "--write"});
    auto const second = basic_of(std::string{scale.id} + ':' + made.text("secret"));
    // The older secret keeps its time through the reload.
    CHECK(watched.rotating("scale") == "used,never");
    CHECK(watched.send(second) == 200);
    CHECK(watched.rotating("scale") == "used,used");
    auto const text = part_of(watched.list({}), "scale");
    CHECK(text.find("  first secret: last used 20") != std::string::npos);
    CHECK(text.find("  second secret: last used 20") != std::string::npos);

    static_cast<void>(watched.change({"rotate", "-c", "sallyport.yaml", "--finish"}));
    // The newer one, now the only one, keeps its own.
    CHECK(watched.rotating("scale").empty());
    CHECK(watched.used("scale") == "used");
    CHECK(watched.send(basic(scale)) == 401);
    CHECK(watched.send(second) == 200);
    watched.stage.finish();
}

TEST_CASE("only the secret that was used counts, and wrong ones do not") {
    Watched watched;
    CHECK(watched.send(basic({rotating_new.id, "a wrong secret"})) == 401);
    CHECK(watched.used("rotating").empty());
    CHECK(watched.rotating("rotating") == "never,never");
    for (int i = 0; i < 2; ++i) // looked up, and known
        CHECK(watched.send(basic(rotating_new)) != 401);
    CHECK(watched.rotating("rotating") == "never,used");
    CHECK(watched.used("rotating") == "never,used");
    auto const text = part_of(watched.list({}), "rotating");
    CHECK(text.find("  first secret: not used since the gateway started, 20") != std::string::npos);
    CHECK(text.find("  second secret: last used 20") != std::string::npos);
    auto const json = Json::parse(watched.list({"--format", "json"}))["credentials"];
    bool is_there = false;
    for (auto const& one : json.items) {
        if (one.text("name") != "rotating") continue;
        is_there = true;
        CHECK(one["last_use"][0].is_null());
        CHECK(one["last_use"][1].string.ends_with(":00Z"));
    }
    CHECK(is_there);
    // Neither place has anything of a secret or its hash.
    auto const all =
        watched.list({}) + request_admin(watched.stage.gateway, "/status?last_use").body;
    CHECK(all.find("sha256") == std::string::npos);
    CHECK(all.find(sha256_hex(std::string{rotating_new.secret}).substr(0, 12))
          == std::string::npos);
    auto const status = run_gateway(
        {"status", "--address", "127.0.0.1:" + std::to_string(watched.stage.gateway.admin_port())});
    CHECK(
        status.output.find("rotating  ROTATING: the older secret not used yet, the newer last used")
        != std::string::npos);
    watched.stage.finish();
}

TEST_CASE("an entry that is renamed, or has another secret, begins anew") {
    Watched watched;
    CHECK(watched.send(basic(scale)) == 200);
    CHECK(watched.send(basic(reader)) == 200);
    auto credentials = standard_credentials();
    auto const replace = [&](std::string const& from, std::string const& to) {
        auto const at = credentials.find(from);
        REQUIRE(at != std::string::npos);
        credentials.replace(at, from.size(), to);
    };
    replace("name: scale", "name: renamed");
    watched.stage.gateway.replace("credentials.yaml", credentials);
    watched.stage.gateway.wait_for_reloads(1);
    CHECK(watched.used("renamed").empty());
    CHECK(watched.used("reader") == "used");
    replace(sha256_hex(std::string{reader.secret}), sha256_hex("another secret of the reader"));
    watched.stage.gateway.replace("credentials.yaml", credentials);
    watched.stage.gateway.wait_for_reloads(2);
    CHECK(watched.used("reader").empty());
    watched.stage.finish();
}

TEST_CASE("credential list says so where no gateway responds, and does not ask unless told to") {
    Watched watched;
    auto const folder = watched.stage.gateway.folder();
    auto const refused = run_gateway(
        {"credential", "list", "-c", "sallyport.yaml", "--last-use", "--address", "127.0.0.1:1"},
        {}, folder);
    CHECK(refused.exit_code == 1);
    CHECK(refused.output.empty());
    CHECK(refused.error.find("the gateway does not respond at 127.0.0.1 port 1")
          != std::string::npos);
    auto const alone = run_gateway({"credential", "list", "-c", "sallyport.yaml"}, {}, folder);
    CHECK(alone.exit_code == 0);
    CHECK(alone.output.find("last used") == std::string::npos);
    CHECK(alone.output.find("not used since") == std::string::npos);
    auto const unneeded = run_gateway(
        {"credential", "list", "-c", "sallyport.yaml", "--address", "127.0.0.1:1"}, {}, folder);
    CHECK(unneeded.exit_code != 0);
    watched.stage.finish();
}

} // namespace e51_last_use
