// RFC 9110, 7.6, and fields that must not be accepted from clients.
#include "tests/clients/arrival.h"

#include "tests/support/http2_frames.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sallyport::test {
namespace {

std::string lower(std::string_view text) {
    std::string result{text};
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return name.starts_with(beginning); });
}

// RFC 9110, 7.6.1, 7.8, 10.1.1, 10.1.4; RFC 9113, 3.1.
bool is_for_one_connection(std::string_view name) {
    return is_one_of(name, {"connection", "keep-alive", "proxy-connection", "te", "trailer",
                            "transfer-encoding", "upgrade", "http2-settings", "expect"});
}

// RFC 9110, 7.2, 8.6, 11.6.2: rewritten by each hop.
bool is_written_by_gateway(std::string_view name) {
    return is_one_of(name, {"host", "content-length", "authorization", "x-request-id"});
}

// Credentials, addresses and identities that a client could invent.
bool is_not_to_be_believed(std::string_view name) {
    return is_one_of(name, {"cookie", "proxy-authorization", "forwarded", "x-real-ip",
                            "x-client-ip", "true-client-ip", "cf-connecting-ip", "x-user",
                            "remote-user", "x-http-method-override", "x-original-url",
                            "x-rewrite-url", "x-host", "proxy"})
           || begins_with_one_of(name, {"x-forwarded", "x-envoy-", "x-accel-", "x-ssl-",
                                        "x-auth-request-", "x-client-cert", "x-amzn-oidc-"});
}

// RFC 9110, 8.4; RFC 9530, 2: fields about the coded bytes are removed with the coding.
bool speaks_of_coding(std::string_view name) {
    return is_one_of(
        name, {"content-encoding", "content-md5", "digest", "content-digest", "repr-digest"});
}

bool is_named_by_connection(Fields const& fields, std::string_view name) {
    if (is_one_of(name, {"content-type", "content-encoding"}))
        return false; // the body was checked by them
    for (auto const& field : fields) {
        if (!equal_ignoring_case(field.name, "Connection")) continue;
        auto list = "," + lower(field.value) + ",";
        list.erase(std::remove(list.begin(), list.end(), ' '), list.end());
        if (list.find("," + std::string{name} + ",") != std::string::npos) return true;
    }
    return false;
}

} // namespace

Fields fields_that_arrive(Request const& sent, std::string const& content, Hop const& hop) {
    bool const was_coded = sent.fields.count("Content-Encoding") != 0;
    Fields fields{{"Host", hop.upstream}};
    for (auto const& field : sent.fields) {
        auto const name = lower(field.name);
        bool const stays_behind = is_for_one_connection(name) || is_written_by_gateway(name)
                                  || is_not_to_be_believed(name)
                                  || (was_coded && speaks_of_coding(name))
                                  || is_named_by_connection(sent.fields, name);
        if (!stays_behind) fields.push_back(field);
    }
    fields.push_back({"Authorization", hop.authorization});
    fields.push_back({"X-Request-Id", hop.request_id});
    fields.push_back({"X-Forwarded-For", "127.0.0.1"});
    fields.push_back({"X-Forwarded-Proto", "https"});
    fields.push_back({"X-Forwarded-Host", sent.fields.one("Host")});
    fields.push_back({"Via", hop.received + " sallyport"}); // RFC 9110, 7.6.3
    if (!content.empty() || is_one_of(sent.method, {"POST", "PUT", "PATCH"}))
        fields.push_back({"Content-Length", std::to_string(content.size())});
    return fields;
}

Request over_http2(Request request) {
    auto const host = request.fields.one("Host");
    auto fields = http2::fields_of(request);
    std::erase_if(fields, [](Field const& field) { return field.name.starts_with(':'); });
    fields.insert(fields.begin(), {"host", host});
    request.fields = std::move(fields);
    return request;
}

Fields side_by_side(Fields const& fields) {
    Fields result;
    for (auto const& field : fields) {
        auto const last = std::find_if(result.rbegin(), result.rend(), [&](Field const& other) {
            return equal_ignoring_case(other.name, field.name);
        });
        result.insert(last == result.rend() ? result.end() : last.base(), field);
    }
    return result;
}

} // namespace sallyport::test
