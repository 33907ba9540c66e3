// Reads an OpenAPI document: the top level, its paths, and what applies to the contract as a whole.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// OpenAPI 3.1, 4.8.9. Without TRACE, which the gateway never forwards.
constexpr std::array methods{
    std::pair{std::string_view{"get"}, std::string_view{"GET"}},
    std::pair{std::string_view{"put"}, std::string_view{"PUT"}},
    std::pair{std::string_view{"post"}, std::string_view{"POST"}},
    std::pair{std::string_view{"delete"}, std::string_view{"DELETE"}},
    std::pair{std::string_view{"options"}, std::string_view{"OPTIONS"}},
    std::pair{std::string_view{"head"}, std::string_view{"HEAD"}},
    std::pair{std::string_view{"patch"}, std::string_view{"PATCH"}},
};

[[nodiscard]] bool has(std::vector<std::string_view> const& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// OpenAPI 3.1, 4.1: `3.1` and a patch version, which has no effect.
[[nodiscard]] bool is_of_version(std::string_view text, std::string_view version) noexcept {
    return text.substr(0, version.size()) == version
           && (text.size() == version.size() || text[version.size()] == '.');
}

// A segment such as `v1`, after which the paths of one version of an API begin.
[[nodiscard]] bool is_version(std::string_view segment) noexcept {
    return segment.size() > 1 && (segment.front() == 'v' || segment.front() == 'V')
           && std::all_of(segment.begin() + 1, segment.end(), text::is_digit);
}

// OpenAPI 3.1, 4.8.5: replaces `{name}` by the default of that variable; nullopt: there is none.
[[nodiscard]] std::optional<std::string> fill_variables(yaml::Node const& server,
                                                        std::string_view url) {
    std::string filled;
    while (!url.empty()) {
        std::size_t const begin = std::min(url.find('{'), url.size());
        filled += url.substr(0, begin);
        url.remove_prefix(begin);
        if (url.empty()) break;
        std::size_t const end = url.find('}');
        if (end == std::string_view::npos) return std::nullopt;
        yaml::Node const* const variables = server.find("variables");
        yaml::Node const* const variable =
            variables != nullptr ? variables->find(url.substr(1, end - 1)) : nullptr;
        yaml::Node const* const value = variable != nullptr ? variable->find("default") : nullptr;
        if (value == nullptr || !value->is_string()) return std::nullopt;
        filled += value->text();
        url.remove_prefix(end + 1);
    }
    return filled;
}

// The hint for OpenAPI keys that are not implemented.
[[nodiscard]] std::string hint_for_refused(std::string_view word) {
    if (word == "$ref") return "write its target here";
    if (word == "servers") return "write them at the top of the document";
    if (word == "trace") return "remove it: the gateway does not forward TRACE";
    if (word == "pathItems") return "write them into paths";
    if (word == "content") return "write schema: {type: string}";
    return "remove it";
}

[[nodiscard]] std::string owned_prefix(PathTemplate const& segments) {
    std::string prefix = "/";
    std::string first = "/";
    for (std::size_t i = 0; i < segments.size(); ++i) {
        auto const& segment = segments[i];
        if (segment.kind == TemplateSegment::Kind::parameter || segment.name.empty()) break;
        prefix += segment.name + '/';
        if (i == 0) first = prefix;
        if (is_version(segment.name)) return prefix;
    }
    return first;
}

} // namespace

Loader::Loader(yaml::Document document, LoadOptions const& options)
    : document_{std::move(document)}, options_{options}, contract_{new Contract} {
    for (auto const& problem : document_.problems()) {
        problems_.add_at(problem.where, problem.path, problem.what, problem.hint, problem.severity);
    }
}

void Loader::begin(Vocabularies vocabularies) {
    documents_.emplace(document_.root(), vocabularies, options_.schema_folders, problems_);
    compiler_.emplace(*documents_, *contract_->program_, problems_);
}

void Loader::error(Node const& node, std::string const& path, std::string what, std::string hint) {
    problems_.add(node, path, std::move(what), std::move(hint));
}

void Loader::warn(Node const& node, std::string const& path, std::string what, std::string hint) {
    problems_.add(node, path, std::move(what), std::move(hint), yaml::Severity::warning);
}

void Loader::warn_of_requests_by_the_api(Node const& node, std::string const& path,
                                         std::string_view key) {
    Node const* const described = node.find(key);
    if (described == nullptr || !foreign_words_.emplace(key).second) return;
    warn(*described, yaml::join_key(path, key),
         "has no effect: requests that the API itself sends do not pass the gateway");
}

bool Loader::check_keys(Node const& node, std::string const& path, Keys const& keys) {
    if (!node.is_mapping()) {
        error(node, path, "must be a mapping, and is " + std::string{name_of(node.kind())});
        return false;
    }
    for (yaml::Entry const& entry : node.entries()) {
        if (has(keys.read, entry.key) || has(keys.annotations, entry.key)) continue;
        std::string const at = yaml::join_key(path, entry.key);
        std::string const subject = config::in_quotes(entry.key) + " of " + std::string{keys.what};
        if (has(keys.refused, entry.key)) {
            problems_.add_at(entry.mark, at, subject + " is not implemented",
                             hint_for_refused(entry.key));
            continue;
        }
        std::vector<std::string_view> known = keys.read;
        known.insert(known.end(), keys.annotations.begin(), keys.annotations.end());
        // OpenAPI 3.1, 4.9: other x- keys are allowed, unless one is similar to one of the
        // gateway's.
        bool const is_foreign = entry.key.rfind("x-", 0) == 0 && !config::nearest(entry.key, known);
        if (!is_foreign) {
            problems_.add_at(entry.mark, at, subject + " is unknown",
                             config::suggestion(entry.key, known));
        } else if (foreign_words_.insert(entry.key).second) {
            problems_.add_at(entry.mark, at,
                             "the word " + config::in_quotes(entry.key)
                                 + " is unknown and has no effect",
                             {}, yaml::Severity::warning);
        }
    }
    return true;
}

// OpenAPI 3.1, 4.8.23 (3.0, 4.7.23): beside a `$ref` that is not in a schema, all other keys except
// for texts are ignored.
void Loader::warn_of_what_stands_beside(Node const& reference, std::string const& path) {
    for (yaml::Entry const& entry : reference.entries()) {
        bool const is_text = entry.key == "summary" || entry.key == "description";
        if (entry.key == "$ref" || is_text || entry.key.rfind("x-", 0) == 0) continue;
        problems_.add_at(entry.mark, yaml::join_key(path, entry.key), "has no effect beside $ref",
                         "write it at the target of the $ref, or replace the $ref by its target",
                         yaml::Severity::warning);
    }
}

std::optional<Target> Loader::follow(Node const& node, std::string const& path) {
    Target target{&node, path, &documents_->main()};
    for (std::size_t steps = 0; steps < 16; ++steps) {
        Node const* const reference = target.node->find("$ref");
        if (reference == nullptr || !reference->is_string()) return target;
        warn_of_what_stands_beside(*target.node, target.path);
        auto next = documents_->resolve(*target.resource, reference->text());
        if (!next.target) {
            if (next.hint.empty()) next.hint = "write #/components/ and its path there";
            error(*reference, yaml::join_key(target.path, "$ref"), std::move(next.error),
                  std::move(next.hint));
            return std::nullopt;
        }
        target = std::move(*next.target);
    }
    error(node, path, "its $refs form a cycle", "let one of them refer to the object itself");
    return std::nullopt;
}

// OpenAPI 3.1, 4.8.6: the default of a variable is a string, and one of its enum if there is one;
// YAML reads a port as a number.
bool Loader::check_variables(Node const& server, std::string const& path) {
    Node const* const variables = server.find("variables");
    if (variables == nullptr) return true;
    bool is_good = true;
    for (yaml::Entry const& entry : variables->entries()) {
        Node const* const value = entry.value.find("default");
        if (value == nullptr) continue;
        std::string const at = yaml::join_key(yaml::join_key(path, "variables"), entry.key);
        Node const* const words = entry.value.find("enum");
        auto const is_it = [value](Node const& word) { return word.text() == value->text(); };
        bool const is_among = words == nullptr || !words->is_sequence()
                              || std::any_of(words->items().begin(), words->items().end(), is_it);
        if (value->is_string() && is_among) continue;
        is_good = false;
        if (value->is_string()) {
            error(*value, yaml::join_key(at, "default"), "is not one of the values of its enum",
                  "write one of them");
            continue;
        }
        error(*value, yaml::join_key(at, "default"),
              "must be a string, and is " + std::string{name_of(value->kind())},
              "write it in quotes");
    }
    return is_good;
}

void Loader::read_servers(Node const& servers) {
    if (!servers.is_sequence()) return error(servers, "servers", "must be a list of servers");
    Keys const keys{"a server", {"url", "variables"}, {"description"}, {}};
    bool is_first = true;
    for (std::size_t i = 0; i < servers.items().size(); ++i) {
        std::string const path = yaml::join_index("servers", i);
        if (!check_keys(servers.items()[i], path, keys)) continue;
        Node const* const url = servers.items()[i].find("url");
        if (url == nullptr || !url->is_string()) {
            error(servers.items()[i], path, "must have a url");
            continue;
        }
        if (!check_variables(servers.items()[i], path)) continue;
        // Only the path is used: the host of an API is in the configuration.
        auto const whole = fill_variables(servers.items()[i], url->text());
        std::string_view text = whole ? std::string_view{*whole} : "?";
        if (auto const scheme = text.find("://"); scheme != std::string_view::npos) {
            auto const slash = text.find('/', scheme + 3);
            text = slash == std::string_view::npos ? std::string_view{} : text.substr(slash);
        }
        while (!text.empty() && text.back() == '/')
            text.remove_suffix(1);
        bool const is_plain = whole && text.find_first_of("{}?#") == std::string_view::npos;
        if (is_plain && !text.empty() && text.front() != '/') {
            error(*url, yaml::join_key(path, "url"), "is neither a path nor a full URL",
                  "begin it with / or https://");
        } else if (!is_plain) {
            error(*url, yaml::join_key(path, "url"), "has a path that cannot be used",
                  "write a path whose variables have defaults");
        } else if (!is_first && text != base_path_) {
            error(*url, yaml::join_key(path, "url"),
                  "has a different path than the servers before it",
                  "write servers with one path, or two documents");
        } else {
            base_path_ = text;
        }
        is_first = false;
    }
}

// The metadata of a document. Only its title is used; an unknown key is nevertheless a problem.
void Loader::read_info(Node const& root) {
    Node const* const info = root.find("info");
    Keys const keys{"info",
                    {"title"},
                    {"summary", "description", "termsOfService", "contact", "license", "version"},
                    {}};
    if (info != nullptr && !check_keys(*info, "info", keys)) return;
    Node const* const title = info != nullptr ? info->find("title") : nullptr;
    if (title == nullptr || !title->is_string() || title->text().empty()) {
        return error(info != nullptr ? *info : root, "info", "must have a title");
    }
    contract_->title_ = title->text();
}

// OpenAPI 3.1, 4.8.1: the dialect of schemas without `$schema`.
void Loader::check_dialect(Node const& root) {
    Node const* const named = root.find("jsonSchemaDialect");
    if (named == nullptr || (named->is_string() && is_standard_dialect(named->text()))) return;
    error(*named, "jsonSchemaDialect", "is a dialect that is not implemented",
          "write " + std::string{dialect::openapi_uri} + ", or leave it out");
}

void Loader::read_document(Node const& root) {
    // A document of another version: one problem instead of one for each key.
    if (Node const* const swagger = root.find("swagger"); swagger != nullptr) {
        error(*swagger, "swagger", "OpenAPI 2 (Swagger) is not supported",
              "convert it to version 3 of OpenAPI");
        return;
    }
    Node const* const version = root.find("openapi");
    bool const is_3_0 = version != nullptr && is_of_version(version->text(), "3.0");
    Keys keys{"an OpenAPI document",
              {"openapi", "info", "servers", "paths", "components"},
              {"security", "tags", "externalDocs"},
              {}};
    if (!is_3_0) {
        keys.read.insert(keys.read.end(), {"jsonSchemaDialect", "webhooks"});
    }
    if (!check_keys(root, "", keys)) return;
    begin(is_3_0 ? dialect::openapi_3_0 : dialect::contract);
    if (version == nullptr || (!is_3_0 && !is_of_version(version->text(), "3.1"))) {
        error(version != nullptr ? *version : root, "openapi",
              "must be version 3.0 or 3.1 of OpenAPI", "write openapi: 3.1.0");
    }
    read_info(root);
    check_dialect(root);
    warn_of_requests_by_the_api(root, "", "webhooks");
    if (Node const* const servers = root.find("servers"); servers != nullptr) {
        read_servers(*servers);
    }
    Node const* const paths = root.find("paths");
    if (paths == nullptr || !paths->is_mapping() || paths->entries().empty()) {
        error(paths != nullptr ? *paths : root, "paths", "must be a mapping of at least one path");
        return;
    }
    for (yaml::Entry const& entry : paths->entries()) {
        if (entry.key.rfind("x-", 0) == 0) continue; // OpenAPI 3.1, 4.9
        read_path(entry, yaml::join_key("paths", entry.key));
    }
    check_templates();
    check_components(root);
}

void Loader::read_path(yaml::Entry const& entry, std::string const& path) {
    Keys keys{"a path",
              {"parameters"},
              {"summary", "description", "x-source"},
              {"$ref", "servers", "trace"}};
    for (auto const& method : methods)
        keys.read.push_back(method.first);
    if (!check_keys(entry.value, path, keys)) return;
    PathItem item;
    item.path = base_path_ + entry.key;
    ParsedTemplate parsed = parse_path_template(item.path);
    if (!parsed.error.empty()) {
        problems_.add_at(entry.mark, path, "the path " + parsed.error, std::move(parsed.hint));
        return;
    }
    for (std::size_t i = 0; i < parsed.segments.size(); ++i) {
        if (parsed.segments[i].kind != TemplateSegment::Kind::parameter) continue;
        auto const& name = parsed.segments[i].name;
        if (std::find(item.parameter_names.begin(), item.parameter_names.end(), name)
            != item.parameter_names.end()) {
            problems_.add_at(entry.mark, path,
                             "the path has the parameter " + config::in_quotes(name) + " twice",
                             "give one of them another name");
        }
        item.parameter_names.push_back(name);
        item.parameter_segments.push_back(static_cast<std::uint8_t>(i));
    }
    auto const shared =
        list_parameters(entry.value.find("parameters"), yaml::join_key(path, "parameters"));
    for (auto const& [key, name] : methods) {
        Node const* const operation = entry.value.find(key);
        if (operation == nullptr) continue;
        read_operation(*operation, yaml::join_key(path, key), std::string{name}, item, shared);
    }
    for (auto const& method : item.methods) {
        item.allow += (item.allow.empty() ? "" : ", ") + method.name;
        bool const brings_head = method.name == "GET" && entry.value.find("head") == nullptr;
        if (brings_head) item.allow += ", HEAD"; // PathItem::find()
    }
    items_.push_back(std::move(item));
    templates_.push_back(std::move(parsed.segments));
    path_nodes_.push_back(&entry.value);
}

void Loader::check_templates() {
    for (std::size_t right = 1; right < templates_.size(); ++right) {
        for (std::size_t left = 0; left < right; ++left) {
            if (compare_templates(templates_[left], templates_[right]) != Overlap::ambiguous) {
                continue;
            }
            error(*path_nodes_[right], yaml::join_key("paths", items_[right].path),
                  "can match the same path as " + items_[left].path,
                  "write one path for both, or one that has a literal wherever the other has one");
        }
    }
}

void Loader::find_owned_prefixes() {
    std::vector<std::string> all;
    for (auto const& segments : templates_)
        all.push_back(owned_prefix(segments));
    std::sort(all.begin(), all.end());
    for (auto& prefix : all) {
        auto& kept = contract_->owned_prefixes_;
        // Sorted: a prefix is after those that contain it.
        auto const is_inside = [&prefix](std::string const& outer) {
            return prefix.compare(0, outer.size(), outer) == 0;
        };
        if (std::none_of(kept.begin(), kept.end(), is_inside)) kept.push_back(std::move(prefix));
    }
}

Loaded Loader::finish() {
    bool const is_good = !problems_.has_errors();
    if (compiler_) {
        auto const& secrets = compiler_->secret_members();
        contract_->secret_members_.assign(secrets.begin(), secrets.end());
        auto const& labels = compiler_->label_names();
        contract_->label_names_.assign(labels.begin(), labels.end());
    }
    if (is_good) {
        find_owned_prefixes();
        contract_->router_ = Router{std::move(items_), std::move(templates_)};
    }
    return {is_good ? std::move(contract_) : nullptr, problems_.take()};
}

Loaded Loader::load_openapi() {
    // A document with errors of syntax is not checked further.
    if (document_.is_whole()) read_document(document_.root());
    auto loaded = finish();
    if (document_.has_errors()) {
        yaml::remove_consequences(loaded.problems, document_.problems());
        // The list has the document's warnings already.
        std::copy_if(document_.problems().begin(), document_.problems().end(),
                     std::back_inserter(loaded.problems), [](yaml::Problem const& problem) {
                         return problem.severity == yaml::Severity::error;
                     });
        yaml::sort_by_place(loaded.problems);
    }
    return loaded;
}

Loaded Loader::load_schema(Formats formats) {
    if (!problems_.has_errors()) {
        begin(formats == Formats::annotate ? dialect::json_schema : dialect::contract);
        contract_->schema_ = compiler_->compile({&document_.root(), "", &documents_->main()}, {});
    }
    return finish();
}

} // namespace sallyport::contract
