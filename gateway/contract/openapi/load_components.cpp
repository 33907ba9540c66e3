// Checks the components of an OpenAPI document that no reference refers to: errors in them are
// reported before they are used.
#include "gateway/contract/openapi/load.h"

namespace sallyport::contract {

namespace yaml = config::yaml;

void Loader::check_components(Node const& root) {
    Node const* const components = root.find("components");
    if (components == nullptr) return;
    if (components->find("$ref") != nullptr)
        return refuse_reference_for_all(*components, "components");
    Keys keys{"components",
              {"schemas", "responses", "parameters", "requestBodies", "headers"},
              {"examples", "securitySchemes", "links", "callbacks"},
              {}};
    if (is_3_2_) keys.read.push_back("mediaTypes");
    // OpenAPI 3.1, 4.8.7; one that a path refers to is checked there.
    bool const is_3_0 = (documents_->main().vocabularies & vocabulary::openapi_3_0) != 0;
    if (!is_3_0) keys.annotations.push_back("pathItems");
    if (!check_keys(*components, "components", keys)) return;
    std::vector<Unused> all;
    for (std::string_view const kind : keys.read)
        all.push_back({kind, components->find(kind), yaml::join_key("components", kind)});
    check_unused(all);
}

// A mapping of names has no `$ref` of its own in OpenAPI: bundlers resolve it, and a document that
// was not bundled has none of the names.
void Loader::refuse_reference_for_all(Node const& names, std::string const& path) {
    Node const* const reference = names.find("$ref");
    if (reference == nullptr || !reference->is_string()) return;
    error(*reference, yaml::join_key(path, "$ref"),
          "stands for a whole mapping of names, which is no OpenAPI: there is a $ref only in place "
          "of each of them",
          "bundle the document into one file, or write a $ref behind each name");
}

void Loader::check_unused(std::vector<Unused> const& all) {
    for (Unused const& one : all) {
        if (one.named == nullptr || one.named->is_null()) continue;
        if (!one.named->is_mapping()) error(*one.named, one.path, "must be a mapping of names");
        else refuse_reference_for_all(*one.named, one.path);
    }
    if (is_given_up()) return;
    // They are compiled into a separate contract, which is dropped: problems of used components are
    // not reported twice.
    auto contract = std::exchange(contract_, std::shared_ptr<Contract>{new Contract});
    std::optional<SchemaCompiler> compiler{std::move(compiler_)};
    compiler_.emplace(make_compiler());
    produces_ = all_produces_;
    for (Unused const& one : all) {
        if (one.named == nullptr) continue;
        for (yaml::Entry const& entry : one.named->entries()) {
            if (entry.key == "$ref" && entry.value.is_string()) continue;
            if (references_ == References::expanded) *contract_->program_ = Program{};
            check_component(one.kind, entry.value, yaml::join_key(one.path, entry.key));
        }
    }
    contract_ = std::move(contract);
    compiler_.reset();
    compiler_.emplace(std::move(*compiler));
}

void Loader::check_component(std::string_view kind, Node const& node, std::string const& path) {
    Operation operation; // for the compiler only
    // What a request leads to was read with the request; a document of nothing but components is
    // checked for those that use it.
    bool const is_of_requests = items_.empty() || kind == "parameters" || kind == "requestBodies"
                                || kind == "mediaTypes";
    WithConcern const of{problems_, is_of_requests ? Concern::requests : Concern::nothing};
    if (kind == "schemas") {
        SchemaUse use;
        use.may_share = true;
        (void)compiler_->compile({&node, path, &documents_->main()}, use);
    } else if (kind == "parameters") {
        auto const parameter = name_parameter(node, path);
        if (!parameter) return;
        Node const* const schema = parameter->node->find("schema");
        if (is_swagger() && parameter->place == "body" && schema != nullptr) {
            (void)compiler_->compile({schema, yaml::join_key(path, "schema"), parameter->resource},
                                     {});
            return;
        }
        if (!is_read(*parameter)) return;
        if (parameter->place == "querystring") return read_query_string(operation, *parameter);
        (void)read_parameter(operation, *parameter);
    } else if (kind == "requestBodies") {
        read_request_body(operation, node, path);
    } else if (kind == "headers") {
        (void)read_response_header(operation, {&node, path, &documents_->main(), "X", "header"},
                                   "/responses");
    } else if (kind == "mediaTypes") {
        // Which media type uses it is not known: only its schema is read.
        (void)read_media_type("application/json", {&node, path, &documents_->main()}, {});
    } else {
        read_response_object(operation, {}, "default", node, path);
    }
}

} // namespace sallyport::contract
