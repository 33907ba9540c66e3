// Reads an OpenAPI document: the top level, its paths, and what applies to the contract as a whole.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/contract/openapi/other_kinds.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// OpenAPI 3.2, 4.9.1. Without TRACE, which the gateway never forwards, and QUERY, which only 3.2
// has.
constexpr std::array methods{
    std::pair{std::string_view{"get"}, std::string_view{"GET"}},
    std::pair{std::string_view{"put"}, std::string_view{"PUT"}},
    std::pair{std::string_view{"post"}, std::string_view{"POST"}},
    std::pair{std::string_view{"delete"}, std::string_view{"DELETE"}},
    std::pair{std::string_view{"options"}, std::string_view{"OPTIONS"}},
    std::pair{std::string_view{"head"}, std::string_view{"HEAD"}},
    std::pair{std::string_view{"patch"}, std::string_view{"PATCH"}},
};

std::vector<yaml::Entry> const no_entries;

[[nodiscard]] bool has(std::vector<std::string_view> const& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// OpenAPI 3.1, 4.1: `3.1` and a patch version, which has no effect.
[[nodiscard]] bool is_of_version(std::string_view text, std::string_view version) noexcept {
    return text.substr(0, version.size()) == version
           && (text.size() == version.size() || text[version.size()] == '.');
}

} // namespace

Loader::Loader(yaml::Document document, LoadOptions const& options, References references)
    : document_{std::move(document)}, options_{options}, references_{references},
      problems_{options.unsupported}, contract_{new Contract} {
    problems_.add_all(document_.problems());
}

void Loader::begin(Vocabularies vocabularies) {
    documents_.emplace(document_.root(), vocabularies, options_.schema_folders, options_.folder,
                       options_.outer_folder, problems_);
    compiler_.emplace(make_compiler());
}

SchemaCompiler Loader::make_compiler() {
    bool const is_expanded = references_ == References::expanded;
    bool const is_openapi = (documents_->main().vocabularies & vocabulary::swagger) != 0
                            || document_.root().find("openapi") != nullptr;
    return {*documents_, *contract_->program_, problems_, references_,
            is_expanded && is_openapi ? max_expanded_parts : max_parts};
}

void Loader::error(Node const& node, std::string const& path, std::string what, std::string hint) {
    problems_.add(node, path, std::move(what), std::move(hint));
}

void Loader::unsupported(Node const& node, std::string const& path, std::string what,
                         std::string hint) {
    ++unsupported_;
    problems_.add_unsupported(node, path, std::move(what), std::move(hint));
}

void Loader::warn(Node const& node, std::string const& path, std::string what, std::string hint) {
    problems_.add(node, path, std::move(what), std::move(hint), yaml::Severity::warning);
}

void Loader::warn_of_requests_by_the_api(Node const& node, std::string const& path,
                                         std::string_view key) {
    Node const* const described = node.find(key);
    if (described == nullptr || !warned_words_.emplace(key).second) return;
    warn(*described, yaml::join_key(path, key),
         "has no effect: requests that the API itself sends do not pass the gateway");
}

bool Loader::check_keys(Node const& node, std::string const& path, Keys const& keys) {
    if (node.is_null()) {
        // Nothing stands behind its key.
        warn(node, path, "is empty: it is read as " + std::string{keys.what} + " that says nothing",
             "write {}, or remove it");
        return true;
    }
    if (!node.is_mapping()) {
        error(node, path, "must be a mapping, and is " + std::string{name_of(node.kind())});
        return false;
    }
    for (yaml::Entry const& entry : node.entries()) {
        if (has(keys.read, entry.key) || has(keys.annotations, entry.key)) continue;
        std::string const at = yaml::join_key(path, entry.key);
        if (entry.key.starts_with("x-")) {
            check_extension(entry, at, keys.what);
            continue;
        }
        if (refuse_misplaced(entry, at, keys)) continue;
        std::string const subject = config::in_quotes(entry.key) + " of " + std::string{keys.what};
        if (has(keys.refused, entry.key)) {
            problems_.add_unsupported_at(entry.mark, at, subject + " is not implemented",
                                         "remove it");
            continue;
        }
        if (keys.others == Others::refused || config::nearest(entry.key, keys.read)) {
            problems_.add_at(entry.mark, at, subject + " is unknown",
                             config::suggestion(entry.key, keys.read));
            continue;
        }
        auto const near = config::nearest(entry.key, keys.annotations);
        problems_.add_at(entry.mark, at, subject + " is unknown and has no effect",
                         near ? "did you mean " + config::in_quotes(*near) + "?" : std::string{},
                         yaml::Severity::warning);
    }
    return true;
}

// A rule of a schema, or a whole schema, that is one level too high would have no effect: it is
// refused, since the values that it was meant for would pass unchecked.
bool Loader::refuse_misplaced(yaml::Entry const& entry, std::string const& at, Keys const& keys) {
    bool const takes_schema = has(keys.read, "schema");
    if (!takes_schema && !has(keys.read, "content")) return false;
    // `required` of other objects is a flag.
    bool const is_rule = SchemaCompiler::is_rule(entry.key)
                         && (entry.key != "required" || entry.value.is_sequence());
    if (!is_rule && (takes_schema || entry.key != "schema")) return false;
    std::string const what = std::string{keys.what} + " has no " + config::in_quotes(entry.key)
                             + ": nothing would be checked";
    std::string const schema =
        entry.key == "schema" ? "{schema: ...}" : "{schema: {" + entry.key + ": ...}}";
    problems_.add_at(entry.mark, at, what,
                     takes_schema ? "write schema: {" + entry.key + ": ...}"
                                  : "write content: {application/json: " + schema + "}");
    return true;
}

// OpenAPI 3.1, 4.9: x- keys of others are allowed everywhere. One that resembles a word of the
// gateway's, or is one in a place where it is not read, was probably meant to have an effect.
void Loader::check_extension(yaml::Entry const& entry, std::string const& at,
                             std::string_view what) {
    auto const near = config::nearest(entry.key, gateway_words);
    if (!near || !warned_words_.insert(entry.key).second) return;
    bool const is_ours = *near == entry.key;
    problems_.add_at(entry.mark, at,
                     config::in_quotes(entry.key)
                         + (is_ours ? " has no effect on " + std::string{what}
                                    : std::string{" is unknown and has no effect"}),
                     is_ours ? std::string{} : "did you mean " + config::in_quotes(*near) + "?",
                     yaml::Severity::warning);
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

std::optional<Target> Loader::follow(Node const& node, std::string const& path,
                                     Resource const* from) {
    Target target{&node, path, from != nullptr ? from : &documents_->document_of(node)};
    for (std::size_t steps = 0; steps < 16; ++steps) {
        Node const* const reference = target.node->find("$ref");
        if (reference == nullptr || !reference->is_string()) return target;
        warn_of_what_stands_beside(*target.node, target.path);
        auto next = documents_->resolve(*target.resource, reference->text());
        if (!next.target) {
            if (next.hint.empty()) {
                next.hint = is_swagger() ? "write #/parameters/ or #/responses/ and its name there"
                                         : "write #/components/ and its path there";
            }
            error(*reference, yaml::join_key(target.path, "$ref"), std::move(next.error),
                  std::move(next.hint));
            return std::nullopt;
        }
        // Its rules would be words that nothing reads here.
        if (next.target->path.starts_with("components.schemas.")
            || next.target->path.starts_with("definitions.")) {
            error(*reference, yaml::join_key(target.path, "$ref"),
                  "leads to a schema, which nothing would be checked by here",
                  "write schema: {$ref: ...}, in a body or a response below content and its media "
                  "type");
            return std::nullopt;
        }
        target = std::move(*next.target);
    }
    error(node, path, "its $refs form a cycle", "let one of them refer to the object itself");
    return std::nullopt;
}

// The metadata of a document. Only its title is used: the rest may be anything.
void Loader::read_info(Node const& root) {
    Node const* const info = root.find("info");
    Node const* const title = info != nullptr ? info->find("title") : nullptr;
    if (title == nullptr || title->text().empty()) {
        return warn(info != nullptr ? *info : root, "info", "has no title");
    }
    contract_->title_ = title->text();
}

// OpenAPI 3.1, 4.8.1: the dialect of schemas without `$schema`.
Vocabularies Loader::dialect_of(Node const& root) {
    Node const* const named = root.find("jsonSchemaDialect");
    if (named == nullptr || (named->is_string() && is_standard_dialect(named->text()))) {
        return dialect::contract;
    }
    std::string hint = "write " + std::string{dialect::openapi_uri} + ", or leave it out";
    if (!named->is_string()) {
        error(*named, "jsonSchemaDialect", "must be a string", std::move(hint));
    } else {
        unsupported(*named, "jsonSchemaDialect", std::string{unknown_dialect}, std::move(hint));
    }
    return vocabulary::unknown;
}

void Loader::read_document(Node const& root) {
    if (root.find("swagger") != nullptr) return read_swagger(root);
    if (auto const kind = other_kind_of(root); !kind.empty()) {
        return error(root, "", "is " + std::string{kind} + ", not an OpenAPI document",
                     "export the API as OpenAPI, or name that document");
    }
    Node const* const version = root.find("openapi");
    bool const is_3_0 = version != nullptr && is_of_version(version->text(), "3.0");
    bool const is_3_1 = version != nullptr && is_of_version(version->text(), "3.1");
    is_3_2_ = version != nullptr && is_of_version(version->text(), "3.2");
    Keys keys{"an OpenAPI document",
              {"openapi", "info", "servers", "paths", "components"},
              {"security", "tags", "externalDocs"},
              {}};
    if (!is_3_0) {
        keys.read.insert(keys.read.end(), {"jsonSchemaDialect", "webhooks"});
    }
    if (is_3_2_) keys.read.push_back("$self");
    if (!check_keys(root, "", keys)) return;
    begin(is_3_0 ? dialect::openapi_3_0 : dialect_of(root));
    if (!is_3_0 && !is_3_1 && !is_3_2_) {
        error(version != nullptr ? *version : root, "openapi",
              "must be version 3.0, 3.1 or 3.2 of OpenAPI", "write openapi: 3.1.0");
    }
    read_info(root);
    check_self(root);
    warn_of_requests_by_the_api(root, "", "webhooks");
    base_path_ = base_path_of(root, "", {});
    read_paths(root);
    make_names();
    check_templates();
    check_components(root);
}

// OpenAPI 3.1, 4.8.1: a document of nothing but webhooks or components is valid, and so are empty
// paths in either version.
void Loader::read_paths(Node const& root) {
    Node const* const paths = root.find("paths");
    bool const has_others = root.find("components") != nullptr || root.find("webhooks") != nullptr;
    bool const is_wrong = paths == nullptr ? !has_others
                                           : !paths->is_mapping() && !paths->is_null();
    if (is_wrong) {
        return error(paths != nullptr ? *paths : root, "paths", "must be a mapping of paths");
    }
    if (paths != nullptr) refuse_reference_for_all(*paths, "paths");
    for (yaml::Entry const& entry : paths != nullptr ? paths->entries() : no_entries) {
        if (is_given_up()) return;
        if (entry.key == "$ref") continue;
        if (entry.key.starts_with("x-")) continue; // OpenAPI 3.1, 4.9
        read_path(entry, yaml::join_key("paths", entry.key));
    }
    if (paths == nullptr || paths->entries().empty()) {
        warn(paths != nullptr ? *paths : root, "paths",
             "has no operations: the contract matches no request");
    }
}

void Loader::read_path(yaml::Entry const& entry, std::string const& path) {
    Keys keys{
        "a path", {"parameters", "servers", "$ref"}, {"summary", "description", "x-source"}, {}};
    for (auto const& method : methods)
        keys.read.push_back(method.first);
    if (is_3_2_) keys.read.insert(keys.read.end(), {"query", "additionalOperations"});
    if (is_swagger()) std::erase(keys.read, "servers");
    else keys.read.push_back("trace");
    template_key_ = entry.key;
    auto const whole = whole_path_item(entry.value, path, keys);
    if (!whole) return;
    if (auto const* const trace = whole->find("trace"); trace != nullptr)
        warn(*trace->node, trace->path, "has no effect: TRACE is never forwarded");
    // An operation with servers of its own is at another path than the others.
    std::string const base = base_path_of(whole->find("servers"), base_path_);
    std::map<std::string, Methods> by_base;
    for (MethodNode& method : list_methods(*whole))
        by_base[base_path_of(*method.node, method.path, base)].push_back(std::move(method));
    if (by_base.empty()) by_base[base];
    for (auto const& [own_base, own_methods] : by_base)
        read_path_item(entry, path, own_base, own_methods, *whole);
}

// The operations of a path, in the order of OpenAPI's table; then the methods that it does not
// name.
Loader::Methods Loader::list_methods(WholePathItem const& whole) {
    Methods found;
    for (auto const& [key, name] : methods) {
        auto const* const written = whole.find(key);
        if (written == nullptr) continue;
        // OpenAPI has no `$ref` here; published documents of several files do.
        if (auto const operation = follow(*written->node, written->path))
            found.push_back({operation->node, operation->path, std::string{name}});
    }
    if (!is_3_2_) return found;
    if (auto const* const operation = whole.find("query"); operation != nullptr)
        found.push_back({operation->node, operation->path, "QUERY"});
    if (auto const* const others = whole.find("additionalOperations"); others != nullptr)
        list_additional_methods(*others, found);
    return found;
}

void Loader::read_path_item(yaml::Entry const& entry, std::string const& path,
                            std::string const& base, Methods const& own_methods,
                            WholePathItem const& whole) {
    std::string const written = base + entry.key;
    std::string const full = normalized_template(written);
    if (full != written) {
        problems_.add_at(entry.mark, path,
                         "the path has a segment that is not in its normalized spelling: it is "
                         "read as "
                             + full,
                         "write it so", yaml::Severity::warning);
    }
    ParsedTemplate parsed = parse_path_template(full);
    if (!parsed.error.empty()) {
        problems_.add_at(entry.mark, path, "the path " + parsed.error, std::move(parsed.hint));
        return;
    }
    PathItem item = make_path_item(full, parsed.segments);
    auto const& names = item.parameter_names;
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::find(names.begin(), name, *name) == name) continue;
        problems_.add_at(entry.mark, path,
                         "the path has the parameter " + config::in_quotes(*name) + " twice",
                         "give one of them another name");
    }
    for (MethodNode const& method : own_methods)
        read_operation(*method.node, method.path, method.name, item, whole.parameters);
    list_allowed(item);
    items_.push_back(std::move(item));
    templates_.push_back(std::move(parsed.segments));
    path_nodes_.push_back(&entry.value);
    path_marks_.push_back(entry.mark);
}

void Loader::list_allowed(PathItem& item) {
    bool const has_head = std::any_of(item.methods.begin(), item.methods.end(),
                                      [](auto const& method) { return method.name == "HEAD"; });
    item.allow.clear();
    for (auto const& method : item.methods) {
        item.allow += (item.allow.empty() ? "" : ", ") + method.name;
        if (method.name == "GET" && !has_head) item.allow += ", HEAD"; // PathItem::find()
    }
}

Loaded Loader::finish() {
    if (!problems_.has_errors()) make_router();
    bool const is_good = !problems_.has_errors();
    if (compiler_) {
        auto const& secrets = compiler_->secret_members();
        contract_->secret_members_.assign(secrets.begin(), secrets.end());
        auto const& labels = compiler_->label_names();
        contract_->label_names_.assign(labels.begin(), labels.end());
    }
    contract_->unchecked_ = problems_.places();
    auto problems = problems_.take(document_.root().mark());
    restore_paths(problems);
    auto errors = problems_.errors();
    restore_paths(errors);
    return {is_good ? std::move(contract_) : nullptr, std::move(problems),
            documents_ ? documents_->files_beside() : std::vector<std::string>{},
            std::move(errors)};
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

LoadedDocument load_openapi(yaml::Document document, LoadOptions const& options) {
    auto loader = std::make_unique<Loader>(std::move(document), options);
    Loaded loaded = loader->load_openapi();
    if (loader->is_full()) {
        loader = std::make_unique<Loader>(loader->take_document(), options, References::shared);
        loaded = loader->load_openapi();
    }
    return {std::move(loader), std::move(loaded)};
}

Loaded Loader::load_schema(Formats formats) {
    if (!problems_.has_errors()) {
        begin(formats == Formats::annotate ? dialect::json_schema : dialect::contract);
        SchemaUse use;
        use.may_share = true;
        contract_->schema_ = compiler_->compile({&document_.root(), "", &documents_->main()}, use);
    }
    return finish();
}

} // namespace sallyport::contract
