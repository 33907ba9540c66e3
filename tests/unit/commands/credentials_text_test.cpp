// The text of a file of credentials after a change: comments, line ends, and lists that were
// missing.
#include "folder.h"
#include "gateway/commands/credentials_text.h"

#include <catch2/catch.hpp>

#include <string>

namespace credentials_text_test {

using namespace sallyport;
using namespace sallyport::commands;
using sallyport::commands::test::one;
using sallyport::commands::test::two;

namespace {

DigestsKey const tokens{"bearer", "tokens"};

NewEntry entry() {
    return {"new", {"basic", "secrets"}, "key_id", "k", two, {"all"}};
}

std::string const entry_lines =
    "  - name: new\n    basic: { key_id: \"k\", secrets: [\"" + two + "\"] }\n    allow: all\n";

std::string with_returns(std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
        text.insert(at, 1, '\r');
    return text;
}

// Of a credential with the lines of its tokens.
std::string file_with(std::string const& lines) {
    return "credentials:\n- name: ci\n  bearer:\n    tokens:" + lines + "  allow: all\n";
}

std::string without_first(std::string const& lines) {
    CredentialsText text{"k.yaml", file_with(lines)};
    CHECK(text.remove_first_digest("ci", tokens).empty());
    return text.text();
}

} // namespace

TEST_CASE("the older digest goes with its own line, and the comments around it stay") {
    auto const before = "\n    # Of the team.\n";
    auto const after = "    # Since June:\n\n    # of the pipeline\n    - " + two + " # June\n";
    CHECK(without_first(before + ("    - " + one) + " # May\n" + after)
          == file_with(before + after));
    // Each on a line of its own, in brackets.
    auto const rest = "      # Since June:\n      \"" + two + "\" ]\n";
    CHECK(without_first(" [\n      \"" + one + "\", # May\n" + rest) == file_with(" [\n" + rest));
    // On one line with something else.
    CHECK(without_first(" [ \"" + one + "\", \"" + two + "\" ] # both\n")
          == file_with(" [ \"" + two + "\" ] # both\n"));
    CHECK(without_first(" [ \"" + one + "\",\n      \"" + two + "\" ]\n")
          == file_with(" [ \"" + two + "\" ]\n"));
    CHECK(without_first("\n    -\n      " + one + "\n    - " + two + "\n")
          == file_with("\n    -\n      " + two + "\n"));
}

TEST_CASE("lines that are added end as those of the file") {
    auto const written = file_with("\n    - " + one + " # May\n");
    auto const changed = [](std::string const& text) {
        CredentialsText out{"k.yaml", text};
        CHECK(out.add_digest("ci", tokens, two).empty());
        CHECK(out.disable("ci").empty());
        CHECK(out.add(entry()).empty());
        return out.text();
    };
    auto const expected =
        "credentials:\n- disabled: true\n  name: ci\n  bearer:\n    tokens:\n    - " + one
        + " # May\n    - \"" + two
        + "\"\n  allow: all\n- name: new\n  basic: { key_id: \"k\", secrets: "
          "[\""
        + two + "\"] }\n  allow: all\n";
    CHECK(changed(written) == expected);
    CHECK(changed(with_returns(written)) == with_returns(expected));
    // A last line without an end.
    CredentialsText last{"k.yaml", "credentials:\r\n- name: ci\r\n  allow: all\r\n  bearer:\r\n"
                                   "    tokens:\r\n    - "
                                       + one};
    CHECK(last.add_digest("ci", tokens, two).empty());
    CHECK(last.text().ends_with(one + "\r\n    - \"" + two + '"'));
    // In brackets.
    CredentialsText flow{"k.yaml", "{ \"credentials\":\r\n [ { \"name\": \"ci\", \"allow\": "
                                   "\"all\" } ] }"};
    CHECK(flow.add(entry()).empty());
    CHECK(flow.text().find(" } },\n") == std::string::npos);
    CHECK(flow.text().find("\"allow\": \"all\" },\r\n{ \"name\": \"ci\"") != std::string::npos);
}

TEST_CASE("a file without a list of credentials gets one") {
    auto const after = [](std::string const& text) {
        CredentialsText out{"k.yaml", text};
        CHECK(out.add(entry()).empty());
        CHECK(out.line_of("new") != 0);
        return out.text();
    };
    std::string const roles = "# Roles.\nroles:\n  reader: { allow: all } # may read\n";
    CHECK(after(roles) == roles + "credentials:\n" + entry_lines);
    CHECK(after("htpasswd: { allow: all } # all users")
          == "htpasswd: { allow: all } # all users\ncredentials:\n" + entry_lines);
    CHECK(after(with_returns(roles)) == with_returns(roles + "credentials:\n" + entry_lines));
    CHECK(
        after("{ \"roles\": { \"reader\": { \"allow\": \"all\" } } }")
        == "{ \"credentials\": [ { \"name\": \"new\", \"basic\": { \"key_id\": \"k\", "
           "\"secrets\": [\""
               + two
               + "\"] }, \"allow\": \"all\" } ], \"roles\": { \"reader\": { \"allow\": \"all\" } } "
                 "}");
}

} // namespace credentials_text_test
