// When a secret was last used, to the minute, and of which of two secrets that is noted.
#include "gateway/pipeline/credentials.h"
#include "gateway/pipeline/known_callers.h"
#include "gateway/pipeline/last_use.h"

#include <catch2/catch.hpp>

namespace last_use_test {

using namespace sallyport::pipeline;
using TimePoint = std::chrono::system_clock::time_point;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_CASE("the last use is that of the latest minute, whichever worker is late") {
    LastUse use;
    CHECK_FALSE(use.time());
    TimePoint const minute{minutes{29'000'000}};
    use.note(minute + seconds{59});
    CHECK(use.time() == minute);
    use.note(minute + seconds{60});
    CHECK(use.time() == minute + seconds{60});
    use.note(minute); // a worker whose moment was earlier
    CHECK(use.time() == minute + seconds{60});
}

TEST_CASE("a proof leads to the last use of the very secret, in the order of the file") {
    Sha256 sha256;
    TimePoint const now{minutes{29'000'000}};
    CredentialTable table;
    auto const add = [&](std::string const& name, std::array<std::uint8_t, 2> places) {
        Credential credential;
        credential.identity.name = name;
        credential.digests = {sha256("one"), sha256("two")};
        credential.places_of_digests = places;
        for (auto& use : credential.last_uses)
            use = std::make_shared<LastUse>();
        return &table.add("basic", {name}, std::move(credential));
    };
    auto const* const usual = add("usual", {0, 1});
    auto const* const other = add("other", {1, 0});
    auto const find = [&](std::string const& name, std::string_view secret) {
        return table.find("basic", name, sha256(secret), now);
    };
    CHECK(find("usual", "one").last_use() == usual->last_uses[0].get());
    CHECK(find("usual", "two").last_use() == usual->last_uses[1].get());
    CHECK(find("other", "one").last_use() == other->last_uses[1].get());
    CHECK(find("other", "two").last_use() == other->last_uses[0].get());
    CHECK(find("other", "three").valid() == nullptr);

    KnownCallers callers;
    callers.remember(table, "basic", "Basic abc", find("usual", "two"));
    auto const known = callers.find(table, "basic", "Basic abc");
    CHECK(known.credential == usual);
    CHECK(known.last_use == usual->last_uses[1].get());
}

TEST_CASE("another authenticator finds the same credential, without any of its secrets") {
    Sha256 sha256;
    TimePoint const now{minutes{29'000'000}};
    CredentialTable table;
    Credential credential;
    credential.digests.fill(sha256("secret"));
    auto const& added = table.add("basic", {"id"}, std::move(credential));
    table.add_keys("certificate", {"serial", "id"}, added);
    CHECK(table.find("certificate", "serial", now).valid() == &added);
    CHECK(table.find("certificate", "id", now).valid() == &added);
    CHECK(table.find("basic", "id", sha256("secret"), now).valid() == &added);
    CHECK(table.find("basic", "serial", sha256("secret"), now).valid() == nullptr);
    CHECK(table.find("bearer", "id", now).valid() == nullptr);
    CHECK(table.all().size() == 1);
}

} // namespace last_use_test
