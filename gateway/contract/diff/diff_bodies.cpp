// Compares the bodies of two descriptions of one operation.
#include "gateway/contract/diff/diff_operation.h"

#include "gateway/contract/diff/plain_rules.h"
#include "gateway/contract/openapi/load.h"
#include "gateway/contract/openapi/media_key.h"

#include <algorithm>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

[[nodiscard]] MediaType type_of(std::string const& key) {
    MediaKey read = read_media_key(key).value_or(MediaKey{in_lower_case(key), {}, true});
    if (!read.is_read) read.parameters.clear();
    MediaType type = read.type();
    type.syntax = BodySyntax::text; // any of a range, not those alone that are JSON
    return type;
}

// The key of `content` that bodies of a media type have; empty: none.
[[nodiscard]] std::string key_for(SchemaView const& content, MediaType const& body) {
    if (content.node == nullptr) return {};
    std::vector<MediaType> types;
    for (auto const& entry : content.node->entries())
        types.push_back(type_of(entry.key));
    auto const* const found =
        find_media_type(types, body.name, body.text().substr(body.name.size()));
    if (found == nullptr) return {};
    return content.node->entries()[static_cast<std::size_t>(found - types.data())].key;
}

[[nodiscard]] std::vector<MediaType> const* types_of(std::optional<RequestBody> const& body) {
    return body ? &body->media_types : nullptr;
}

[[nodiscard]] std::vector<MediaType> const* types_of(Operation const& operation,
                                                     std::string const& status) {
    auto const found = std::find_if(
        operation.responses.begin(), operation.responses.end(), [&status](Response const& one) {
            if (status == "default") return one.first == 0;
            bool const is_range = status.ends_with("XX") || status.ends_with("xx");
            return one.first / 100 == status.front() - '0'
                   && (is_range ? one.last != one.first : std::to_string(one.first) == status);
        });
    return found != operation.responses.end() ? &found->media_types : nullptr;
}

// Whether bodies of a media type pass unread, such as XML, whatever their schema says.
[[nodiscard]] bool pass_unread(std::vector<MediaType> const* types, std::string const& name) {
    return types != nullptr
           && std::none_of(types->begin(), types->end(), [&name](MediaType const& one) {
                  return one.name == name && one.schema.has_value();
              });
}

} // namespace

void OperationComparison::compare_bodies() {
    SchemaView const old = followed(old_.view.child("requestBody"));
    SchemaView const now = followed(now_.view.child("requestBody"));
    if (old.node == nullptr && now.node == nullptr) return;
    if (old.node == nullptr) {
        requests_.add(
            change_at(now.pointer, "request body added",
                      is_true(now, "required") ? ChangeClass::stricter : ChangeClass::looser));
        return;
    }
    if (now.node == nullptr) {
        requests_.add(change_at(below(now_.view.pointer, "requestBody"),
                                "request body removed: one is refused", ChangeClass::stricter));
        return;
    }
    compare_flag(old, now, "required", ChangeClass::stricter, requests_);
    compare_limits(old_.view, now_.view);
    compare_content(old.child("content"), now.child("content"), requests_,
                    {types_of(old_.operation->request_body),
                     types_of(now_.operation->request_body)});
}

// Without x-body-limit the limit is one of the configuration.
void OperationComparison::compare_limits(SchemaView const& old, SchemaView const& now) {
    auto const& before = old_.operation->request_body;
    auto const& after = now_.operation->request_body;
    if (!before || !after || before->limit == after->limit) return;
    bool const are_both = before->limit && after->limit;
    bool const is_larger = are_both && *after->limit > *before->limit;
    compare_key(
        old, now,
        {"x-body-limit", is_larger ? ChangeClass::looser : ChangeClass::stricter, !are_both},
        requests_);
}

void OperationComparison::compare_content(SchemaView const& old, SchemaView const& now,
                                          Explainer& explainer, BodiesRead const& read) {
    if (now.node != nullptr) {
        for (auto const& entry : now.node->entries()) {
            MediaType const type = type_of(entry.key);
            std::string const key = key_for(old, type);
            SchemaView const media = followed(now.child(entry.key));
            if (key.empty()) {
                explainer.add(change_at(media.pointer, "media type added", ChangeClass::looser));
            } else {
                compare_media(followed(old.child(key)), media, type.name, explainer, read);
            }
        }
    }
    if (old.node == nullptr) return;
    for (auto const& entry : old.node->entries()) {
        MediaType const type = type_of(entry.key);
        std::string const key = key_for(now, type);
        if (key.empty()) {
            explainer.add(change_at(old.child(entry.key).pointer, "media type removed",
                                    ChangeClass::stricter));
        } else if (type_of(key).text() != type.text()) {
            compare_media(followed(old.child(entry.key)), followed(now.child(key)), type.name,
                          explainer, read);
        }
    }
}

void OperationComparison::compare_media(SchemaView const& old, SchemaView const& now,
                                        std::string const& name, Explainer& explainer,
                                        BodiesRead const& read) {
    if (pass_unread(read.old, name) && pass_unread(read.now, name)) return;
    bool const is_form =
        name == "application/x-www-form-urlencoded" || name.starts_with("multipart/");
    if (is_form) {
        for (auto const* const key : {"encoding", "prefixEncoding", "itemEncoding"})
            compare_key(old, now, {key, ChangeClass::stricter, true}, explainer);
    }
    // Texts and forms have no types of their own, like parameters.
    bool const is_text = !is_json(name) && !explainer.subject().is_of_response;
    compare_media_schemas(old, now, "schema", is_text, explainer);
    bool const is_part = is_text && name.starts_with("multipart/");
    compare_media_schemas(old, now, "itemSchema", is_part, explainer);
}

void OperationComparison::compare_media_schemas(SchemaView const& old, SchemaView const& now,
                                                std::string const& key, bool is_text,
                                                Explainer& explainer) {
    SchemaView const before = old.child(key);
    SchemaView const after = now.child(key);
    if (before.node == nullptr && after.node == nullptr) return;
    if (before.node == nullptr || after.node == nullptr) {
        bool const is_added = before.node == nullptr;
        Change change = change_at(below(is_added ? now.pointer : old.pointer, key),
                                  is_added ? "schema added: bodies passed unread"
                                           : "schema removed: bodies pass unread",
                                  is_added ? ChangeClass::stricter : ChangeClass::looser);
        explainer.add(std::move(change));
        return;
    }
    if (is_text) compare_texts(before, after, 0);
    explainer.compare(before, after);
}

// Responses are never refused: what is said of them is neutral for requests.
void OperationComparison::compare_responses() {
    auto const find = [](OperationView const& operation, std::string const& status) {
        auto const& all = operation.responses;
        auto const found = std::find_if(all.begin(), all.end(),
                                        [&status](auto const& one) { return one.first == status; });
        return found != all.end() ? &found->second : nullptr;
    };
    for (auto const& [status, after] : now_.responses) {
        SchemaView const* const before = find(old_, status);
        if (before == nullptr) {
            responses_.add(
                change_at(now_.place_of_response(status), "response added", ChangeClass::neutral));
            continue;
        }
        compare_content(before->child("content"), after.child("content"), responses_,
                        {types_of(*old_.operation, status), types_of(*now_.operation, status)});
        compare_key(*before, after, {"headers"}, responses_);
    }
    for (auto const& [status, before] : old_.responses) {
        if (find(now_, status) != nullptr) continue;
        responses_.add(
            change_at(old_.place_of_response(status), "response removed", ChangeClass::neutral));
    }
}

} // namespace sallyport::contract
