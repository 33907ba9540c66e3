// The section `apis`: what each API is (a contract, or paths), who may call it, and how strictly it
// is checked.
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>

namespace sallyport::config {

namespace {

using Draft = ApiDraft;

// Responses are streamed while they are checked: too late to hold one back.
std::vector<Word<Level>> const response_levels{
    {"report", Level::report}, {"off", Level::off}, {"enforce", std::nullopt}};

std::vector<Word<Refusals>> const refusal_words{{"compatible", Refusals::compatible},
                                                {"problem", Refusals::problem}};
std::vector<Word<TrailingSlash>> const trailing_slashes{{"refuse", TrailingSlash::refuse},
                                                        {"same", TrailingSlash::same}};
std::vector<Word<UnknownOperations>> const unknown_operations{
    {"refuse", UnknownOperations::refuse}, {"forward", UnknownOperations::forward}};

std::vector<Word<Unsupported>> const unsupported_words{{"refuse", Unsupported::refuse},
                                                       {"unchecked", Unsupported::unchecked}};
std::vector<Word<ContractSecurity>> const security_words{{"ignore", ContractSecurity::ignore},
                                                         {"use", ContractSecurity::use}};

std::vector<std::string> const default_methods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};

constexpr std::array<std::string_view, 2> methods_never_let_through{"CONNECT", "TRACE"};

// --- methods

bool is_method(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; });
}

void read_methods(Reader& reader, Value const& value, Draft& out) {
    read_method_list(reader, value, out.methods);
}

// --- changes to the contract

constexpr std::size_t most_overlays = 64; // as many as contract/overlay/overlay.h applies

void read_overlays(Reader& reader, Value const& value, Draft& out) {
    auto const items = reader.read_list(value, Empty::allowed);
    if (items.size() > most_overlays) {
        reader.refuse(value, "has more than " + std::to_string(most_overlays) + " overlays",
                      "write several actions into one file");
        return;
    }
    for (Value const& item : items) {
        auto file = reader.read_file(item);
        if (!file) continue;
        auto const is_same = [&file](File const& other) { return other.path == file->path; };
        if (std::any_of(out.overlays.begin(), out.overlays.end(), is_same)) {
            reader.refuse(item, "the overlay is given twice", "remove one");
        } else {
            out.overlays.push_back(std::move(*file));
        }
    }
}

// --- where to

void read_upstream_name(Reader& reader, Value const& value, Draft& out) {
    if (auto name = reader.read_line(value, 64)) out.upstream_name = std::move(*name);
}

// --- how strictly

Section<ResponseCheck> const& responses_section() {
    KeyInfo sample{"sample", Shape{ShapeKind::number, 0, 1},
                   "the part of the responses that is checked, 0 to 1", "1"};
    static Section<ResponseCheck> const section{
        "responses",
        {
            word_key("level", &ResponseCheck::level, response_levels,
                     "what happens to a response that breaks the contract")
                .required("level: report"),
            custom_key<ResponseCheck>(std::move(sample),
                                      [](Reader& reader, Value const& value, ResponseCheck& out) {
                                          auto const part = reader.read_number(value, 0, 1);
                                          if (part) out.sample = *part;
                                      }),
        }};
    return section;
}

void read_responses(Reader& reader, Value const& value, Draft& out) {
    if (value.node->is_mapping()) {
        responses_section().read(reader, value, out.responses);
    } else if (auto const level = read_word(reader, value, response_levels)) {
        out.responses.level = *level;
    }
}

constexpr std::string_view no_rules = "an API without a contract has no rules";

// Which requests are the API's own, and where they go.
void add_keys_of_requests(std::vector<Key<Draft>>& keys) {
    KeyInfo methods{"methods", methods_shape(), "of paths", "[GET, HEAD, POST, PUT, PATCH, DELETE]"};
    KeyInfo overlays{"overlays", list_shape(file_shape(), 0, most_overlays, Repeats::refused),
                     "OpenAPI Overlay documents, 1.0 or 1.1, that change the contract, in this "
                     "order; a change in one is applied without a restart",
                     "[]"};
    keys.push_back(file_key<Draft>("contract", &Draft::contract,
                                   "OpenAPI document, 3.0, 3.1 or 3.2; this, or paths, or both"));
    keys.push_back(file_key<Draft>("contract_folder", &Draft::contract_folder,
                                   "folder that contains the contract, and the files that `$ref` "
                                   "of the contract may lead to by a relative path; default: the "
                                   "contract's own")
                       .needing("contract", no_rules));
    keys.push_back(file_key<Draft>("schemas", &Draft::schemas,
                                   "folder of schemas that `$ref` of the contract may lead to; a "
                                   "change in it is applied without a restart")
                       .needing("contract", no_rules));
    keys.push_back(custom_key<Draft>(std::move(overlays), read_overlays)
                       .needing("contract", "an overlay changes a contract"));
    keys.push_back(word_key<Draft, Unsupported>(
                       "unsupported", &Draft::unsupported, unsupported_words,
                       "what happens to a contract with valid places that the gateway cannot "
                       "enforce; unchecked: it is loaded without their rules, each is a warning, "
                       "and requests that reach one are marked in the access log")
                       .needing("contract", no_rules));
    add_keys_of_paths(keys);
    keys.push_back(custom_key<Draft>(std::move(methods), read_methods)
                       .needing("paths", "the contract says which methods there are"));
    keys.push_back(
        custom_key<Draft>({"upstream", text_shape(64, name_pattern()), "name of its upstream"},
                          read_upstream_name)
            .required("upstream: NAME"));
}

// How strictly the contract is taken.
void add_keys_of_levels(Authenticators authenticators, std::vector<Key<Draft>>& keys) {
    KeyInfo responses{"responses",
                      either_shape(word_shape(infos_of(response_levels)),
                                   section_shape(responses_section().info())),
                      "a level, or a level and the part of the responses that is checked", "off"};
    keys.push_back(word_key<Draft, Level>("requests", &Draft::requests, request_level_words(),
                                          "what happens to a request that breaks the contract")
                       .needing("contract", no_rules));
    keys.push_back(word_key<Draft, Level>("read_only", &Draft::read_only, request_level_words(),
                                          "what happens to a request with a `readOnly` property")
                       .needing("contract", no_rules));
    keys.push_back(
        custom_key<Draft>(std::move(responses), read_responses).needing("contract", no_rules));
    keys.push_back(rules_key(authenticators).needing("contract", no_rules));
    KeyInfo security{"security", word_shape(infos_of(security_words)),
                     "use: `security` of the contract makes operations public, and says which of "
                     "`authenticate` and which scopes the others take",
                     "ignore"};
    keys.push_back(
        custom_key<Draft>(std::move(security), [](Reader& reader, Value const& value, Draft& out) {
            out.security = read_word(reader, value, security_words);
        }).needing("contract", no_rules));
}

std::vector<Key<Draft>> api_keys(Authenticators authenticators) {
    std::vector<Key<Draft>> keys;
    add_keys_of_requests(keys);
    for (auto& key : keys_of_callers(authenticators))
        keys.push_back(std::move(key));
    add_key_of_hosts(keys);
    add_keys_of_addresses(keys);
    add_keys_of_levels(authenticators, keys);
    keys.push_back(boolean_key<Draft>("forward_cookies", &Draft::forward_cookies,
                                      "whether the upstream gets the clients' cookies"));
    keys.push_back(word_key<Draft, Refusals>(
        "refusals", &Draft::refusals, refusal_words,
        "properties of refusals: problem has those of RFC 9457, compatible error, message and "
        "requestId beside them"));
    keys.push_back(word_key<Draft, Lists>(
                       "lists", &Draft::lists, lists_words(),
                       "how the upstream reads an encoded comma in a list, and a name that is "
                       "repeated in an object")
                       .needing("contract", no_rules));
    keys.push_back(word_key<Draft, TrailingSlash>(
                       "trailing_slash", &Draft::trailing_slash, trailing_slashes,
                       "same: a path of the contract may be asked for with a slash more or less "
                       "at its end")
                       .needing("contract", no_rules));
    add_keys_of_spellings(keys);
    keys.push_back(word_key<Draft, UnknownOperations>(
                       "unknown_operations", &Draft::unknown_operations, unknown_operations,
                       "what happens to a path or a method that the contract does not have")
                       .needing("contract", no_rules));
    add_keys_of_the_path(keys);
    add_keys_of_headers(keys);
    keys.push_back(identity_key<Draft>("fields in which its upstreams learn who calls, instead of "
                                       "those of the upstreams"));
    add_key_of_cors(keys);
    add_keys_of_websockets(keys);
    return keys;
}

// --- what concerns several keys

void check_kind(Reader& reader, Value const& value, SectionInfo const& info, Draft& draft) {
    if (!value.node->is_mapping()) return;
    bool const has_contract = value.node->find("contract") != nullptr;
    bool const has_paths = value.node->find("paths") != nullptr;
    if (!has_contract && !has_paths) {
        reader.refuse(draft.origin, "neither contract nor paths", std::string{info.rules.choice});
        return;
    }
    reader.check_needs(value, info);
    if (has_paths && value.node->find("methods") == nullptr) draft.methods = default_methods;
    if (has_contract && has_paths && value.node->find("fallback") != nullptr)
        reader.refuse(Reader::child(value, "fallback"), "a contract is no fallback for others",
                      "write an API of its own, with paths: [\"/\"]");
}

} // namespace

Shape methods_shape() {
    Shape method = text_shape(32, "^[A-Z_-]+$");
    method.refused = {methods_never_let_through.begin(), methods_never_let_through.end()};
    return list_shape(std::move(method), 1, no_limit, Repeats::refused);
}

void read_method_list(Reader& reader, Value const& value, std::vector<std::string>& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto method = reader.read_line(item, 32);
        if (!method) continue;
        if (!is_method(*method)) {
            reader.refuse(item, Reader::shown(item) + " is not a method",
                          "write it in capital letters, such as GET");
        } else if (std::find(methods_never_let_through.begin(), methods_never_let_through.end(),
                             *method)
                   != methods_never_let_through.end()) {
            reader.refuse(item, *method + " is never let through", "remove it");
        } else if (std::find(out.begin(), out.end(), *method) != out.end()) {
            reader.refuse(item, "the method is given twice", "remove one");
        } else {
            out.push_back(std::move(*method));
        }
    }
}

std::optional<std::size_t> find_upstream(Reader& reader, Origin const& origin,
                                         std::string_view name, Config const& config) {
    // Without upstreams that has been reported already.
    if (config.upstreams.empty()) return std::nullopt;
    std::vector<std::string_view> names;
    for (Upstream const& upstream : config.upstreams)
        names.emplace_back(upstream.name);
    auto const found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    reader.refuse(origin, "no upstream is called " + in_quotes(name), suggestion(name, names));
    return std::nullopt;
}

std::unique_ptr<Section<ApiDraft> const> make_api_section(Authenticators authenticators) {
    return std::make_unique<Section<Draft> const>(
        "api", api_keys(authenticators),
        SectionRules{.choice = "write contract: FILE, or paths: [\"/name/\"]",
                     .most_one_of = {"contract", "fallback"},
                     .some_of = {{"contract", "paths"}}});
}

void read_apis(Reader& reader, Value const& value, Section<ApiDraft> const& api,
               Authenticators authenticators, Config& out) {
    for (NamedValue const& named : reader.read_named(value, Empty::refused)) {
        (void)reader.check_name(named.mark, named.value.path, named.name);
        Draft draft;
        draft.name = named.name;
        draft.origin = Origin{named.mark, named.value.path};
        api.read(reader, named.value, draft);
        check_kind(reader, named.value, api.info(), draft);
        check_settings(reader, named.value, authenticators, draft);
        check_websockets(reader, named.value, draft);
        if (!draft.upstream_name.empty()) {
            auto const key = Reader::origin_of(Reader::child(named.value, "upstream"));
            draft.upstream =
                find_upstream(reader, key, draft.upstream_name, out).value_or(draft.upstream);
        }
        finish_rules(reader, authenticators, out, draft);
        refuse_shared_paths(reader, draft, out.apis);
        out.apis.push_back(std::move(static_cast<Api&>(draft)));
    }
}

} // namespace sallyport::config
