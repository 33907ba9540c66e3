// No value of a secret member appears in a logged body, at any place and in any
// spelling.
#include "gateway/observe/redact.h"

#include <catch2/catch.hpp>

#include <simdjson.h>

#include <array>
#include <string>
#include <vector>

namespace redact_test {

using namespace sallyport::observe;
using namespace std::string_literals;

namespace {

constexpr std::size_t no_limit = 1 << 20;

std::string logged(std::string_view body, RedactionList const& list = {}) {
    std::string out = "what was here before";
    redact_json(body, list, no_limit, out);
    return out;
}

bool is_json(std::string const& text) {
    simdjson::dom::parser parser;
    return parser.parse(simdjson::padded_string{text}).error() == simdjson::SUCCESS;
}

// One body for each kind of place around `"name": value`.
std::vector<std::string> places(std::string const& member) {
    return {
        "{" + member + "}",
        "{\"a\":1," + member + "}",
        "{" + member + ",\"z\":[true,null]}",
        "{\"a\":{\"b\":{" + member + "}}}",
        "[0,[1,[{" + member + "}]]]",
        "{\"a\":[{\"b\":2},{" + member + "}]}",
        "{" + member + "," + member + "}",
        "{\"a\":{" + member + "},\"b\":{" + member + "}}",
        " \r\n\t{ \n" + member + "\n } \r\n",
    };
}

std::string with_spaces(std::string const& name, std::string const& value) {
    return "\"" + name + "\" \n:\r\t " + value;
}

} // namespace

TEST_CASE("the value of a listed member is replaced, whatever its type") {
    auto const value = GENERATE(as<std::string>{}, R"("CANARY")", R"("")", R"("\"CANARY\\")",
                                R"("\u0043ANARY")", "12345", "-0.5e+10", "true", "false", "null",
                                "[]", "{}", R"(["CANARY",["CANARY"],{"x":"CANARY"}])",
                                R"({"x":"CANARY","password":"CANARY","y":{"z":["CANARY"]}})",
                                R"("}],\"a\":\"CANARY")", R"({"}":"]","\"":"CANARY"})");
    CAPTURE(value);
    CHECK(logged("{\"password\":" + value + "}") == R"({"password":"[redacted]"})");
    CHECK(logged("{\"a\":1,\"password\":" + value + ",\"z\":2}")
          == R"({"a":1,"password":"[redacted]","z":2})");
    CHECK(logged("[{\"password\":" + value + "},3]") == R"([{"password":"[redacted]"},3])");
}

TEST_CASE("every name of the built-in list is redacted") {
    auto const name = GENERATE(
        as<std::string>{}, "password", "connectionString", "secret", "clientSecret", "keySecret",
        "secretKey", "secretAccessKey", "accessKey", "privateKey", "serviceAccountKey",
        "encryptionKey", "credentials", "token", "accessToken", "refreshToken", "apiKey",
        "authorization", "uploadUrl", "PasswordHash", "newPasswordHash", "new_password_hash");
    CAPTURE(name);
    CHECK(logged("{\"" + name + "\":\"CANARY\"}") == "{\"" + name + "\":\"[redacted]\"}");
    // As one word: not listed because of a shorter name in it.
    auto word = name;
    for (char& c : word)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    CHECK(logged("{\"" + word + "\":\"CANARY\"}") == "{\"" + word + "\":\"[redacted]\"}");
}

TEST_CASE("a listed name is found in every spelling") {
    auto const name =
        GENERATE(as<std::string>{}, "apiKey", "APIKEY", "apikey", "Api-Key", "api_key",
                 "__api--key__", "a_p_i_k_e_y", R"(\u0061piKey)", R"(api\u004bey)",
                 R"(apiKe\u0079)", R"(apiKe\u0059)", R"(api\u005fKey)", R"(api\u002DKey)",
                 R"(\u0061\u0070\u0069\u004B\u0065\u0079)", "api\u212Aey", R"(api\u212Aey)");
    for (auto const& body : places(with_spaces(name, R"("CANARY")"))) {
        CAPTURE(body);
        auto const out = logged(body);
        CHECK(out.find("CANARY") == std::string::npos);
        CHECK(out.find("[redacted]") != std::string::npos);
        CHECK(out.find_first_of(" \r\n\t") == std::string::npos);
        CHECK(is_json(out));
    }
}

TEST_CASE("letters outside ASCII that fold to ASCII do not hide a name") {
    CHECK(logged("{\"pa\u017F\u017Fword\":1}") == "{\"pa\u017F\u017Fword\":\"[redacted]\"}");
    CHECK(logged(R"({"\u017fecret":1})") == R"({"\u017fecret":"[redacted]"})");
    CHECK(logged("{\"to\u212Aen\":1}") == "{\"to\u212Aen\":\"[redacted]\"}");
}

TEST_CASE("names that only resemble a listed one keep their values") {
    auto const name =
        GENERATE(as<std::string>{}, "passworded", "xpassword", "passwordless", "tokenizer", "toke",
                 "key", "passWordy", R"(pass\\u0077ord)", "", "_", "t",
                 "ke", "dr", R"(token\ud83d\ude00)", "ſ", "\u043f\u0430\u0440\u043e\u043b\u044c");
    auto const body = "{\"" + name + "\":\"kept\"}";
    CHECK(logged(body) == body);
}

TEST_CASE("characters that terminals interpret, and that end lines for some readers, are escaped") {
    // At every position of a block, in names and values, and after similar text.
    for (std::size_t before = 0; before < 40; ++before) {
        std::string const x(before, 'x');
        CAPTURE(before);
        CHECK(logged("[\"" + x + "\x7F\"]") == "[\"" + x + "\\u007f\"]");
        CHECK(logged("[\"" + x + "\u0080\u009b\u009f\u0085[31m\"]")
              == "[\"" + x + "\\u0080\\u009b\\u009f\\u0085[31m\"]");
        CHECK(logged("[\"" + x + "\u2028\u2029z\"]") == "[\"" + x + "\\u2028\\u2029z\"]");
        CHECK(logged("{\"" + x + "\u009b\":1}") == "{\"" + x + "\\u009b\":1}");
        for (std::string const kept : {"\u00a0", "\u00bf", "\u00e9", "\u00c2", "\u2027", "\u202a",
                                       "\u2000", "\u2faf", "\u20ac", "\U0001f600", "~", " "}) {
            auto const body = "[\"" + x + kept + kept + "\",{\"" + x + kept + "\":1}]";
            CHECK(logged(body) == body);
        }
    }
    std::string expected = "[\"";
    for (int i = 0; i < 20'000; ++i)
        expected += "\\u007f";
    CHECK(logged("[\"" + std::string(20'000, '\x7F') + "\"]") == expected + "\"]");
    CHECK(logged("{\"password\":\"\x7F\u009b\",\"a\u009b\":\"\x7F\"}")
          == R"({"password":"[redacted]","a\u009b":"\u007f"})");
    CHECK(logged("{\"tok\x7F\":1,\"token\":1}") == R"({"tok\u007f":1,"token":"[redacted]"})");
    CHECK(logged("[\"\x7F") == R"({"bytes":3})");
}

TEST_CASE("both of two members of the same name are redacted") {
    CHECK(logged(R"({"token":"CANARY","token":"CANARY","Token":["CANARY"]})")
          == R"({"token":"[redacted]","token":"[redacted]","Token":"[redacted]"})");
}

TEST_CASE("a listed name as a value or an element hides nothing") {
    auto const body = R"({"name":"password","list":["password","token"],"x":{"y":"secret"}})";
    CHECK(logged(body) == body);
}

TEST_CASE("names of the configuration and of contracts are added in any spelling") {
    RedactionList list;
    list.add("Disk-PIN_code");
    list.add("a");
    list.add("x");
    list.add("");
    list.add("_-");
    list.add("\u043f\u0438\u043d");
    CHECK(logged(R"({"diskPinCode":1})", list) == R"({"diskPinCode":"[redacted]"})");
    CHECK(logged(R"({"A":1,"-a":2,"b":3,"_X_":4})", list)
          == R"({"A":"[redacted]","-a":"[redacted]","b":3,"_X_":"[redacted]"})");
    CHECK(logged("{\"\u043f\u0438\u043d\":1}", list) == "{\"\u043f\u0438\u043d\":\"[redacted]\"}");
    CHECK(logged(R"({"\u043f\u0438\u043d":1})", list) == R"({"\u043f\u0438\u043d":"[redacted]"})");
    // A name without a letter would list every other name without one.
    CHECK(logged(R"({"":1,"_":2,"-_":3})", list) == R"({"":1,"_":2,"-_":3})");
    CHECK(logged(R"({"diskPinCode":1})") == R"({"diskPinCode":1})");
}

TEST_CASE("a name too long to be compared counts as listed") {
    auto const longest = std::string(RedactionList::longest_name, 'x');
    CHECK(logged("{\"" + longest + "\":1}") == "{\"" + longest + "\":1}");
    CHECK(logged("{\"" + longest + "x\":1}") == "{\"" + longest + "x\":\"[redacted]\"}");
    CHECK(logged("{\"\\u0078" + longest + "\":1}").find(":1") == std::string::npos);
    CHECK(logged("{\"" + longest + "PasswordHash\":1}").find(":1") == std::string::npos);
    // KELVIN SIGN, one letter of three bytes, as the last one and as one too many.
    auto const kelvin = longest.substr(1) + "\xE2\x84\xAA";
    CHECK(logged("{\"" + kelvin + "\":1}") == "{\"" + kelvin + "\":1}");
    CHECK(logged("{\"x" + kelvin + "\":1}") == "{\"x" + kelvin + "\":\"[redacted]\"}");
}

TEST_CASE("a body that is not one JSON text is logged only as its size") {
    auto const body = GENERATE(
        as<std::string>{}, "", " ", "\n", R"({"password":"CANARY")", R"({"password":"CANARY)",
        R"({"password":)", R"({"password")", R"({"password":"CANARY"}})", R"({"a":1}{"b":2})",
        R"({"a":1} x)", R"([1,])", R"([,1])", R"({"a":1,})", R"({,"a":1})", R"({"a" 1})",
        R"({a:1})", R"({'a':1})", R"({"a":01})", R"({"a":+1})", R"({"a":1.})", R"({"a":.5})",
        R"({"a":1e})", R"({"a":-})", R"({"a":0x1})", R"({"a":NaN})", R"({"a":Infinity})",
        R"({"a":tru})", R"({"a":truex})", R"({"a":"\x41"})", R"({"a":"\u12G4"})", R"({"a":"\u12"})",
        R"({"a":"\)", R"({"a":"\ud800"})", R"({"a":"\udc00"})", R"({"a":"\ud800\u0041"})",
        R"({"a":"\ud800\n"})", R"({"\ud800":1})", "{\"a\":\"line\nfeed\"}", "{\"a\":\"tab\there\"}",
        "{\"a\":\"nul\0\"}"s, "\xEF\xBB\xBF{\"a\":1}", "{\"a\":\"\xFF\"}", "{\"a\":\"\xC0\x80\"}",
        "{\"a\":\"\xED\xA0\x80\"}", "{\"\xE2\x82\":1}", R"([1})", R"({"a":1])", R"({"a":[1})",
        R"({"password":[1}})", R"([1}])", R"({"a":[}])", "]", "}", ",", ":", "\"", R"({"a":1]})",
        R"({"a"})", R"({"a":1 "b":2})", "[1 2]", "/* */{}", "{}//", "nul", "\v{}", "{}\f",
        "\xC2\xA0{}", R"({1:2})", R"({"a"::1})", R"({"password":"CANARY",})", R"({"password":[1})",
        R"({"password":{"a":1])", R"({"password":"CANARY"]})");
    CAPTURE(body);
    std::string out;
    CHECK(redact_json(body, {}, no_limit, out) == LoggedBody::bytes_only);
    CHECK(out == "{\"bytes\":" + std::to_string(body.size()) + "}");
}

TEST_CASE("every body truncated within an object is logged only as its size") {
    auto const body = R"({"a":[1,2,{"password":"CANARY","b":"\u00e9\ud83d\ude00"}],"c":-1.5e3})"s;
    REQUIRE(logged(body).find("CANARY") == std::string::npos);
    for (std::size_t size = 0; size < body.size(); ++size) {
        CHECK(logged(body.substr(0, size)) == "{\"bytes\":" + std::to_string(size) + "}");
    }
}

TEST_CASE("a body beyond the limit is logged only as its size") {
    auto const body = R"({"a":1})"s;
    std::string out;
    CHECK(redact_json(body, {}, body.size() - 1, out) == LoggedBody::bytes_only);
    CHECK(out == R"({"bytes":7})");
    CHECK(redact_json(body, {}, body.size(), out) == LoggedBody::redacted);
    CHECK(out == body);

    auto const longest = "\"" + std::string(longest_logged_body - 2, 'x') + "\"";
    CHECK(redact_json(longest, {}, no_limit, out) == LoggedBody::redacted);
    CHECK(redact_json(longest + " ", {}, no_limit, out) == LoggedBody::bytes_only);
}

TEST_CASE("a body nested too deeply is logged only as its size") {
    auto const nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    CHECK(logged(nested(1024)) == nested(1024));
    CHECK(logged(nested(1025)) == R"({"bytes":2050})");
    // Also where the value is hidden.
    CHECK(logged("{\"token\":" + nested(1024) + "}") == R"({"bytes":2058})");
}

TEST_CASE("the text of a redacted body grows by less than three times") {
    RedactionList list;
    list.add("a");
    std::string body = "{\"a\":1";
    while (body.size() + 8 < longest_logged_body)
        body += ",\"a\":1";
    body += "}";
    auto const out = logged(body, list);
    CHECK(out.find("redacted") != std::string::npos);
    CHECK(out.size() < 3 * longest_logged_body);
}

TEST_CASE("other data are kept byte for byte, without the space between tokens") {
    CHECK(logged(" { \"a b\" : [ 1 , 2.50e-3 , \"x  y\" , true ] ,\r\n\t\"c\" : { } } \n")
          == R"({"a b":[1,2.50e-3,"x  y",true],"c":{}})");
    auto const values = {R"("\u2028\/\b\f\n\r\t\"\\\u007f")",
                         "\"\u2027 \u00e9 \U0001F600\"",
                         "123456789012345678901234567890",
                         "-0",
                         "1E400",
                         "null",
                         "[]",
                         "{}",
                         R"({"a":{},"b":[[]]})"};
    for (std::string const value : values)
        CHECK(logged(value) == value);
}

TEST_CASE("strings of every length around a machine word are read to their end") {
    for (std::size_t size = 0; size < 40; ++size) {
        auto const text = std::string(size, 'x');
        auto const body = "{\"a\":\"" + text + "\",\"token\":\"" + text + "CANARY\",\"b\":\"" + text
                          + "\\\"" + text + "\"}";
        CHECK(logged(body)
              == "{\"a\":\"" + text + "\",\"token\":\"[redacted]\",\"b\":\"" + text + "\\\"" + text
                     + "\"}");
        CHECK(logged("\"" + text + "\x1F" + text + "\"").rfind("{\"bytes\":", 0) == 0);
    }
}

TEST_CASE("a list finds plain and escaped names") {
    RedactionList const list;
    CHECK(list.has("Secret_Access-Key"));
    CHECK_FALSE(list.has("secretly"));
    CHECK_FALSE(list.has(""));
    CHECK(list.has_escaped(R"(\u0073ecret)"));
    CHECK(list.has_escaped(R"(PASSWORD)"));
    CHECK_FALSE(list.has_escaped(R"(\u0073ecretly)"));
    // The name of an invalid escape is unknown.
    CHECK(list.has_escaped(R"(name\)"));
    CHECK(list.has_escaped(R"(name\ud800)"));
}

TEST_CASE("a size is written as an object with one member") {
    std::string out;
    bytes_only(0, out);
    CHECK(out == R"({"bytes":0})");
    bytes_only(18446744073709551615U, out);
    CHECK(out == R"({"bytes":18446744073709551615})");
}

} // namespace redact_test
