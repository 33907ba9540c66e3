// What a reload reports of the credentials: which entries have changed, and what of them.
#include "gateway/lifecycle/credential_changes.h"

#include "tests/unit/support/snapshot.h"

namespace credential_changes_test {

using namespace sallyport;
using namespace sallyport::lifecycle;

namespace {

std::string digest(char letter) {
    return "sha256:" + std::string(64, letter);
}

std::string entry(std::string const& name, std::string const& rest) {
    return "- { name: " + name + ", " + rest + " }\n";
}

std::string basic(std::string const& key_id, std::string const& digests) {
    return "basic: { key_id: " + key_id + ", secrets: [" + digests + "] }";
}

// A table of a file of credentials with these texts: of roles, and of entries.
std::shared_ptr<pipeline::CredentialTable const> table(std::string const& entries,
                                                       std::string const& roles = {}) {
    sallyport::test::TemporaryFolder const folder;
    auto const path = lifecycle::test::write(folder, {});
    folder.write("credentials.yaml", roles + "credentials:\n" + entries);
    return lifecycle::test::load(path)->credentials;
}

CredentialChanges changes_between(pipeline::CredentialTable const& before,
                                  pipeline::CredentialTable const& now) {
    return CredentialsBefore{before}.changes_to(now);
}

// `NAME:CHANGE,CHANGE NAME:CHANGE`
std::string described(CredentialChanges const& changes) {
    std::string out;
    for (auto const& one : changes.first) {
        out += out.empty() ? "" : " ";
        out += one.name;
        auto separator = ':';
        for (auto const change : one.changes) {
            out += separator;
            out += to_string(change);
            separator = ',';
        }
    }
    return out;
}

std::string between(std::string const& before, std::string const& now) {
    return described(changes_between(*table(before), *table(now)));
}

std::string const allow = ", allow: all";
std::string const slow = "\"$2b$10$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e\"";

} // namespace

TEST_CASE("an entry that stays as it is has not changed, wherever it stands") {
    auto const one = entry("one", basic("k", digest('1')) + allow + ", labels: { a: 1 }");
    auto const two = entry("two", "bearer: { tokens: [" + digest('2') + "] }" + allow);
    auto const three = entry("three", basic("l", slow) + allow);
    auto const changes =
        changes_between(*table(one + two + three), *table("# more\n" + three + two + one));
    CHECK(changes.are_none());
    CHECK(changes.first.empty());
}

TEST_CASE("entries that are new, gone, disabled or enabled are told apart") {
    auto const one = entry("one", basic("k", digest('1')) + allow);
    auto const two = entry("two", basic("l", digest('2')) + allow);
    auto const off = entry("two", basic("l", digest('2')) + allow + ", disabled: true");
    CHECK(between(one, one + two) == "two:added");
    CHECK(between(one + two, two) == "one:removed");
    CHECK(between(one, two) == "two:added one:removed");
    CHECK(between(one + two, one + off) == "two:disabled");
    CHECK(between(one + off, one + two) == "two:enabled");
    CHECK(count_disabled(*table(one + off)) == 1);
    auto const changes = changes_between(*table(one + two), *table(off));
    CHECK(changes.added == 0);
    CHECK(changes.removed == 1);
    CHECK(changes.changed == 1);
}

TEST_CASE("secrets that are added and removed are told apart, of fast hashes and slow ones") {
    std::string const other = "\"$2b$10$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6a\"";
    auto const with = [](std::string const& digests) {
        return entry("one", basic("k", digests) + allow);
    };
    auto const one = digest('1');
    auto const two = digest('2');
    CHECK(between(with(one), with(one + ", " + two)) == "one:secret_added");
    CHECK(between(with(one + ", " + two), with(two)) == "one:secret_removed");
    CHECK(between(with(one), with(two)) == "one:secret_added,secret_removed");
    CHECK(between(with(one + ", " + two), with(two + ", " + one)).empty());
    CHECK(between(with(one), with(one + ", " + slow)) == "one:secret_added");
    CHECK(between(with(one + ", " + slow), with(slow)) == "one:secret_removed");
    CHECK(between(with(slow), with(other)) == "one:secret_added,secret_removed");
    // Also where the secret is what the entry is found by.
    auto const token = [](std::string const& digests) {
        return entry("one", "bearer: { tokens: [" + digests + "] }" + allow);
    };
    CHECK(between(token(one), token(one + ", " + two)) == "one:secret_added");
}

TEST_CASE("every other key of an entry is a change of it") {
    auto const with = [](std::string const& rest, std::string const& key_id = "k") {
        return entry("one", basic(key_id, digest('1')) + ", " + rest);
    };
    std::string const operations = "allow: { operations: [items/getItem] }";
    for (auto const& [before, now] : {
             std::pair{with("allow: all"), with("allow: all", "l")},
             std::pair{with("allow: all"), with(operations)},
             std::pair{with(operations), with("allow: { operations: [items/putItem] }")},
             std::pair{with(operations), with("allow: { operations: [items/*] }")},
             std::pair{with("allow: { apis: [items] }"), with("allow: { apis: [files] }")},
             std::pair{with("allow: { methods: [GET] }"), with("allow: { methods: [PUT] }")},
             std::pair{with("allow: { methods: [GET] }"), with("allow: { read_only: true }")},
             std::pair{with("allow: { id: [a] }"), with("allow: { id: [b] }")},
             std::pair{with("allow: all"), with("allow: all, deny: [ { methods: [PUT] } ]")},
             std::pair{with("allow: all"), with("allow: all, labels: { a: 1 }")},
             std::pair{with("allow: all, labels: { a: 1 }"), with("allow: all, labels: { a: 2 }")},
             std::pair{with("allow: all, labels: { a: 1 }"),
                       with("allow: all, labels: { a: \"1\" }")},
             std::pair{with("allow: all"), with("allow: all, expires: 2099-01-01T00:00:00Z")},
             std::pair{with("allow: all"), with("allow: all, not_before: 2000-01-01T00:00:00Z")},
         }) {
        CAPTURE(before, now);
        CHECK(between(before, now) == "one:changed");
    }
    CHECK(between(with("allow: all"), with("allow: all, disabled: true", "l"))
          == "one:disabled,changed");
}

TEST_CASE("a change of a role is one of each entry that has it") {
    auto const of = [](std::string const& name, std::string const& digest_of) {
        return entry(name, basic(name, digest_of) + ", roles: [reader]");
    };
    auto const all = of("one", digest('1')) + of("two", digest('2'))
                     + entry("three", basic("three", digest('3')) + allow);
    auto const before = table(all, "roles: { reader: { allow: { apis: [items] } } }\n");
    auto const now = table(all, "roles: { reader: { allow: all } }\n");
    CHECK(described(changes_between(*before, *now)) == "one:changed two:changed");
}

TEST_CASE("the first changes are listed, and all are counted") {
    std::string before;
    std::string now;
    for (int i = 0; i < 30; ++i) {
        auto const name = "n" + std::to_string(i);
        before += entry(name, basic(name, digest('1')) + allow);
        now += entry(name, basic(name, digest('2')) + allow);
    }
    auto const changes = changes_between(
        *table(before), *table(now + entry("new", basic("new", digest('3')) + allow)));
    CHECK(changes.changed == 30);
    CHECK(changes.added == 1);
    CHECK(changes.first.size() == most_changes_listed);
    CHECK(changes.first.front().name == "n0");
}

} // namespace credential_changes_test
