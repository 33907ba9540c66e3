// Fuzzes redaction: documents built from the input, with canaries as values of listed members in
// any spelling, and the input itself. simdjson and a plain walk over its tree are the oracle: one
// JSON text is redacted exactly at listed names, everything else is logged as a size.
#include "check.h"

#include "gateway/observe/redact.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sallyport::observe;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;
using sallyport::fuzz::take_byte;

constexpr std::string_view canary = "c4nary";
constexpr std::string_view plain_text =
    "plain \xC3\xA9 \xC2\xA9 \xE2\x80\x9C text, \xC2\x85 \x7F \xE2\x80\xA9";
constexpr std::size_t deepest = 12;

constexpr std::array<std::string_view, 8> listed{"password", "connectionString", "secretAccessKey",
                                                 "token",    "encryptionKey",    "newPasswordHash",
                                                 "api_key",  "custom-member"};
// These contain the name of a secret as whole words: another spelling may have other words.
constexpr std::array<std::string_view, 8> worded{"userPassword", "password2",   "db.password",
                                                 "userAPIKeys",  "x-api-key",   "tokens_of_it",
                                                 "my custom member", "secretAccessKeyPolicy"};
constexpr std::array<std::string_view, 10> harmless{
    "name",      "passwordless", "tok", "description",
    "",          "key",          "x\x7F\xC2\x9B\xE2\x80\xA8", "\xD0\xBF",
    "maxTokens", "customMemberCounts"};
// Parts of names that are similar to listed ones.
constexpr std::array<std::string_view, 32> pieces{
    "password", "Password", "pass",  "word",  "Hash", "token", "Token",  "tokens",
    "TOKEN",    "Count",    "count", "max",   "API",  "api",   "Key",    "keys",
    "secret",   "Access",   "user",  "A",     "s",    "2",     "\xC5\xBF", "\xE2\x84\xAA",
    "_",        "-",        ".",     " ",     "\xC3\xA9", "custom", "Member", "Policy"};

enum class Secret : std::uint8_t { no, yes };

// Writes one document; every choice is a byte of the input. Below a listed member each string is a
// canary.
class Builder {
public:
    explicit Builder(std::string_view choices) : choices_{choices} {}

    std::string build() {
        put_value(0, Secret::no);
        return std::move(text_);
    }

private:
    // The character itself, or one of its escapes.
    void put_character(char c, unsigned choice) {
        if (choice % 4 < 2) {
            text_ += c;
            return;
        }
        std::array<char, 7> escaped{};
        std::snprintf(escaped.data(), escaped.size(), choice % 4 == 2 ? "\\u%04x" : "\\u%04X",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        text_ += escaped.data();
    }

    // A listed name in one of the equivalent spellings.
    void put_listed_name(std::string_view name) {
        text_ += '"';
        for (char c : name) {
            auto const choice = take_byte(choices_);
            if (choice % 16 >= 14) put_character(choice % 16 == 14 ? '_' : '-', choice / 16U);
            bool const is_lower = c >= 'a' && c <= 'z';
            if (choice == 77 && (c == 's' || c == 'k')) {
                text_ += c == 's' ? "\xC5\xBF" : "\\u212a";
            } else {
                put_character(is_lower && choice / 64 == 1 ? static_cast<char>(c - 'a' + 'A') : c,
                              choice);
            }
        }
        text_ += '"';
    }

    void put_string(std::string_view word) {
        text_ += '"';
        for (char const c : word)
            put_character(c, static_cast<unsigned char>(c) < 0x80 ? take_byte(choices_) : 0);
        text_ += '"';
    }

    void put_space() {
        static constexpr std::array<std::string_view, 4> spaces{"", " ", "\n", "\r\n\t "};
        text_ += spaces[take_byte(choices_) % spaces.size()];
    }

    void put_value(std::size_t depth, Secret secret) {
        put_space();
        auto const kind = depth >= deepest || choices_.empty() ? 0 : take_byte(choices_) % 6;
        switch (kind) {
        case 1: put_object(depth, secret); break;
        case 2: put_array(depth, secret); break;
        case 3: text_ += "-12.5e+3"; break;
        case 4: text_ += take_byte(choices_) % 2 == 0 ? "true" : "null"; break;
        default: put_string(secret == Secret::yes ? canary : plain_text);
        }
        put_space();
    }

    void put_object(std::size_t depth, Secret secret) {
        text_ += '{';
        auto const members = take_byte(choices_) % 5;
        for (int i = 0; i < members; ++i) {
            if (i != 0) text_ += ',';
            put_space();
            auto const choice = take_byte(choices_);
            if (choice % 2 != 0) {
                put_string(harmless[choice / 2 % harmless.size()]);
            } else if (choice % 4 == 0) {
                put_string(worded[choice / 4 % worded.size()]);
            } else {
                put_listed_name(listed[choice / 4 % listed.size()]);
            }
            put_space();
            text_ += ':';
            put_value(depth + 1, choice % 2 == 0 ? Secret::yes : secret);
        }
        text_ += '}';
    }

    void put_array(std::size_t depth, Secret secret) {
        text_ += '[';
        auto const elements = take_byte(choices_) % 4;
        for (int i = 0; i < elements; ++i) {
            if (i != 0) text_ += ',';
            put_value(depth + 1, secret);
        }
        text_ += ']';
    }

    std::string_view choices_;
    std::string text_;
};

// The oracle's own implementation of a name: slow, and different from the list's. A letter in its
// compared form, and its kind: small, capital, digit, other, or not part of a word.
struct Letter {
    char folded;
    char kind;
};

std::vector<Letter> letters_of(std::string_view key) {
    std::vector<Letter> letters;
    while (!key.empty()) {
        char const c = key.front();
        if (key.starts_with("\xC5\xBF")) {
            letters.push_back({'s', 'o'});
            key.remove_prefix(1);
        } else if (key.starts_with("\xE2\x84\xAA")) {
            letters.push_back({'k', 'o'});
            key.remove_prefix(2);
        } else if (c >= 'A' && c <= 'Z') {
            letters.push_back({static_cast<char>(c + 32), 'C'});
        } else if (c >= 'a' && c <= 'z') {
            letters.push_back({c, 's'});
        } else if (c >= '0' && c <= '9') {
            letters.push_back({c, 'd'});
        } else {
            letters.push_back({c, static_cast<unsigned char>(c) < 0x80 ? '-' : 'o'});
        }
        key.remove_prefix(1);
    }
    return letters;
}

std::vector<std::string> words_of(std::vector<Letter> const& letters) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        char const kind = letters[i].kind;
        if (kind == '-') continue;
        char const before = i == 0 ? '-' : letters[i - 1].kind;
        bool begins = before == '-' || (before == 'd') != (kind == 'd');
        if (kind == 'C')
            begins =
                begins || before != 'C' || (i + 1 < letters.size() && letters[i + 1].kind == 's');
        if (begins) words.emplace_back();
        words.back() += letters[i].folded;
    }
    return words;
}

// Whether the joined words in this range are one of `names` or its plural.
bool are_one_of(std::set<std::string> const& names, std::vector<std::string> const& words,
                std::size_t from, std::size_t to) {
    std::string name;
    for (auto i = from; i < to; ++i)
        name += words[i];
    return names.count(name) != 0
           || (name.size() > 3 && name.back() == 's'
               && names.count(name.substr(0, name.size() - 1)) != 0);
}

bool are_listed(std::set<std::string> const& names, std::vector<std::string> const& words) {
    static std::set<std::string> const exceptions{
        "accesskeyid", "apikeyid", "apikeyname", "encryptionkeyid", "openapikeys", "privatekeyid",
        "secretarn", "secretid", "secretname", "tokenid", "tokenname", "tokentype",
        "authorizationendpoint", "authorizationurl", "tokenendpoint", "tokenurl",
        "passwordchangedat", "passwordexpiresat", "passwordexpiry", "passwordupdatedat",
        "tokenexpiration", "tokenexpiresat", "tokenexpiresin", "tokenexpiry", "tokenlifetime",
        "tokenttl", "haspassword", "passwordlength", "passwordpolicy", "passwordpolicies",
        "passwordrequired", "passwordstrength", "requirepassword", "cachedtokens",
        "completiontokens", "inputtokens", "maxtokens", "mintokens", "numtokens", "outputtokens",
        "prompttokens", "reasoningtokens", "remainingtokens", "tokencount", "tokenlimit",
        "tokenusage", "tokensused", "totaltokens", "custommembercount"};
    auto const is_excused = [&words](std::size_t end) {
        for (std::size_t from = 0; from < end; ++from)
            for (auto to = end; to <= words.size(); ++to)
                if (are_one_of(exceptions, words, from, to)) return true;
        return false;
    };
    for (std::size_t from = 0; from < words.size(); ++from)
        for (auto to = from + 1; to <= words.size() && to < from + 25; ++to)
            if (are_one_of(names, words, from, to) && !is_excused(to)) return true;
    return false;
}

bool is_listed(std::string_view key) {
    static std::set<std::string> const names{
        "password",      "connectionstring", "secret",    "clientsecret", "keysecret",
        "secretkey",     "secretaccesskey",  "accesskey", "privatekey",   "serviceaccountkey",
        "encryptionkey", "credentials",      "token",     "accesstoken",  "refreshtoken",
        "apikey",        "authorization",    "uploadurl", "custommember"};
    auto const letters = letters_of(key);
    std::string name;
    for (auto const letter : letters)
        if (letter.folded != '_' && letter.folded != '-') name += letter.folded;
    constexpr std::string_view ending = "passwordhash";
    return names.count(name) != 0 || name.size() > RedactionList::longest_name
           || (name.size() >= ending.size()
               && name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
           || are_listed(names, words_of(letters));
}

// `out` is `in`, except for the values of listed members.
void compare(simdjson::dom::element in, simdjson::dom::element out) {
    check(in.type() == out.type(), "a value keeps its type");
    if (in.is_array()) {
        simdjson::dom::array const before{in};
        simdjson::dom::array const after{out};
        check(before.size() == after.size(), "an array keeps its elements");
        auto at = after.begin();
        for (auto const element : before) {
            compare(element, *at);
            ++at;
        }
    } else if (in.is_object()) {
        simdjson::dom::object const before{in};
        simdjson::dom::object const after{out};
        check(before.size() == after.size(), "an object keeps its members");
        auto at = after.begin();
        for (auto const member : before) {
            check(member.key == at.key(), "a member keeps its name");
            if (is_listed(member.key)) {
                check(at.value().is_string() && std::string_view{at.value()} == "[redacted]",
                      "a listed member is redacted");
            } else {
                compare(member.value, at.value());
            }
            ++at;
        }
    } else {
        check(simdjson::to_string(in) == simdjson::to_string(out), "a scalar keeps its value");
    }
}

RedactionList const& list() {
    static RedactionList const names = [] {
        RedactionList made;
        made.add("customMember");
        made.add_exception("custom_member_count");
        return made;
    }();
    return names;
}

// Neither DEL nor C1, which terminals interpret, nor U+2028 or U+2029, at which some readers end a
// line. The output is UTF-8.
bool has_no_odd_character(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        auto const byte = static_cast<unsigned char>(text[at]);
        if (byte == 0x7F) return false;
        if (byte == 0xC2 && static_cast<unsigned char>(text.at(at + 1)) < 0xA0) return false;
    }
    return text.find("\xE2\x80\xA8") == std::string_view::npos
           && text.find("\xE2\x80\xA9") == std::string_view::npos;
}

// Texts that only one of simdjson and our reader refuses: numbers beyond 64 bits or double, and
// the exact depth.
bool may_differ(std::string_view text, simdjson::error_code error) {
    auto const opened =
        std::count_if(text.begin(), text.end(), [](char c) { return c == '[' || c == '{'; });
    return error == simdjson::NUMBER_ERROR || opened >= 1000;
}

// Redacts `body` and compares the output with simdjson's tree.
std::string redact(std::string_view body) {
    static simdjson::dom::parser before;
    static simdjson::dom::parser after;
    std::string out;
    auto const logged = redact_json(body, list(), longest_logged_body, out);
    check(std::none_of(out.begin(), out.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
          "one line");
    check(has_no_odd_character(out), "no character that terminals obey or that ends lines");

    simdjson::dom::element in_tree;
    auto const error = before.parse(body.data(), body.size()).get(in_tree);
    if (logged == LoggedBody::bytes_only) {
        check(out == "{\"bytes\":" + std::to_string(body.size()) + "}", "nothing but the size");
        check(error != simdjson::SUCCESS || body.size() > longest_logged_body
                  || may_differ(body, error),
              "what is JSON is not given up");
        return out;
    }
    check(error == simdjson::SUCCESS || may_differ(body, error), "what is not JSON is given up");
    if (error != simdjson::SUCCESS) return out;
    simdjson::dom::element out_tree;
    check(after.parse(out).get(out_tree) == simdjson::SUCCESS, "valid JSON");
    compare(in_tree, out_tree);
    return out;
}

// Names similar to listed ones, in each way in which the list is searched.
void ask_for_names(std::string_view choices) {
    std::string name;
    while (!choices.empty()) {
        auto const choice = take_byte(choices);
        name += pieces[choice % pieces.size()];
        if (choice < 192 && name.size() < 60) continue;
        check(list().has(name) == is_listed(name), "a name is listed where the oracle says so");
        check(list().has_escaped(name) == is_listed(name), "and where it may have escapes");
        std::string out;
        redact_json("{\"" + name + "\":1        }", list(), longest_logged_body, out);
        check((out.find("[redacted]") != std::string::npos) == is_listed(name), "and in a body");
        name.clear();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const input = sallyport::fuzz::view_of(data, size);
    Copy const document{Builder{input}.build()};
    auto const out = redact(document.view());
    // Outside of listed members no canary was planted; an escaped one must not appear either.
    check(out.find(canary) == std::string::npos, "no canary survives");
    check(out.find("\"bytes\"") == std::string::npos
              || document.view().size() > longest_logged_body,
          "a valid document is redacted, not given up");
    ask_for_names(input);
    // And the bytes themselves: malformed, truncated, anything.
    Copy const raw{input};
    redact(raw.view());
    return 0;
}
