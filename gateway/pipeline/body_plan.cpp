// All decisions about the body of a request.
#include "gateway/pipeline/body_plan.h"

#include "gateway/contract/forms/field_parameters.h"
#include "gateway/http/characters.h"
#include "gateway/http/media_type.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/steps.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace sallyport::pipeline {

namespace {

Denial deny(Reason reason, std::string public_detail, std::vector<ResponseField> fields = {}) {
    return {reason, std::move(public_detail), {}, std::move(fields), {}};
}

std::unique_ptr<Denial> owned(Denial denial) {
    return std::make_unique<Denial>(std::move(denial));
}

Denial unexpected_body() {
    return deny(Reason::malformed_body, "This operation takes no request body");
}

Denial wrong_media_type(contract::RequestBody const& expected) {
    std::string names;
    std::string accept;
    for (auto const& type : expected.media_types) {
        if (type.is_json_of_range()) continue; // the range itself follows
        if (!names.empty()) names += " or ";
        names += type.text();
        if (type.schema) names += " in UTF-8";
        accept += (accept.empty() ? "" : ", ") + type.text();
    }
    // RFC 9110, 15.5.16: list the accepted types.
    return deny(Reason::unsupported_media_type, "The request body must be " + names,
                {{"Accept", std::move(accept)}});
}

// A body without a rule, where the operation's level lets it pass: read completely within the
// limit, so that its presence is known (take_unjudged_body() reports it).
std::unique_ptr<Denial> let_body_pass(Decision& decision) {
    decision.body.handling = BodyHandling::buffered;
    return nullptr;
}

// A body that the operation takes, and that passes as it arrives.
void stream(Request const& request, Decision& decision) {
    decision.body.handling = BodyHandling::streamed;
    decision.body.needs_beginning =
        decision.operation->request_body->required && decision.level() != contract::Level::off
        && request.head.framing.body.kind == http::BodyFraming::Kind::chunked;
}

// Validated while it is streamed: what is coded would have to be decoded and sent as something
// else.
std::unique_ptr<Denial> plan_items(Request const& request, contract::MediaType const& type,
                                   Decision& decision) {
    if (decision.body.coding != http::ContentCoding::identity) {
        // RFC 9110, 15.5.16: list the accepted codings.
        return owned(deny(Reason::unsupported_media_type,
                          "The request body must not have a content coding",
                          {{"Accept-Encoding", "identity"}}));
    }
    decision.body.type = &type;
    stream(request, decision);
    return nullptr;
}

// A body that the contract describes: validated if it has a schema, otherwise streamed.
std::unique_ptr<Denial> judge_described_body(Request const& request, Decision& decision) {
    auto const& fields = request.head.fields;
    auto const& expected = *decision.operation->request_body;
    auto const [type, says_ascii] = find_media_type(fields, expected.media_types);
    if (type == nullptr) {
        if (decision.level() != contract::Level::enforce) return let_body_pass(decision);
        // RFC 9110, 6.4: content of no bytes is none, which chunks, and frames of HTTP/2, show only
        // at their end. A client that waits for 100 has some (10.1.1).
        bool const may_be_empty = request.head.framing.body.kind == http::BodyFraming::Kind::chunked
                                  && request.head.framing.expect_continue == http::ExpectContinue::no;
        if (!may_be_empty) return owned(wrong_media_type(expected));
        decision.body.limit = 0;
        return let_body_pass(decision);
    }
    if (!type->schema) {
        stream(request, decision);
        return nullptr;
    }
    if (http::parse_content_coding(fields, decision.body.coding) != nullptr) {
        // RFC 9110, 15.5.16: list the accepted codings.
        return owned(deny(Reason::unsupported_media_type,
                          "The request body may be coded with gzip or deflate, once",
                          {{"Accept-Encoding", std::string{http::accepted_codings}}}));
    }
    if (contract::has_items(type->syntax)) return plan_items(request, *type, decision);
    if (contract::is_multipart(type->syntax) && !boundary_of(request))
        return owned(deny(Reason::malformed_body,
                          "The Content-Type of the request body has no valid boundary"));
    decision.body.type = type;
    decision.body.says_ascii = says_ascii;
    decision.body.handling = BodyHandling::buffered;
    return nullptr;
}

} // namespace

std::unique_ptr<Denial> plan_body(Request const& request, Decision& decision) {
    auto const& framing = request.head.framing.body;
    bool const has_none = framing.kind == http::BodyFraming::Kind::none;
    auto const* const operation = decision.operation;
    decision.body.limit = decision.api->body_limit;

    if (operation != nullptr && !operation->request_body
        && decision.level() == contract::Level::enforce) {
        if (framing.kind == http::BodyFraming::Kind::length) return owned(unexpected_body());
        // Whether a chunked body is empty, which is valid, is known only after reading.
        decision.body.limit = 0;
        decision.body.handling = has_none ? BodyHandling::none : BodyHandling::buffered;
        return nullptr;
    }
    if (operation != nullptr && operation->request_body) {
        auto const& expected = *operation->request_body;
        if (expected.limit) decision.body.limit = *expected.limit;
        if (auto const* const own = decision.settings(); own != nullptr && own->body_limit)
            decision.body.limit = *own->body_limit;
        if (has_none) return expected.required ? missing_body(decision) : nullptr;
    }
    if (has_none) return nullptr;
    if (framing.kind == http::BodyFraming::Kind::length && framing.length > decision.body.limit) {
        return owned(excess_of(decision));
    }
    if (operation == nullptr) {
        decision.body.handling = BodyHandling::streamed;
        return nullptr;
    }
    return operation->request_body ? judge_described_body(request, decision)
                                   : let_body_pass(decision);
}

Denial excess_of(Decision const& decision) {
    auto const& plan = decision.body;
    if (plan.limit == 0) {
        // If the operation takes no body, or none of that type, the first byte exceeds the limit.
        bool const is_of_other_type = plan.handling == BodyHandling::buffered
                                      && plan.type == nullptr && decision.operation->request_body;
        return is_of_other_type ? wrong_media_type(*decision.operation->request_body)
                                : unexpected_body();
    }
    return deny(Reason::body_too_large,
                "The request body may have at most " + std::to_string(plan.limit) + " bytes");
}

std::unique_ptr<Denial> missing_body(Decision& decision) {
    auto const level = decision.level();
    if (level == contract::Level::enforce)
        return owned(deny(Reason::malformed_body, "The request needs a body, and has none"));
    report_deviation(decision, level, "missing_body");
    return nullptr;
}

std::unique_ptr<Denial> take_unjudged_body(Request const& request, Decision& decision) {
    auto const level = decision.level();
    bool const is_declared = decision.operation->request_body.has_value();
    if (request.body.empty()) {
        bool const is_missing = is_declared && decision.operation->request_body->required;
        return is_missing ? missing_body(decision) : nullptr;
    }
    if (level == contract::Level::enforce) return owned(unexpected_body());
    report_deviation(decision, level, is_declared ? "media_type" : "undeclared_body");
    return nullptr;
}

bool passes_as_none(Request const& request, Decision& decision) {
    // A body of zero bytes counts as none, in any framing.
    if (!request.body.empty()) return false;
    if (!decision.operation->request_body->required) return true;
    if (decision.level() == contract::Level::enforce) return false;
    static_cast<void>(missing_body(decision));
    return true;
}

FoundType find_media_type(http::FieldTable const& fields,
                          std::vector<contract::MediaType> const& expected) {
    if (fields.count(http::FieldId::content_type) != 1) return {};
    auto const value = *fields.find(http::FieldId::content_type);
    // The usual form: in lower case and without parameters, as in the contract.
    for (auto const& type : expected)
        if (type.name == value && type.parameters.empty()) return {&type};
    auto const sent = http::parse_media_type(value);
    if (!sent) return {};
    // RFC 6838, 4.2: each of the two has at most 127 characters.
    std::array<char, 255> name;
    auto const size = sent->type.size() + 1 + sent->subtype.size();
    if (size > name.size()) return {};
    auto at = std::transform(sent->type.begin(), sent->type.end(), name.begin(), http::to_lower);
    *at++ = '/';
    std::transform(sent->subtype.begin(), sent->subtype.end(), at, http::to_lower);
    auto const* const found =
        contract::find_media_type(expected, {name.data(), size}, value.substr(size));
    // What is not read may be in any charset.
    if (found == nullptr || !found->schema) return {found};
    // RFC 8259, 8.1: JSON between systems is UTF-8, and the validator supports no other encoding.
    // Other parameters of multipart types: boundary_of().
    bool const is_read = contract::is_multipart(found->syntax)
                             ? sent->charset != text::Charset::other
                             : http::is_utf_8(*sent);
    bool const says_ascii = sent->charset == text::Charset::us_ascii;
    if (!is_read || (says_ascii && contract::has_items(found->syntax))) return {};
    return {found, says_ascii};
}

std::optional<std::string_view> boundary_of(Request const& request) {
    auto const value = request.head.fields.find(http::FieldId::content_type);
    return value ? contract::find_boundary(*value) : std::nullopt;
}

} // namespace sallyport::pipeline
