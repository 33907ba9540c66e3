// Media types with parameters: which entry of `content` a body belongs to.
#include "tests/unit/contract/form_support.h"

#include "gateway/contract/openapi/media_key.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

namespace media_types_test {

using namespace sallyport::contract;
using namespace sallyport::contract::test;

namespace {

// A document whose request bodies and responses have these media types.
std::string document_with_types(std::string_view content) {
    return "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /v1/a:\n    post:\n"
           "      operationId: send\n      requestBody: {content: "
           + std::string{content} + "}\n      responses: {'200': {content: "
           + std::string{content} + "}}\n";
}

std::string found(std::vector<MediaType> const& types, std::string_view name,
                  std::string_view parameters) {
    auto const* const type = find_media_type(types, name, parameters);
    return type != nullptr ? type->text() : "none";
}

constexpr std::string_view versions =
    "{application/json; v=1: {schema: {type: integer}}, "
    "'application/json; profile=\"https://a/b\"; V=2': {schema: {type: boolean}}, "
    "application/*: {}}";

} // namespace

TEST_CASE("a body has the parameters of its media type") {
    auto const contract = load_document(document_with_types(versions));
    auto const& types = contract->find_operation("send")->request_body->media_types;
    struct Case {
        std::string_view parameters;
        std::string_view type;
    };
    constexpr std::string_view first = "application/json; v=1";
    constexpr std::string_view second = R"(application/json; profile="https://a/b"; v=2)";
    constexpr std::string_view other = "application/*";
    for (Case const& one : {
             Case{"; v=1", first},
             Case{";V=\"1\" ; charset=utf-8", first},
             Case{"; a=b; v=1", first},
             Case{"; v=2; profile=\"https://a/b\"", second},
             Case{";profile=\"https://a/b\";charset=UTF-8;v=2", second},
             Case{"", other},
             Case{"; v=3", other},
             Case{"; v=2", other},
             Case{"; w=1", other},
         }) {
        CAPTURE(one.parameters);
        CHECK(found(types, "application/json", one.parameters) == one.type);
    }
    CHECK(found(types, "text/plain", "; v=1") == "none");
}

TEST_CASE("parameters that readers could take for different ones match no entry") {
    auto const contract = load_document(document_with_types(versions));
    auto const& types = contract->find_operation("send")->request_body->media_types;
    for (auto const* const parameters :
         {"; v=1; v=1", "; v=3; v=1", "; v*=utf-8''1", "; v*0=1", "; v", "; v=\"1", "; v=\"\\1\"",
          ";; v=1", "; v = 1", "; profile=\"HTTPS://a/b\"; v=2"}) {
        CAPTURE(parameters);
        CHECK(found(types, "application/json", parameters) == "none");
    }
}

TEST_CASE("with more parameters an entry is closer") {
    auto const contract = load_document(document_with_types(
        "{application/json: {schema: {type: 'null'}}, application/json; a=b; v=1: {}, "
        "application/json; v=1: {}}"));
    auto const& types = contract->find_operation("send")->request_body->media_types;
    CHECK(found(types, "application/json", "") == "application/json");
    CHECK(found(types, "application/json", "; v=2") == "application/json");
    CHECK(found(types, "application/json", "; v=1") == "application/json; v=1");
    CHECK(found(types, "application/json", "; v=1; a=b") == "application/json; a=b; v=1");
    // Of responses the first is for all that the others are not for.
    auto const& responses = contract->find_operation("send")->find_response(200)->media_types;
    CHECK(found(responses, "application/json", "; v=1") == "application/json; v=1");
    auto const only = load_document(document_with_types("{application/json; v=1: {}}"));
    auto const& one = only->find_operation("send")->find_response(200)->media_types;
    CHECK(found(one, "application/json", "") == "application/json");
}

TEST_CASE("parameters that say nothing of a value are not compared") {
    CHECK(read_media_key("Application/JSON; charset=\"UTF-8\"")->parameters.empty());
    CHECK(read_media_key("text/plain;charset=utf-8")->parameters.empty());
    CHECK(read_media_key("multipart/form-data; boundary=x")->parameters.empty());
    auto const key = read_media_key("application/json;V=2; charset=utf-8 ;a=B");
    REQUIRE(key);
    CHECK(key->name == "application/json");
    REQUIRE(key->parameters.size() == 2);
    CHECK(key->parameters[0] == MediaParameter{"a", "B"});
    CHECK(key->parameters[1] == MediaParameter{"v", "2"});
    CHECK_FALSE(read_media_key("application; v=2"));
    for (auto const* const unread :
         {"application/json; charset=latin1", "application/json; v", "application/json; v=1; V=2",
          "application/json; v=\"a;b\"", "application/json; v*=a", "multipart/form-data; v=1",
          "application/*; v=1", "application/x-www-form-urlencoded; charset=utf-8"}) {
        CAPTURE(unread);
        REQUIRE(read_media_key(unread));
        CHECK_FALSE(read_media_key(unread)->is_read);
    }
}

} // namespace media_types_test
