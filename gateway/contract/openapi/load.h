// Reads an OpenAPI document into a Contract; used by Contract::load_* only.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/contract.h"
#include "gateway/contract/forms/form_body.h"
#include "gateway/contract/openapi/operation_source.h"
#include "gateway/contract/openapi/swagger.h"
#include "gateway/contract/schema/accepted.h"
#include "gateway/contract/schema/compile.h"
#include "gateway/contract/schema/program.h"

#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::contract {

/// In lower case, for ASCII only: names of header fields and media types.
[[nodiscard]] std::string in_lower_case(std::string_view text);

/// RFC 9110, 5.6.2: whether it is a token, in lower case.
[[nodiscard]] bool is_token(std::string_view text) noexcept;

/// Whether the gateway has a parser for bodies of the media type: JSON, series of it, and forms.
/// `media_type`: lower case, without parameters.
[[nodiscard]] bool is_parsed(std::string_view media_type) noexcept;

/// The path of a URL that has neither a scheme nor a slash in front, without a slash at the end:
/// `/v1` of `api.example.com/v1`, and of `v1`.
[[nodiscard]] std::string path_without_scheme(std::string_view url);

/// Loads one document; used once, on one thread.
class Loader {
public:
    Loader(config::yaml::Document document, LoadOptions const& options,
           References references = References::expanded);

    /// The document as an OpenAPI document, 2.0, 3.0, 3.1 or 3.2. To be called once.
    [[nodiscard]] Loaded load_openapi();
    /// The document as a single JSON Schema. To be called once.
    [[nodiscard]] Loaded load_schema(Formats formats);

    /// After a document was loaded without errors: where each operation of the contract was read
    /// from, in their order. The nodes are the loader's.
    [[nodiscard]] std::vector<OperationSource> const& sources() const noexcept { return sources_; }
    [[nodiscard]] config::yaml::Document const& document() const noexcept { return document_; }
    /// For another loader; this one is not used afterwards.
    [[nodiscard]] config::yaml::Document take_document() noexcept { return std::move(document_); }
    /// Whether the document was not loaded because it has too many rules and schemas.
    [[nodiscard]] bool is_full() const noexcept { return compiler_ && compiler_->is_full(); }
    /// Its documents by their URIs; to be called after a document was loaded.
    [[nodiscard]] Documents& documents() noexcept { return *documents_; }

private:
    using Node = config::yaml::Node;

    // How the keys of one type of object are treated. One that is in none of the lists is an error
    // if it resembles one of them; otherwise it is what `others` says.
    enum class Others : std::uint8_t { warned, refused };
    struct Keys {
        std::string_view what; // "an operation"
        std::vector<std::string_view> read;
        std::vector<std::string_view> annotations; // without effect on validation
        std::vector<std::string_view> refused;     // part of the standard, not implemented
        Others others = Others::warned;
    };
    [[nodiscard]] bool check_keys(Node const& node, std::string const& path, Keys const& keys);
    [[nodiscard]] bool refuse_misplaced(config::yaml::Entry const& entry, std::string const& at,
                                        Keys const& keys);
    void check_extension(config::yaml::Entry const& entry, std::string const& at,
                         std::string_view what);
    void error(Node const& node, std::string const& path, std::string what, std::string hint = {});
    // A place that is valid and cannot be enforced (ProblemList::add_unsupported).
    void unsupported(Node const& node, std::string const& path, std::string what,
                     std::string hint = {});
    void warn(Node const& node, std::string const& path, std::string what, std::string hint = {});

    // Warns of `webhooks` and `callbacks`, once each.
    void warn_of_requests_by_the_api(Node const& node, std::string const& path,
                                     std::string_view key);

    // The node, or the target of its `$ref`; nullopt: a problem was added.
    // `from`: the document that a `$ref` is in; null: the one that is loaded.
    [[nodiscard]] std::optional<Target> follow(Node const& node, std::string const& path,
                                               Resource const* from = nullptr);
    void warn_of_what_stands_beside(Node const& reference, std::string const& path);

    void begin(Vocabularies vocabularies);

    // load.cpp: the document
    void read_document(Node const& root);
    void read_info(Node const& root);
    [[nodiscard]] Vocabularies dialect_of(Node const& root);
    void read_paths(Node const& root);
    void read_path(config::yaml::Entry const& entry, std::string const& path);
    [[nodiscard]] Loaded finish();

    // load_methods.cpp: what 3.2 has
    // An operation of a path, and the method that it is for.
    struct MethodNode {
        Node const* node = nullptr;
        std::string path;
        std::string name; // "GET"; methods are case-sensitive
    };
    using Methods = std::vector<MethodNode>;
    void list_additional_methods(Target const& others, Methods& found);
    void check_self(Node const& root);

    // load_servers.cpp
    // What stands before the paths of a document, a path or an operation; without a slash at the
    // end. `around`: what does where the node has no servers of its own.
    [[nodiscard]] std::string base_path_of(Node const& node, std::string const& path,
                                           std::string const& around);
    // The same of a list of servers; null: there is none.
    [[nodiscard]] std::string base_path_of(Target const* servers, std::string const& around);
    [[nodiscard]] std::optional<std::string>
    read_server(Node const& server, std::string const& path, config::yaml::Severity severity);
    void check_variables(Node const& server, std::string const& path);

    // load_templates.cpp: the paths beside each other
    void check_templates();
    [[nodiscard]] bool join_path(std::size_t into, std::size_t from);
    static void list_allowed(PathItem& item);
    void warn_of_crossed(std::size_t right, std::vector<std::size_t> const& crossed);
    void find_owned_prefixes();
    void make_router();

    // load_components.cpp
    struct Unused {
        std::string_view kind; // as in components
        Node const* named;     // null: there are none
        std::string path;
    };
    void check_components(Node const& root);
    void check_unused(std::vector<Unused> const& all);
    void refuse_reference_for_all(Node const& names, std::string const& path);
    void check_component(std::string_view kind, Node const& node, std::string const& path);

    // load_names.cpp
    struct MadeName {
        std::string name; // without a distinction
        std::uint32_t operation = 0;
        Node const* written = nullptr; // the operationId that it is made of; null: there is none
        std::string first = {};        // who has the operationId already; empty: it is not taken
        std::string path = {};         // of the operationId that is taken
    };
    void read_operation_id(Operation& operation, Node const& node, std::string const& path);
    void make_names();

    // load_operation.cpp, load_parameters.cpp
    struct ParameterNode {
        Node const* node = nullptr;
        std::string path;
        Resource const* resource = nullptr;
        std::string name;
        std::string place;        // "path", "query"
        bool shares_name = false; // with one in another place: rules need other pointers
        std::string pointer = {}; // prefix of the pointers of its rules; empty: by its name
        CompiledSchema::Side side = CompiledSchema::Side::request;

        [[nodiscard]] bool is_same(ParameterNode const& other) const;
    };
    // load_path_items.cpp: a path item with all that its `$ref`s lead to.
    struct WholePathItem {
        std::map<std::string, Target, std::less<>> fields; // without parameters
        std::vector<ParameterNode> parameters;

        [[nodiscard]] Target const* find(std::string_view key) const noexcept;
    };
    // nullopt: a problem was added.
    [[nodiscard]] std::optional<WholePathItem>
    whole_path_item(Node const& node, std::string const& path, Keys const& keys);
    void add_part(WholePathItem& whole, Target const& part, Keys const& keys);
    void refuse_second(Target const& first, config::yaml::Mark const& second,
                       std::string const& what);
    [[nodiscard]] Methods list_methods(WholePathItem const& whole);
    // `own_methods`: the operations of a path with the same base path.
    void read_path_item(config::yaml::Entry const& entry, std::string const& path,
                        std::string const& base, Methods const& own_methods,
                        WholePathItem const& whole);
    void read_operation(Node const& written, std::string const& path, std::string method,
                        PathItem& item, std::vector<ParameterNode> const& shared);
    [[nodiscard]] std::optional<ParameterNode> name_parameter(Node const& node,
                                                              std::string const& path);
    [[nodiscard]] std::string hint_for_place(std::string_view place) const;
    [[nodiscard]] bool is_read(ParameterNode const& parameter);
    [[nodiscard]] std::vector<ParameterNode> list_parameters(Node const* list,
                                                             std::string const& path);
    // load_places.cpp: parameters that are no parts of a query
    void add_parameter(Operation& operation, PathItem const& item, ParameterNode const& node,
                       Parameter parameter, std::vector<bool>& is_declared);
    void check_matrix(PathItem const& item, ParameterNode const& node);
    // Whether it is read; otherwise a problem was added, or it is unread.
    [[nodiscard]] bool is_cookie(ParameterNode const& node, Parameter const& parameter);
    void read_query_string(Operation& operation, ParameterNode const& node);
    [[nodiscard]] std::vector<ParameterNode>
    own_and_shared(Node const& node, std::string const& path,
                   std::vector<ParameterNode> const& shared);
    void read_parameters(Operation& operation, PathItem const& item,
                         std::vector<ParameterNode> const& parameters, Node const& node,
                         std::string const& path);
    [[nodiscard]] std::optional<Parameter> read_parameter(Operation const& operation,
                                                          ParameterNode const& parameter);
    [[nodiscard]] static Parameter as_unread(Parameter const& parameter);
    void add_query_parameter(Operation& operation, Parameter parameter, ParameterNode const& node);
    void forget_open_objects(Operation& operation);
    std::vector<std::size_t> check_owners(Operation const& operation, Parameter const& parameter,
                                          ParameterNode const& node);
    [[nodiscard]] std::optional<bool> read_flag(Node const& node, std::string const& path,
                                                std::string_view key);
    [[nodiscard]] static std::string pointer_of(ParameterNode const& parameter);
    [[nodiscard]] config::yaml::Entry const*
    find_only_content(ParameterNode const& parameter, Node const& content, std::string& path);
    [[nodiscard]] Target read_content(Parameter& result, ParameterNode const& parameter,
                                      Node const& content);
    void read_shape(Parameter& result, Node const& schema, std::string const& path);
    // load_query.cpp: whether it is of style deepObject and has names that read_shape() does not
    // read.
    [[nodiscard]] bool read_nested_names(Parameter& result, Node const& node, Target const& schema);
    [[nodiscard]] bool read_lists_of_object(Parameter& result, Node const& node);
    void read_style(Parameter& result, ParameterNode const& parameter);
    // OpenAPI 3.2, 4.12.3: whether the style exists for the place and the shape.
    [[nodiscard]] static bool is_possible(Parameter const& parameter) noexcept;
    // load_readings.cpp. The result describes what no style can express; nullopt: nothing.
    [[nodiscard]] std::optional<std::string> read_readings(Parameter& result, Kinds const& kinds);
    static void take_readings(Parameter& result, std::vector<Parameter> readings);
    void fit_readings(Parameter& result, Node const& node, std::string const& path);
    void read_request_body(Operation& operation, Node const& node, std::string const& path);
    void read_request_media(RequestBody& body, Target const& content,
                            config::yaml::Entry const& entry, SchemaUse const& use,
                            std::vector<std::string>& unread);
    void read_responses(Operation& operation, Node const& node, std::string const& path);
    // load_headers.cpp
    void read_response_headers(Operation const& operation, Response& response,
                               std::string const& status, Target const& target);
    [[nodiscard]] std::optional<ResponseHeader> read_response_header(Operation const& operation,
                                                                     ParameterNode node,
                                                                     std::string const& pointer);
    void read_response(Operation& operation, config::yaml::Entry const& entry,
                       std::string const& path);
    void read_response_object(Operation& operation, Response response, std::string_view status,
                              Node const& node, std::string const& path);
    void read_response_content(Operation const& operation, Response& response,
                               std::string const& status, Target const& target);
    struct NewResponseRule {
        ResponseRule& number; // set
        std::string_view keyword;
    };
    void add_response_rules(Operation const& operation, std::string const& pointer,
                            Node const& node, std::initializer_list<NewResponseRule> rules);

    // load_media.cpp: media types and their schemas
    [[nodiscard]] MediaType read_media_type(std::string name, Target const& place,
                                            SchemaUse const& use);
    [[nodiscard]] MediaType read_as(MediaType type, Target const& place, SchemaUse const& use);
    void add_media_type(std::vector<MediaType>& types, std::string name, Target const& place,
                        SchemaUse const& use);
    void refuse_rules(MediaType const& type, Target const& schema, SchemaUse const& use,
                      std::string hint = "write schema: {}, or none");
    void read_items_schema(MediaType& type, Target const& place, SchemaUse const& use);
    void refuse_items(MediaType const& type, Node const& node, std::string const& path,
                      SchemaUse const& use);
    [[nodiscard]] bool is_event_stream(std::string_view name, Node const& place,
                                       SchemaUse const& use) const;
    void read_text(MediaType& type, Target const& schema, SchemaUse const& use, FormBody& form);
    void accept_unread(std::vector<MediaType>& types, std::string const& name);
    void forget_rules(BodySchema const& schema);

    // load_forms.cpp: forms and multipart bodies
    struct FormPlace {
        MediaType const& type;
        Target schema;
        Node const* encoding = nullptr; // null: there is none
        std::string encoding_path;
        SchemaUse const& use;
    };
    // One property, and what `encoding` says of it.
    struct FieldPlace {
        FormPlace const& form;
        PropertyKinds const& kinds;
        std::vector<Target> schemas;
        Target encoding; // its node is null: nothing
        std::string pointer; // prefix of the pointers of its rules
    };
    void read_form_or_text(MediaType& type, FormPlace const& place); // load_media.cpp
    void read_form(FormPlace const& place, FormBody& form);
    [[nodiscard]] FieldPlace find_field(FormPlace const& place, PropertyKinds const& kinds);
    void check_encoding(FormPlace const& place, FormBody const& form);
    [[nodiscard]] bool check_encoding_object(Node const& node, std::string const& path);
    void read_field(FieldPlace const& place, Parameter& parameter, FormField& field);
    void read_type_names(FieldPlace const& place, FormField& field);
    void read_field_shape(FieldPlace const& place, Parameter& parameter, FormField& field);
    [[nodiscard]] bool read_nested_field(FieldPlace const& place, Parameter& parameter);
    // load_readings.cpp
    void read_several_shapes(FieldPlace const& place, Parameter& parameter, FormField& field);
    void read_field_list(FieldPlace const& place, Parameter& parameter, FormField& field);
    void read_field_style(FieldPlace const& place, Parameter& parameter, FormField const& field);
    [[nodiscard]] std::optional<ParameterStyle> read_style_name(FieldPlace const& place);
    void read_bytes(FieldPlace const& place, std::vector<SchemaInPlace> const& schemas,
                    FormField& field);
    void read_content_types(FieldPlace const& place, FormField& field);
    void read_part_headers(FieldPlace const& place, FormField& field);
    void field_error(FieldPlace const& place, std::string what, std::string hint = {});

    // load_parts.cpp: multipart bodies without names
    // How a part is read, for the schemas that other parts have too.
    struct SharedParts {
        std::optional<FieldContent> content;
        std::vector<SizeRule> sizes;
        bool are_mixed = false;
    };
    [[nodiscard]] bool has_parts(MediaType const& type, Target const& place, SchemaUse const& use);
    [[nodiscard]] bool check_position_words(MediaType const& type, Target const& place,
                                            SchemaUse const& use);
    void read_parts(MediaType& type, Target const& place, SchemaUse const& given);
    void find_part_encoding(Target const& place, std::size_t at, FieldPlace& field);
    [[nodiscard]] bool read_positions(FormPlace const& form, Target const& place, FormBody& body);
    void check_parts(FormPlace const& form, FormBody const& body, SharedParts const& shared);
    void read_part(FieldPlace const& place, FormBody::Undeclared& part, SharedParts* shared);
    [[nodiscard]] FieldContent content_of_part(FieldPlace const& place,
                                               std::vector<std::string> const& types);
    void finish_form(MediaType& type, std::unique_ptr<FormBody> form, std::size_t before);

    // load_extensions.cpp: the x- keywords of operations
    void read_extensions(Operation& operation, Node const& node, std::string const& path);
    void read_timeouts(Operation& operation, Node const& node, std::string const& path);
    // After the responses, which show what a document without the word means.
    void read_stream(Operation& operation, Node const& node, std::string const& path);
    void read_trailers(Operation& operation, Node const& node, std::string const& path);
    // load_upgrade.cpp: x-upgrade, after the responses, which may have a 101
    void read_upgrade(Operation& operation, Node const& node, std::string const& path);
    [[nodiscard]] std::optional<Upgrade> read_upgrade_value(Node const& value,
                                                            std::string const& path);
    void read_origins(Upgrade& upgrade, Node const& value, std::string const& path);
    void warn_of_switching(Operation const& operation, Node const& node, std::string const& path);

    // load_swagger.cpp: Swagger 2.0
    [[nodiscard]] bool is_swagger() const;
    void read_swagger(Node const& root);
    void read_base_path(Node const& root);
    struct NamedType {
        Node const* node = nullptr; // its text is the media type
        std::string path;
    };
    using TypeList = std::vector<NamedType>;
    [[nodiscard]] std::optional<TypeList> read_types(Node const& node, std::string const& path,
                                                     std::string_view key);
    [[nodiscard]] NamedType json_at(Node const& node, std::string const& path);
    enum class Checked : std::uint8_t { yes, as_json, no }; // as_json: in JSON of a range alone
    [[nodiscard]] Checked checked_in(std::string_view type, Target const& schema);
    [[nodiscard]] TypeList body_types(ParameterNode const& parameter, TypeList const& consumes);
    [[nodiscard]] std::vector<std::pair<NamedType, bool>> response_types(Target const& schema);
    // Owns a node that was made.
    [[nodiscard]] Target keep(Node node, std::string path, Resource const* resource);
    void report_at(std::string made, std::string path);
    void restore_paths(config::yaml::Problems& problems) const;
    [[nodiscard]] std::optional<swagger::CollectionFormat>
    read_collection_format(Target const& parameter, std::string_view place);
    [[nodiscard]] bool check_swagger_parameter(Target const& parameter);
    [[nodiscard]] std::optional<Target> swagger_parameter(Target parameter);
    [[nodiscard]] Target swagger_operation(Node const& node, std::string const& path,
                                           std::vector<ParameterNode> const& shared);
    [[nodiscard]] bool check_one_body(std::vector<ParameterNode> const& parameters);
    using MakeMediaType = std::function<Node(std::string const& path)>;
    [[nodiscard]] Node body_of(Node const& at, TypeList const& types, std::string const& path,
                               MakeMediaType const& make);
    [[nodiscard]] Node swagger_body(ParameterNode const& parameter, TypeList const& consumes,
                                    std::string const& path);
    // An object of the document, and its path there.
    struct Written {
        Node const& node;
        std::string const& path;
    };
    [[nodiscard]] TypeList form_types(Written const& operation,
                                      std::vector<ParameterNode> const& fields,
                                      TypeList const& consumes);
    [[nodiscard]] Node swagger_form(Written const& operation,
                                    std::vector<ParameterNode> const& fields,
                                    TypeList const& consumes, std::string const& path);
    [[nodiscard]] std::optional<Target> swagger_response(Target const& response);

    [[nodiscard]] SchemaCompiler make_compiler();
    // Whether the document is loaded once more, with shared references.
    [[nodiscard]] bool is_given_up() const noexcept {
        return references_ == References::expanded && is_full();
    }

    config::yaml::Document document_;
    LoadOptions options_;
    References references_;
    ProblemList problems_;
    std::shared_ptr<Contract> contract_;
    std::optional<Documents> documents_; // set when its dialect is known
    std::optional<SchemaCompiler> compiler_;
    std::string base_path_; // of `servers`; without a slash at the end
    std::vector<PathItem> items_;
    std::vector<PathTemplate> templates_;
    std::vector<Node const*> path_nodes_;              // for problems, one per item
    std::vector<config::yaml::Mark> path_marks_;       // of their keys
    std::map<std::string, std::string> operation_ids_; // operationId -> its path in the document
    std::vector<MadeName> made_names_;
    std::vector<OperationSource> sources_; // one for each operation
    OperationSource source_;               // of the operation that is being read
    std::string template_key_;             // of the path that is being read
    std::set<std::string> warned_words_; // for which a warning exists
    std::size_t unsupported_ = 0;        // calls of unsupported()
    bool has_unread_query_ = false;      // the operation that is being read
    bool is_3_2_ = false;

    // Of Swagger 2.0: media types of the document, and those that the current operation produces;
    // the nodes that were made of others, and what their paths are in the document.
    TypeList all_consumes_;
    TypeList all_produces_;
    TypeList produces_;
    std::deque<Node> made_nodes_;
    std::map<Node const*, Target> made_parameters_;
    std::map<std::string, std::string> written_paths_;
};

/// A document as it was loaded, and its loader, which has its nodes.
struct LoadedDocument {
    std::unique_ptr<Loader> loader;
    Loaded loaded;
};

/// Loads an OpenAPI document: with every `$ref` expanded at its place, or, if it is too large so,
/// with shared references.
[[nodiscard]] LoadedDocument load_openapi(config::yaml::Document document,
                                          LoadOptions const& options);

} // namespace sallyport::contract
