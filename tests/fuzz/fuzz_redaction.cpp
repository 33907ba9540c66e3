// Fuzzes redaction: in a document built from the input, canaries stand as values of listed members at any depth
// and in any spelling; none may survive, and what is left is one JSON text on one line.
#include "check.h"

#include "gateway/observe/redact.h"

#include <simdjson.h>

#include <array>
#include <cstdio>
#include <string>

namespace {

using namespace sallyport::observe;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;
using sallyport::fuzz::take_byte;

constexpr std::string_view canary = "c4nary";
constexpr std::size_t deepest = 12;

constexpr std::array<std::string_view, 8> listed{"password", "connectionString", "secretAccessKey", "token",
                                                 "encryptionKey", "newPasswordHash", "api_key", "custom-member"};
constexpr std::array<std::string_view, 6> harmless{"name", "passwords", "tok", "description", "", "key"};

/// One character as JSON may spell it: itself, \u00xx, or in the other letter case.
enum class Spelling : std::uint8_t { plain, may_escape, name };

class Builder {
public:
    explicit Builder(std::string_view choices) : choices_{choices} {}

    std::string build() {
        value(0, false);
        return std::move(text_);
    }

private:
    void spell(std::string_view word, Spelling spelling) {
        text_ += '"';
        for (char c : word) {
            auto const choice = spelling == Spelling::plain ? 0 : take_byte(choices_) % 6;
            if (spelling == Spelling::name && choice == 5) text_ += choice % 2 == 0 ? '_' : '-';
            if (spelling == Spelling::name && choice >= 3 && c >= 'a' && c <= 'z') {
                c = static_cast<char>(c - 'a' + 'A');
            }
            if (choice == 1 || choice == 4) {
                char escaped[7];
                std::snprintf(escaped, sizeof escaped, choice == 1 ? "\\u%04x" : "\\u%04X",
                              static_cast<unsigned>(static_cast<unsigned char>(c)));
                text_ += escaped;
            } else {
                text_ += c;
            }
        }
        text_ += '"';
    }

    void space() {
        static constexpr std::array<std::string_view, 4> spaces{"", " ", "\n", "\r\n\t "};
        text_ += spaces[take_byte(choices_) % spaces.size()];
    }

    /// `secret`: below a listed member, where every scalar may be a canary.
    void value(std::size_t depth, bool secret) {
        space();
        auto const kind = depth >= deepest || choices_.empty() ? 0 : take_byte(choices_) % 6;
        switch (kind) {
        case 1: object(depth, secret); break;
        case 2: array(depth, secret); break;
        case 3: text_ += "-12.5e+3"; break;
        case 4: text_ += take_byte(choices_) % 2 == 0 ? "true" : "null"; break;
        default:
            if (secret) {
                spell(canary, Spelling::may_escape);
            } else {
                spell("plain \xC3\xA9 text", Spelling::plain);
            }
        }
        space();
    }

    void object(std::size_t depth, bool secret) {
        text_ += '{';
        auto const members = take_byte(choices_) % 5;
        for (int i = 0; i < members; ++i) {
            if (i != 0) text_ += ',';
            space();
            auto const choice = take_byte(choices_);
            bool const is_listed = choice % 2 == 0;
            spell(is_listed ? listed[choice / 2 % listed.size()] : harmless[choice / 2 % harmless.size()],
                  is_listed ? Spelling::name : Spelling::may_escape);
            space();
            text_ += ':';
            value(depth + 1, secret || is_listed);
        }
        text_ += '}';
    }

    void array(std::size_t depth, bool secret) {
        text_ += '[';
        auto const elements = take_byte(choices_) % 4;
        for (int i = 0; i < elements; ++i) {
            if (i != 0) text_ += ',';
            value(depth + 1, secret);
        }
        text_ += ']';
    }

    std::string_view choices_;
    std::string text_;
};

bool holds_canary(simdjson::dom::element element) {
    if (element.is_string()) return std::string_view{element}.find(canary) != std::string_view::npos;
    if (element.is_array()) {
        for (auto const item : simdjson::dom::array{element}) {
            if (holds_canary(item)) return true;
        }
    }
    if (element.is_object()) {
        for (auto const member : simdjson::dom::object{element}) {
            if (member.key.find(canary) != std::string_view::npos || holds_canary(member.value)) return true;
        }
    }
    return false;
}

RedactionList const& list() {
    static RedactionList const names = [] {
        RedactionList made;
        made.add("customMember");
        return made;
    }();
    return names;
}

/// Whatever comes out is one JSON text on one line.
simdjson::dom::element check_output(simdjson::dom::parser& parser, std::string const& out) {
    check(out.find('\n') == std::string::npos && out.find('\r') == std::string::npos, "one line");
    simdjson::dom::element element;
    check(parser.parse(out).get(element) == simdjson::SUCCESS, "valid JSON");
    return element;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    simdjson::dom::parser parser;
    std::string out;
    Copy const document{Builder{sallyport::fuzz::view_of(data, size)}.build()};
    auto const logged = redact_json(document.view(), list(), longest_logged_body, out);
    bool const fits = document.view().size() <= longest_logged_body;
    check((logged == LoggedBody::redacted) == fits, "a valid document is redacted, not given up");
    auto const parsed = check_output(parser, out);
    // A secret document that is a scalar itself has no name that could be listed.
    check(!holds_canary(parsed), "no canary survives");

    // And the bytes as they are: broken, cut, anything.
    Copy const raw{sallyport::fuzz::view_of(data, size)};
    redact_json(raw.view(), list(), longest_logged_body, out);
    check(out.find('\n') == std::string::npos, "one line");
    return 0;
}
