// Checks of a configuration with only its checkout.
#include "gateway/lifecycle/offline.h"

#include "tests/unit/support/snapshot.h"

namespace offline_test {

using namespace sallyport;
using namespace sallyport::lifecycle;
using lifecycle::test::Sections;

namespace {

struct Checkout {
    explicit Checkout(Sections const& sections = {})
        : path{lifecycle::test::write(folder, sections)} {}

    void change(std::string const& from, std::string const& to) {
        auto text = sallyport::test::read_file(path);
        auto const at = text.find(from);
        REQUIRE(at != std::string::npos);
        folder.write("sallyport.yaml", text.replace(at, from.size(), to));
    }
    CheckedOffline check() const { return check_offline(path, sallyport::test::tables()); }

    sallyport::test::TemporaryFolder folder;
    std::string path;
};

bool has_error(CheckedOffline const& checked, std::string_view word) {
    for (auto const& problem : checked.problems)
        if (config::yaml::describe(problem).find(word) != std::string::npos) return true;
    return false;
}
bool is_left_open(CheckedOffline const& checked, std::string_view word) {
    for (auto const& one : checked.not_checked)
        if (one.what.find(word) != std::string::npos) return true;
    return false;
}

} // namespace

TEST_CASE("a valid checkout has no problems offline") {
    auto const checked = Checkout{}.check();
    CHECK_FALSE(config::yaml::has_errors(checked.problems));
    CHECK(checked.apis.size() == 2);
    CHECK(checked.credentials.size() == 1);
    CHECK(checked.has_all_credentials);
}

TEST_CASE("values that need more than the checkout are accepted, and listed") {
    Checkout checkout;
    SECTION("certificates") {
        checkout.change("tls: off",
                        "tls: { certificates: [ { certificate: a.pem, private_key: b.pem } ] }");
        auto const checked = checkout.check();
        CHECK_FALSE(config::yaml::has_errors(checked.problems));
        CHECK(is_left_open(checked, "a.pem"));
    }
    SECTION("the environment") {
        checkout.change("http://upstream.example:80", "${env:UPSTREAM_THAT_IS_NOT_SET}");
        auto const checked = checkout.check();
        CHECK_FALSE(config::yaml::has_errors(checked.problems));
        CHECK(is_left_open(checked, "UPSTREAM_THAT_IS_NOT_SET"));
    }
    SECTION("credentials that are not in it") {
        std::filesystem::remove(checkout.folder / "credentials.yaml");
        auto const checked = checkout.check();
        CHECK_FALSE(config::yaml::has_errors(checked.problems));
        CHECK_FALSE(checked.has_all_credentials);
        CHECK(is_left_open(checked, "credentials.yaml"));
    }
}

TEST_CASE("problems of the checkout are found offline") {
    Checkout checkout;
    SECTION("a contract that is not there") {
        std::filesystem::remove(checkout.folder / "items.yaml");
        CHECK(has_error(checkout.check(), "apis.items.contract"));
    }
    SECTION("a key that there is not") {
        checkout.change("limits: {", "limits: { nothing: 1,");
        CHECK(has_error(checkout.check(), "nothing"));
    }
    SECTION("credentials that allow what no contract has") {
        checkout.folder.write("credentials.yaml",
                              "credentials:\n  - name: tester\n    basic: { key_id: a, secrets: "
                              "[\"sha256:"
                                  + sallyport::test::sha256_hex("x")
                                  + "\"] }\n    allow: { operations: [items/nothing] }\n");
        CHECK(has_error(checkout.check(), "has no operation \"nothing\""));
    }
}

} // namespace offline_test
