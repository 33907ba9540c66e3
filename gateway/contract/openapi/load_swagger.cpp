// Reads a Swagger 2.0 document: each of its objects that version 3.0 writes differently is read as
// 3.0 writes it, with the places and paths of the document.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "config/yaml_edit.h"
#include "gateway/contract/openapi/swagger.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

using swagger::CollectionFormat;

struct FormatName {
    std::string_view name;
    CollectionFormat format;
};
constexpr std::array format_names{
    FormatName{"csv", CollectionFormat::csv},     FormatName{"ssv", CollectionFormat::ssv},
    FormatName{"tsv", CollectionFormat::tsv},     FormatName{"pipes", CollectionFormat::pipes},
    FormatName{"multi", CollectionFormat::multi},
};
constexpr std::array format_words{std::string_view{"csv"}, std::string_view{"ssv"},
                                  std::string_view{"pipes"}, std::string_view{"multi"}};

[[nodiscard]] bool is_list(yaml::Node const& parameter) {
    yaml::Node const* const type = parameter.find("type");
    return type != nullptr && type->text() == "array";
}

} // namespace

bool Loader::is_swagger() const {
    return (documents_->main().vocabularies & vocabulary::swagger) != 0;
}

// Swagger 2.0, Swagger Object
void Loader::read_swagger(Node const& root) {
    Keys const keys{"a Swagger document",
                    {"swagger", "info", "basePath", "consumes", "produces", "paths", "definitions",
                     "parameters", "responses"},
                    {"host", "schemes", "security", "securityDefinitions", "tags", "externalDocs"},
                    {}};
    if (!check_keys(root, "", keys)) return;
    begin(dialect::swagger_2_0);
    Node const& version = *root.find("swagger");
    if (version.text() != "2.0") {
        error(version, "swagger", "must be version 2.0", "write swagger: \"2.0\"");
    }
    read_info(root);
    read_base_path(root);
    all_consumes_ = read_types(root, "", "consumes").value_or(TypeList{});
    all_produces_ = read_types(root, "", "produces").value_or(TypeList{});
    produces_ = all_produces_;
    read_paths(root);
    make_names();
    check_templates();
    check_unused({{"schemas", root.find("definitions"), "definitions"},
                  {"parameters", root.find("parameters"), "parameters"},
                  {"responses", root.find("responses"), "responses"}});
}

// Hosts are in the configuration; the path goes in front of all paths.
void Loader::read_base_path(Node const& root) {
    Node const* const base = root.find("basePath");
    if (base == nullptr) return;
    std::string_view text = base->text();
    while (!text.empty() && text.back() == '/')
        text.remove_suffix(1);
    auto const scheme = text.find("://");
    if (text.find_first_of("{}?#") != std::string_view::npos) {
        return error(*base, "basePath", "is not a path", "begin it with /, without {, ? and #");
    }
    base_path_ = text;
    if (text.empty() || text.front() == '/') return;
    base_path_ =
        path_without_scheme(scheme == std::string_view::npos ? text : text.substr(scheme + 3));
    warn(*base, "basePath", "is read as " + (base_path_.empty() ? "/" : base_path_),
         "begin it with /, without scheme and host");
}

Target Loader::keep(Node node, std::string path, Resource const* resource) {
    made_nodes_.push_back(std::move(node));
    return {&made_nodes_.back(), std::move(path), resource};
}

// What is found at `made`, and below it, is reported at `path`.
void Loader::report_at(std::string made, std::string path) {
    if (made != path) written_paths_.emplace(std::move(made), std::move(path));
}

// Replaces paths of objects that were made by those of the document.
void Loader::restore_paths(yaml::Problems& problems) const {
    if (written_paths_.empty()) return;
    for (yaml::Problem& problem : problems) {
        for (std::size_t end = problem.path.size(); end != std::string::npos && end != 0;
             end = problem.path.find_last_of(".[", end - 1)) {
            auto const found = written_paths_.find(problem.path.substr(0, end));
            if (found == written_paths_.end()) continue;
            problem.path = found->second + problem.path.substr(end);
            break;
        }
    }
}

// --- parameters

// The collectionFormat of a list; nullopt: it has none, or a problem was added.
std::optional<CollectionFormat> Loader::read_collection_format(Target const& parameter,
                                                               std::string_view place) {
    Node const* const written = parameter.node->find("collectionFormat");
    std::string const path = yaml::join_key(parameter.path, "collectionFormat");
    if (!is_list(*parameter.node)) {
        if (written != nullptr) warn(*written, path, "has no effect without type: array");
        return std::nullopt;
    }
    if (written == nullptr) return CollectionFormat::csv;
    auto const known =
        std::find_if(format_names.begin(), format_names.end(),
                     [written](FormatName const& one) { return one.name == written->text(); });
    if (known == format_names.end()) {
        error(*written, path,
              "the collectionFormat " + config::in_quotes(written->text()) + " is unknown",
              config::suggestion(written->text(), format_words));
        return std::nullopt;
    }
    bool const is_query = place == "query";
    bool const is_form = place == "formData";
    bool const is_possible = known->format == CollectionFormat::csv
                             || (known->format != CollectionFormat::tsv && (is_query || is_form));
    if (is_possible) return known->format;
    error(*written, path,
          "the collectionFormat " + config::in_quotes(written->text()) + " is not implemented here",
          is_query || is_form ? "write csv, ssv, pipes or multi" : "write csv");
    return std::nullopt;
}

// Swagger 2.0, Parameter Object: has the name of the parameter checked.
bool Loader::check_swagger_parameter(Target const& parameter) {
    Node const* const place = parameter.node->find("in");
    bool const is_body = place != nullptr && place->text() == "body";
    if (is_body) {
        Keys const keys{"a parameter in body",
                        {"name", "in", "required", "schema", "x-source"},
                        {"description"},
                        {}};
        if (!check_keys(*parameter.node, parameter.path, keys)) return false;
        if (parameter.node->find("schema") != nullptr) return true;
        error(*parameter.node, parameter.path, "must have a schema");
        return false;
    }
    if (!parameter.node->is_mapping()) return true; // reported by the reader of parameters
    Node const* const type = parameter.node->find("type");
    if (type == nullptr) {
        error(*parameter.node, parameter.path, "must have a type");
        return false;
    }
    bool const is_form = place != nullptr && place->text() == "formData";
    if (type->text() == "object" || (type->text() == "file" && !is_form)) {
        error(*type, yaml::join_key(parameter.path, "type"),
              config::in_quotes(type->text()) + " is no type of such a parameter",
              type->text() == "file" ? "write in: formData" : "write in: body");
        return false;
    }
    return true;
}

// The parameter as version 3.0 has it; one of a body or a form stays as it is. nullopt: a problem
// was added.
std::optional<Target> Loader::swagger_parameter(Target parameter) {
    auto const known = made_parameters_.find(parameter.node);
    if (known != made_parameters_.end()) return known->second;
    if (!check_swagger_parameter(parameter)) return std::nullopt;
    Node const* const place = parameter.node->find("in");
    std::string const word = place != nullptr ? place->text() : std::string{};
    if (word == "body" || word == "formData" || !parameter.node->is_mapping()) return parameter;
    auto const format = read_collection_format(parameter, word);
    if (is_list(*parameter.node) && !format) return std::nullopt;
    bool const has_style = format && word == "query";
    report_at(yaml::join_key(parameter.path, "schema"), parameter.path);
    Target made = keep(swagger::parameter_of(*parameter.node, has_style ? &*format : nullptr),
                       parameter.path, parameter.resource);
    return made_parameters_.emplace(parameter.node, std::move(made)).first->second;
}

// --- operations

// The operation as version 3.0 has it: the parameters of its body become a requestBody.
Target Loader::swagger_operation(Node const& node, std::string const& path,
                                 std::vector<ParameterNode> const& shared) {
    Keys const keys{"an operation",
                    {"operationId", "parameters", "responses", "tags", "consumes", "produces",
                     "x-lists", "x-retry", "x-stream", "x-timeouts", "x-trailers", "x-upgrade",
                     "x-body-limit", "x-source"},
                    {"summary", "description", "externalDocs", "security", "schemes", "deprecated"},
                    {}};
    Resource const* const resource = &documents_->document_of(node);
    if (!check_keys(node, path, keys)) return keep(swagger::nothing_at(node), path, resource);
    produces_ = read_types(node, path, "produces").value_or(all_produces_);
    auto const consumes = read_types(node, path, "consumes").value_or(all_consumes_);
    std::vector<yaml::Entry> entries;
    for (yaml::Entry const& entry : node.entries()) {
        bool const is_other = entry.key == "consumes" || entry.key == "produces";
        bool const is_read =
            std::find(keys.read.begin(), keys.read.end(), entry.key) != keys.read.end();
        if (is_read && !is_other) entries.push_back(entry);
    }
    Node made = yaml::Editor::mapping_of(node.mark(), std::move(entries));
    std::vector<ParameterNode> of_body;
    for (ParameterNode& one : own_and_shared(node, path, shared)) {
        if (one.place == "body" || one.place == "formData") of_body.push_back(std::move(one));
    }
    std::string const body_path = yaml::join_key(path, "requestBody");
    if (!of_body.empty() && check_one_body(of_body)) {
        made = swagger::with(std::move(made), "requestBody",
                             of_body.front().place == "body"
                                 ? swagger_body(of_body.front(), consumes, body_path)
                                 : swagger_form({node, path}, of_body, consumes, body_path));
    }
    return keep(std::move(made), path, resource);
}

// Swagger 2.0, Parameter Object: at most one body, and none beside a form.
bool Loader::check_one_body(std::vector<ParameterNode> const& parameters) {
    auto const is_body = [](ParameterNode const& one) { return one.place == "body"; };
    auto const first = std::find_if(parameters.begin(), parameters.end(), is_body);
    if (first == parameters.end() || parameters.size() == 1) return true;
    ParameterNode const& other = first == parameters.begin() ? parameters[1] : parameters.front();
    error(*first->node, first->path, "is the body, and so is " + other.path + " a part of it",
          "write one parameter in body, or parameters in formData");
    return false;
}

// A requestBody of these media types; all have the node that `make` makes at a path.
Loader::Node Loader::body_of(Node const& at, TypeList const& types, std::string const& path,
                             MakeMediaType const& make) {
    std::vector<yaml::Entry> entries;
    for (NamedType const& type : types) {
        std::string const own = yaml::join_key(yaml::join_key(path, "content"), type.node->text());
        report_at(own, type.path);
        entries.push_back({type.node->text(), type.node->mark(), make(own)});
    }
    Node const content = yaml::Editor::mapping_of(at.mark(), std::move(entries));
    Node body = swagger::with(swagger::nothing_at(at), "content", content);
    report_at(path, path.substr(0, path.rfind(".requestBody")));
    return body;
}

Loader::Node Loader::swagger_body(ParameterNode const& parameter, TypeList const& consumes,
                                  std::string const& path) {
    TypeList const types = body_types(parameter, consumes);
    Node const& schema = *parameter.node->find("schema");
    Node body = body_of(*parameter.node, types, path, [&](std::string const& at) {
        report_at(yaml::join_key(at, "schema"), yaml::join_key(parameter.path, "schema"));
        return swagger::media_type_of(*parameter.node, &schema);
    });
    Node const* const required = parameter.node->find("required");
    if (required == nullptr) return body;
    report_at(yaml::join_key(path, "required"), yaml::join_key(parameter.path, "required"));
    return swagger::with(std::move(body), "required", *required);
}

// A form: each parameter is a property of its schema.
Loader::Node Loader::swagger_form(Written const& operation,
                                  std::vector<ParameterNode> const& fields,
                                  TypeList const& consumes, std::string const& path) {
    TypeList const types = form_types(operation, fields, consumes);
    bool const is_multipart = std::any_of(types.begin(), types.end(), [](NamedType const& one) {
        return in_lower_case(one.node->text()) == "multipart/form-data";
    });
    std::vector<yaml::Entry> properties;
    std::vector<yaml::Entry> encodings;
    std::vector<Node> required;
    for (ParameterNode const& one : fields) {
        Node const& name = *one.node->find("name");
        properties.push_back({one.name, name.mark(), swagger::schema_in(*one.node)});
        if (read_flag(*one.node, one.path, "required").value_or(false)) required.push_back(name);
        if (read_flag(*one.node, one.path, "allowEmptyValue").value_or(false)) {
            warn(*one.node, yaml::join_key(one.path, "allowEmptyValue"),
                 "has no effect in formData: an empty value is checked as any other");
        }
        auto const format = read_collection_format({one.node, one.path, one.resource}, one.place);
        if (!format) continue;
        if (!is_multipart) {
            encodings.push_back({one.name, name.mark(), swagger::encoding_of(*one.node, *format)});
        } else if (*format != CollectionFormat::multi) {
            error(*one.node, one.path,
                  "lists in one part of multipart/form-data are not implemented",
                  "write collectionFormat: multi, for a part of each item");
        }
    }
    Node const& at = operation.node;
    Node schema = swagger::with(swagger::nothing_at(at), "properties",
                                yaml::Editor::mapping_of(at.mark(), std::move(properties)));
    bool const is_required = !required.empty();
    if (is_required) {
        schema = swagger::with(std::move(schema), "required",
                               yaml::Editor::list_of(at.mark(), std::move(required)));
    }
    Node media = swagger::media_type_of(at, &schema);
    if (!encodings.empty()) {
        media = swagger::with(std::move(media), "encoding",
                              yaml::Editor::mapping_of(at.mark(), std::move(encodings)));
    }
    Node body = body_of(at, types, path, [&](std::string const& own) {
        for (ParameterNode const& one : fields) {
            std::string const in_schema = yaml::join_key(own, "schema");
            report_at(yaml::join_key(yaml::join_key(in_schema, "properties"), one.name), one.path);
            report_at(yaml::join_key(yaml::join_key(own, "encoding"), one.name), one.path);
        }
        return media;
    });
    if (!is_required) return body;
    return swagger::with(std::move(body), "required", yaml::Editor::flag_of(at.mark(), true));
}

// --- responses

// The response as version 3.0 has it, with the media types of the operation that is being read.
std::optional<Target> Loader::swagger_response(Target const& response) {
    Keys const keys{"a response", {"schema", "headers"}, {"description", "examples"}, {}};
    if (!check_keys(*response.node, response.path, keys)) return std::nullopt;
    Node made = swagger::nothing_at(*response.node);
    if (Node const* const schema = response.node->find("schema"); schema != nullptr) {
        std::string const content = yaml::join_key(response.path, "content");
        std::string const schema_path = yaml::join_key(response.path, "schema");
        report_at(content, response.path);
        std::vector<yaml::Entry> entries;
        for (auto const& [type, is_checked] :
             response_types({schema, schema_path, response.resource})) {
            std::string const path = yaml::join_key(content, type.node->text());
            report_at(path, type.path);
            report_at(yaml::join_key(path, "schema"), schema_path);
            entries.push_back({type.node->text(), type.node->mark(),
                               swagger::media_type_of(*schema, is_checked ? schema : nullptr)});
        }
        made = swagger::with(std::move(made), "content",
                             yaml::Editor::mapping_of(schema->mark(), std::move(entries)));
    }
    if (Node const* const headers = response.node->find("headers"); headers != nullptr) {
        std::string const path = yaml::join_key(response.path, "headers");
        std::vector<yaml::Entry> entries;
        for (yaml::Entry const& entry : headers->entries()) {
            std::string const own = yaml::join_key(path, entry.key);
            report_at(yaml::join_key(own, "schema"), own);
            (void)read_collection_format({&entry.value, own, response.resource}, "header");
            entries.push_back({entry.key, entry.mark, swagger::header_of(entry.value)});
        }
        made = swagger::with(std::move(made), "headers",
                             headers->is_mapping()
                                 ? yaml::Editor::mapping_of(headers->mark(), std::move(entries))
                                 : *headers);
    }
    return keep(std::move(made), response.path, response.resource);
}

} // namespace sallyport::contract
