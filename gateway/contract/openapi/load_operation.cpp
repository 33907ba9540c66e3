// Reads one operation of an OpenAPI document: parameters, request body, responses.
#include "gateway/contract/diff/plain_rules.h"
#include "gateway/contract/openapi/in_place.h"
#include "gateway/contract/openapi/load.h"
#include "gateway/contract/openapi/media_key.h"
#include "gateway/contract/openapi/read_security.h"

#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

[[nodiscard]] bool is_token_character_in_lower_case(char c) noexcept {
    return text::is_token_character(c) && text::to_lower(c) == c;
}

// Whether the list contains the media type itself, not a range that includes it.
[[nodiscard]] bool stands_in(std::vector<MediaType> const& types, MediaKey const& key) noexcept {
    return std::any_of(types.begin(), types.end(),
                       [&key](MediaType const& one) { return key.is_of(one); });
}

// Whether the first entry of `content` of that media type says the same as another one.
[[nodiscard]] bool are_alike(yaml::Node const& content, MediaKey const& key,
                             yaml::Entry const& other) {
    auto const first = std::find_if(
        content.entries().begin(), content.entries().end(),
        [&key](yaml::Entry const& one) { return read_media_key(one.key) == key; });
    auto const text_of = [](yaml::Entry const& one, std::string_view word) {
        yaml::Node const* const value = one.value.find(word);
        return value != nullptr ? canonical_text(*value) : std::string{};
    };
    return first != content.entries().end() && text_of(*first, "schema") == text_of(other, "schema")
           && text_of(*first, "$ref") == text_of(other, "$ref");
}

// Responses are watched, not refused: of several entries with one name the first is for all bodies
// that the others are not for.
[[nodiscard]] MediaKey key_of_response(std::string const& text,
                                       std::vector<MediaType> const& known) {
    MediaKey key;
    if (auto read = read_media_key(text)) key = std::move(*read);
    else key.name = in_lower_case(text.substr(0, text.find_first_of(" ;")));
    bool const is_first = std::none_of(
        known.begin(), known.end(), [&key](MediaType const& one) { return one.name == key.name; });
    if (is_first || !key.is_read) key.parameters.clear();
    return key;
}

} // namespace

std::string in_lower_case(std::string_view text) {
    std::string lower{text};
    std::transform(lower.begin(), lower.end(), lower.begin(), text::to_lower);
    return lower;
}

bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character_in_lower_case);
}

// RFC 8259, 11 and RFC 6839, 3.1
bool is_json(std::string_view media_type) noexcept {
    constexpr std::string_view suffix = "+json";
    return media_type == "application/json" || media_type == "text/json"
           || (media_type.size() > suffix.size()
               && media_type.substr(media_type.size() - suffix.size()) == suffix);
}

namespace {

[[nodiscard]] std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

// OpenAPI 3.1, 4.8.16: `4XX` and `default`, in this letter case, which documents do not keep.
[[nodiscard]] std::string status_of(std::string_view written) {
    if (text::equals_ignoring_case(written, "default")) return "default";
    bool const is_range =
        written.size() == 3 && text::equals_ignoring_case(written.substr(1), "xx");
    return is_range ? written.front() + std::string{"XX"} : std::string{written};
}

// Tags choose operations in `rules` and nothing else: what is not a name chooses none.
[[nodiscard]] std::vector<std::string> tags_of(yaml::Node const& operation) {
    std::vector<std::string> tags;
    yaml::Node const* const list = operation.find("tags");
    if (list == nullptr || !list->is_sequence()) return tags;
    for (auto const& one : list->items()) {
        if (one.is_string()) tags.push_back(one.text());
    }
    return tags;
}

} // namespace

void Loader::read_operation(Node const& written, std::string const& path, std::string method,
                            PathItem& item, std::vector<ParameterNode> const& shared) {
    Node const& node = is_swagger() ? *swagger_operation(written, path, shared).node : written;
    Keys const keys{"an operation",
                    {"operationId", "parameters", "requestBody", "responses", "callbacks",
                     "servers", "tags", "x-lists", "x-retry", "x-stream", "x-timeouts",
                     "x-trailers", "x-upgrade", "x-body-limit", "x-source"},
                    {"summary", "description", "externalDocs", "security", "deprecated"},
                    {}};
    (void)problems_.exchange_reached({});
    if (!check_keys(node, path, keys)) return;
    source_ = {&written, &node, &documents_->document_of(written), template_key_, {}, {}};
    Operation operation;
    operation.index = static_cast<std::uint32_t>(contract_->operations_.size());
    operation.method = std::move(method);
    operation.path = item.path;
    read_operation_id(operation, node, path);
    operation.tags = tags_of(node);
    operation.security = read_security(document_.root(), node, path);
    read_extensions(operation, node, path);
    warn_of_requests_by_the_api(node, path, "callbacks");

    read_parameters(operation, item, own_and_shared(node, path, shared), node, path);
    Node const* const body = node.find("requestBody");
    if (body != nullptr && body->is_null()) {
        warn(*body, yaml::join_key(path, "requestBody"), "is empty: a body is refused",
             "remove it");
    } else if (body != nullptr) {
        read_request_body(operation, *body, yaml::join_key(path, "requestBody"));
    }
    operation.unchecked_in_requests = sorted(problems_.exchange_reached({}));
    if (Node const* const responses = node.find("responses"); responses != nullptr) {
        read_responses(operation, *responses, yaml::join_key(path, "responses"));
    }
    operation.unchecked_in_responses = sorted(problems_.exchange_reached({}));
    read_stream(operation, node, path);
    read_trailers(operation, node, path);
    read_upgrade(operation, node, path);
    sources_.push_back(std::move(source_));
    item.methods.push_back({operation.method, operation.index});
    contract_->operations_.push_back(std::move(operation));
}

void Loader::read_request_body(Operation& operation, Node const& node, std::string const& path) {
    auto const target = follow(node, path);
    Keys const keys{"a request body", {"required", "content"}, {"description"}, {}};
    if (!target || !check_keys(*target->node, target->path, keys)) return;
    RequestBody body;
    body.required = read_flag(*target->node, target->path, "required").value_or(false);
    Node const* const content = target->node->find("content");
    std::string const content_path = yaml::join_key(target->path, "content");
    if (content == nullptr || !content->is_mapping()) {
        error(*target->node, content_path, "must be a mapping of media types",
              "write content: {application/json: {schema: ...}}");
        return;
    }
    if (content->entries().empty()) {
        warn(*content, content_path, "has no media type: bodies of every type pass unread");
        body.media_types.push_back({"*/*", std::nullopt, BodySyntax::text, nullptr});
    }
    SchemaUse use;
    use.source = operation.source;
    use.operation = operation.index;
    use.is_body = true;
    use.may_share = true;
    std::vector<std::string> unread;
    for (yaml::Entry const& entry : content->entries())
        read_request_media(body, {content, content_path, target->resource}, entry, use, unread);
    for (std::string const& name : unread)
        accept_unread(body.media_types, name);
    // The limit was read with the other x- keywords of the operation.
    if (operation.request_body) body.limit = operation.request_body->limit;
    operation.request_body = std::move(body);
}

// `unread`: receives the type if bodies of it can only pass as they are.
void Loader::read_request_media(RequestBody& body, Target const& content, yaml::Entry const& entry,
                                SchemaUse const& use, std::vector<std::string>& unread) {
    std::string const at = yaml::join_key(content.path, entry.key);
    auto const key = read_media_key(entry.key);
    if (!key) {
        problems_.add_at(entry.mark, at, "is not a media type",
                         "write one such as application/json");
        return;
    }
    if (!key->is_read) {
        std::string const what{key->unread_reason};
        if (is_parsed(key->name)) {
            problems_.add_unsupported_at(entry.mark, at, what, "write " + key->name);
        } else {
            problems_.add_unchecked_at(entry.mark, at, what);
        }
        unread.push_back(key->name);
        return;
    }
    if (stands_in(body.media_types, *key)) {
        if (are_alike(*content.node, *key, entry)) return;
        problems_.add_unsupported_at(
            entry.mark, at,
            config::in_quotes(key->type().text()) + " is listed twice, with another schema",
            "remove one of the two");
        unread.push_back(key->name);
        return;
    }
    std::size_t const before = body.media_types.size();
    add_media_type(body.media_types, key->name, {&entry.value, at, content.resource}, use);
    for (std::size_t i = before; i < body.media_types.size(); ++i)
        body.media_types[i].parameters = key->parameters;
}

void Loader::read_responses(Operation& operation, Node const& node, std::string const& path) {
    if (node.is_null()) return warn(node, path, "is empty: every status passes", "remove it");
    WithConcern const of_responses{problems_, Concern::responses};
    std::size_t const faults_before = problems_.faults_of_responses();
    if (!node.is_mapping()) return error(node, path, "must be a mapping of statuses");
    bool is_any_declared = true; // an operation without responses does not restrict the statuses
    for (yaml::Entry const& entry : node.entries()) {
        std::string const at = yaml::join_key(path, entry.key);
        // OpenAPI 3.1, 4.8.16: extensions among the statuses.
        if (entry.key.starts_with("x-")) {
            check_extension(entry, at, "the responses of an operation");
            continue;
        }
        is_any_declared = false;
        read_response(operation, entry, at);
    }
    auto const is_default = [](Response const& one) { return one.first == 0; };
    auto const& known = operation.responses;
    is_any_declared = is_any_declared || std::any_of(known.begin(), known.end(), is_default)
                      || problems_.faults_of_responses() != faults_before;
    if (!is_any_declared) {
        add_response_rules(operation, "/responses", node, {{operation.declared_status, "status"}});
    }
    std::stable_sort(operation.responses.begin(), operation.responses.end(),
                     [](Response const& left, Response const& right) {
                         return left.last - left.first < right.last - right.first;
                     });
}

void Loader::read_response(Operation& operation, yaml::Entry const& entry,
                           std::string const& path) {
    std::string const status = status_of(entry.key);
    if (status != entry.key) {
        problems_.add_at(entry.mark, path, "is read as " + status, "write " + status,
                         yaml::Severity::warning);
    }
    Response response;
    if (status == "default") {
        response.last = 999;
    } else if (status.size() == 3 && status[0] >= '1' && status[0] <= '5'
               && (status.ends_with("XX")
                   || (text::is_digit(status[1]) && text::is_digit(status[2])))) {
        bool const is_range = status[1] == 'X';
        auto const digit = [&](std::size_t i) { return is_range && i > 0 ? 0 : status[i] - '0'; };
        response.first = static_cast<std::uint16_t>(digit(0) * 100 + digit(1) * 10 + digit(2));
        response.last = static_cast<std::uint16_t>(response.first + (is_range ? 99 : 0));
    } else {
        problems_.add_at(entry.mark, path, "is not a status",
                         "write one such as 200, 2XX or default");
        return;
    }
    read_response_object(operation, response, status, entry.value, path);
}

void Loader::read_response_object(Operation& operation, Response response, std::string_view status,
                                  Node const& node, std::string const& path) {
    auto target = follow(node, path);
    if (target && is_swagger()) target = swagger_response(*target);
    Keys const keys{"a response", {"content", "headers"}, {"summary", "description", "links"}, {}};
    if (!target || !check_keys(*target->node, target->path, keys)) return;
    source_.responses.emplace_back(status, *target);
    read_response_headers(operation, response, std::string{status}, *target);
    if (target->node->find("content") != nullptr) {
        read_response_content(operation, response, std::string{status}, *target);
    }
    operation.responses.push_back(std::move(response));
}

void Loader::read_response_content(Operation const& operation, Response& response,
                                   std::string const& status, Target const& target) {
    Node const& content = *target.node->find("content");
    std::string const path = yaml::join_key(target.path, "content");
    if (!content.is_mapping()) return error(content, path, "must be a mapping of media types");
    SchemaUse use;
    use.pointer = "/responses/" + status;
    use.source = operation.source;
    use.operation = operation.index;
    use.is_body = true;
    use.may_share = true;
    use.side = CompiledSchema::Side::response;
    bool has_schema = false;
    for (yaml::Entry const& media : content.entries()) {
        std::string const at = yaml::join_key(path, media.key);
        MediaKey key = key_of_response(media.key, response.media_types);
        if (stands_in(response.media_types, key)) {
            warn(media.value, at, "has no effect: this media type is already listed");
            continue;
        }
        response.media_types.push_back(
            read_media_type(std::move(key.name), {&media.value, at, target.resource}, use));
        response.media_types.back().parameters = std::move(key.parameters);
        has_schema = has_schema || response.media_types.back().schema.has_value();
    }
    if (response.media_types.empty()) return;
    add_response_rules(operation, use.pointer, content, {{response.media_type, "media_type"}});
    if (!has_schema) return;
    add_response_rules(
        operation, use.pointer, content,
        {{response.malformed, "malformed"}, {response.undeclared_secret, "undeclared_secret"}});
}

// Their numbers are consecutive like those of the rules of a schema, so that levels are set in the
// same way.
void Loader::add_response_rules(Operation const& operation, std::string const& pointer,
                                Node const& node, std::initializer_list<NewResponseRule> rules) {
    Program& program = *contract_->program_;
    CompiledSchema compiled;
    compiled.operation = operation.index;
    compiled.side = CompiledSchema::Side::response;
    compiled.first_rule = static_cast<RuleIndex>(program.rules.size());
    for (auto const& [number, keyword] : rules) {
        number = static_cast<RuleIndex>(program.rules.size());
        Rule rule;
        rule.keyword = keyword;
        rule.pointer = pointer + '/' + std::string{keyword};
        rule.source = operation.source;
        rule.mark = node.mark();
        program.rules.push_back(std::move(rule));
    }
    compiled.end_rule = static_cast<RuleIndex>(program.rules.size());
    program.schemas.push_back(compiled);
}

} // namespace sallyport::contract
