// A contract: one OpenAPI 3.0, 3.1 or 3.2 document, compiled once into operations, a router and
// schema programs; immutable.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/labels.h"
#include "gateway/contract/level.h"
#include "gateway/contract/router.h"
#include "gateway/contract/security.h"
#include "gateway/contract/unchecked.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::contract {

struct Program; // the compiled schemas: program.h, for the evaluator only

/// One compiled schema of a body or a parameter. A handle, valid as long as its contract lives.
struct BodySchema {
    Program const* program = nullptr;
    std::uint32_t index = 0; // into Program::schemas
};

/// How bodies of a media type become the value that their schema describes.
enum class BodySyntax : std::uint8_t {
    json,
    form,      // application/x-www-form-urlencoded: an object
    multipart, // multipart/form-data: an object
    text,      // a string
    lines,     // JSON Lines: the schema is that of each line
    sequence,  // RFC 7464, a JSON text sequence: that of each text
    events,    // text/event-stream: that of each event
    parts,     // multipart without names: an array, or the schema is that of each part
};
/// Whether a body is a series of items, which are validated one by one as they arrive (items.h).
[[nodiscard]] constexpr bool has_items(BodySyntax syntax) noexcept {
    return syntax == BodySyntax::lines || syntax == BodySyntax::sequence
           || syntax == BodySyntax::events;
}
[[nodiscard]] constexpr bool is_multipart(BodySyntax syntax) noexcept {
    return syntax == BodySyntax::multipart || syntax == BodySyntax::parts;
}
struct FormBody; // forms/form_body.h, for the evaluator only

/// A parameter of a media type: `v=2` of `application/json; v=2`.
struct MediaParameter {
    std::string name;  // lower case
    std::string value; // without quotes
    bool operator==(MediaParameter const&) const = default;
};

/// A key of `content` (OpenAPI 3.1, 4.8.14.1) with its schema.
struct MediaType {
    std::string
        name; // lower case, without parameters: "application/json"; or a range: "image/*", "*/*"
    /// Bodies with a schema are read completely and validated; those with items, item by item while
    /// they arrive.
    std::optional<BodySchema> schema;
    BodySyntax syntax = BodySyntax::json;
    FormBody const* form = nullptr; // of forms and texts; owned by the contract
    bool is_secret = false;         // as a whole: the log has its size alone
    std::vector<MediaParameter> parameters{}; // a body has all of these; by their names

    /// With its parameters, as in a Content-Type.
    [[nodiscard]] std::string text() const;
    /// Whether it is for the bodies of a range that are JSON; another entry is for all others.
    [[nodiscard]] bool is_json_of_range() const noexcept {
        return syntax == BodySyntax::json && name.ends_with('*');
    }
};

/// Whether a media type is JSON: application/json, text/json, or a subtype that ends in +json.
/// `media_type`: lower case, without parameters.
[[nodiscard]] bool is_json(std::string_view media_type) noexcept;

/// Finds the media type of a body. `name`: lower case, without parameters. `parameters`: what
/// follows it in Content-Type (`; v=2`). An exact name takes precedence over `type/*`, and that
/// over `*/*`; of several with one name, the one of which most parameters are given. Null: none of
/// them matches, or readers of the parameters could choose different ones.
[[nodiscard]] MediaType const* find_media_type(std::vector<MediaType> const& types,
                                               std::string_view name,
                                               std::string_view parameters = {}) noexcept;

/// OpenAPI 3.1, 4.8.13.
struct RequestBody {
    bool required = false;
    std::vector<MediaType> media_types;
    std::optional<std::uint64_t> limit; // x-body-limit, in bytes

    /// As find_media_type() for its media types.
    [[nodiscard]] MediaType const* find(std::string_view name) const noexcept {
        return find_media_type(media_types, name);
    }
};

/// The number in the program of a response rule that is not a schema keyword. LevelTable has its
/// level, break_rule() makes a violation of it.
using ResponseRule = std::optional<std::uint32_t>; // none: there is no such rule

/// Where a parameter is sent (OpenAPI 3.2, 4.12.1). `query_string`: it is the whole query.
enum class ParameterPlace : std::uint8_t { path, query, header, cookie, query_string };

/// How a value is written as text (OpenAPI 3.2, 4.12.3).
enum class ParameterStyle : std::uint8_t {
    simple, // a,b
    form,   // name=a,b
    space_delimited,
    pipe_delimited,
    deep_object, // name[member]=a
    label,       // .a,b (RFC 6570, 3.2.5)
    matrix,      // ;name=a,b (RFC 6570, 3.2.7)
    cookie,      // name=a,b without percent-encoding
};
enum class Explode : std::uint8_t { no, yes }; // yes: name=a&name=b; member=a&member2=b

/// How the upstream reads a list, or an object, whose text could be two of them.
enum class Lists : std::uint8_t {
    both,    // it is not known: an encoded comma has to be valid as both; see `decoded` for names
    strict,  // RFC 6570, 3.2.1: an encoded comma is part of a value; a name is that of one value
    decoded, // it decodes first: an encoded comma ends a value; a list within an object may be
             // its name several times
};
/// `value`: one plain value; `json`: the text is JSON of any type (`content` in OpenAPI); `several`:
/// one of Parameter::readings.
enum class ParameterShape : std::uint8_t { value, list, object, json, several };

/// A shortcut for plain values, found at load: the rules of a schema that can be checked on the
/// text of the value without the evaluator. It can only prove that a value is valid.
struct PlainRule {
    /// For parameters that take strings: the node of the schema, if its rules can be checked on the
    /// text.
    std::uint32_t text_node = UINT32_MAX;
    bool requires_uuid = false; // and this is its only rule
    /// For other parameters: which integers are valid, and whether true and false are.
    bool takes_words = false;
    std::int64_t lowest = INT64_MAX;
    std::int64_t highest = INT64_MIN;
};

/// How the text of a parameter, which has no type of its own, is read (determined by accepted.h).
struct Reading {
    bool numbers = false;     // a text that is a JSON number is a number;
    bool only_digits = false; // an integer only if it is digits, optionally after a minus;
    bool words = false;       // `true` and `false` are booleans;
    bool null = false;        // `null` is null; any other text is a string.
    /// A value that is invalid as one of these types may still be a valid string, and is checked
    /// again as one.
    bool or_text = false;
};

/// An item of a list, or a property of an object.
struct Part {
    Reading reading;
    std::vector<std::uint32_t> nodes; // the schemas that always apply to it: into Program::nodes
};

/// A value within a parameter of style deepObject: the parameter itself, or what its names lead to
/// in further brackets. Its own name says what it is.
struct DeepPart {
    bool takes_value = false;  // `name`: a plain value, read as `part`
    bool takes_list = false;   // `name[]` and `name[0]`: items, all of the part `others`
    bool takes_object = false; // `name[property]`; never beside a list
    Part part;
    std::vector<std::pair<std::string, std::uint32_t>> members;    // declared: their parts
    std::vector<std::pair<std::uint32_t, std::uint32_t>> patterns; // Program::patterns: their parts
    std::uint32_t others = 0;
};

/// OpenAPI 3.2, 4.12.
struct Parameter {
    /// A property by name.
    struct Member {
        std::string name;
        Part part;
    };
    /// Properties whose names match a pattern.
    struct PatternMember {
        std::uint32_t pattern = 0; // into Program::patterns
        Part part;
    };

    std::string name;
    std::string pointer;       // prefix of the pointers of its rules: "/parameters/limit"
    config::yaml::Mark mark;   // its position in the document,
    std::string document_path; // and its path there: for problems
    ParameterPlace place = ParameterPlace::path;
    ParameterShape shape = ParameterShape::value;
    ParameterStyle style = ParameterStyle::simple;
    Explode explode = Explode::no;
    bool required = false;
    bool is_unread = false;           // only while it is loaded: it cannot be enforced
    bool allows_empty = false;        // allowEmptyValue: an empty value is not checked
    std::optional<BodySchema> schema; // none: any text
    Reading reading;                  // of a value
    PlainRule plain_rule;             // of a value
    std::vector<Part> first; // of a list: its first items if each has its own schema (prefixItems)
    std::vector<Member> members;         // of an object: all names that its schema mentions,
    std::vector<PatternMember> patterns; // patterns of names,
    Part others;                         // and all other items or properties
    /// Of style deepObject, where names have more than one pair of brackets, or are those of lists:
    /// itself, then the parts inside. Empty: all properties are plain.
    std::vector<DeepPart> deep;
    /// If its schema accepts several shapes: each as a parameter of its own, a plain value first. A
    /// list whose items have pairs of their own is then a list itself, otherwise it is `several`.
    /// Empty: it has one.
    std::vector<Parameter> readings;

    /// For an object whose properties are separate pairs of the query: what happens with pairs that
    /// belong to no other parameter.
    bool takes_others = false;              // they are properties of this object
    std::optional<std::uint32_t> closed_by; // the rule that forbids them: into Program::rules

    /// Whether its properties are pairs `property=value` among those of other parameters (style
    /// `form` with `explode`).
    [[nodiscard]] bool is_spread() const noexcept {
        return place == ParameterPlace::query && shape == ParameterShape::object
               && style == ParameterStyle::form && explode == Explode::yes;
    }
};

/// A header field of a response (OpenAPI 3.2, 4.21), which is checked like a header parameter.
struct ResponseHeader {
    Parameter parameter;
    ResponseRule required;  // if it is
    ResponseRule malformed; // its value is as its style, encoding or media type says
};

/// OpenAPI 3.2, 4.17.
struct Response {
    std::uint16_t first =
        0; // the statuses it is for: 200 to 200, 200 to 299 (`2XX`), 0 to 999 (`default`)
    std::uint16_t last = 0;
    std::vector<MediaType> media_types; // none: the body is not restricted
    std::vector<ResponseHeader> headers;
    ResponseRule media_type;        // with media types: the body has one of them
    ResponseRule malformed;         // with a JSON schema: such a body is JSON
    ResponseRule undeclared_secret; // and no undeclared property has the name of a secret
};

/// The whole query as one value (OpenAPI 3.2, 4.12.1: `in: querystring`).
struct QueryString {
    Parameter parameter; // its name and the pointer of its rules
    MediaType type;      // how the query is read
};

/// Finds a query parameter by name in time that does not depend on their number (query_owner.h).
struct QueryIndex {
    struct Name {
        std::uint32_t hash = 0; // hash_name
        std::uint32_t parameter = 0;
        std::uint32_t member = UINT32_MAX; // of an object whose properties are separate pairs
    };
    std::vector<Name> names;             // ordered by hash
    std::vector<std::uint32_t> deep;     // objects of style deepObject, in their order
    std::optional<std::uint32_t> others; // the object that takes all other pairs as its properties
    /// Hashes of reduced names that lenient parsers may read as declared ones (query_names.h);
    /// sorted.
    std::vector<std::uint32_t> lookalikes;
};

/// The parameters of a query, or the fields of a form.
struct PairParameters {
    std::vector<Parameter> query_parameters;
    QueryIndex query_index; // index of these
};

/// Timeouts that the contract sets (x-timeouts) instead of those of the upstream.
struct Timeouts {
    std::optional<std::chrono::milliseconds> connect;
    std::optional<std::chrono::milliseconds> first_byte;
    std::optional<std::chrono::milliseconds> idle;
    std::optional<std::chrono::milliseconds> total;
};

/// Which responses of an operation are streams: they last as long as their upstream has something
/// to send.
enum class Streams : std::uint8_t {
    none,          // also by `x-stream: none`
    event_streams, // those of text/event-stream, because the contract declares one
    all,           // x-stream: events
};
/// The longest silence within a stream, if nothing else says one.
inline constexpr std::chrono::minutes stream_idle{5};

/// x-upgrade: the operation opens a WebSocket.
struct Upgrade {
    std::vector<std::string> origins; // of web pages that may open one; empty: no page may
};

/// OpenAPI 3.1, 4.8.10.
struct Operation : PairParameters {
    std::string id;
    std::string method;                       // as it is sent: methods are case-sensitive
    std::string path;                         // the template
    std::vector<std::string> parameter_names; // of the path, in its order
    std::vector<Parameter> path_parameters;   // in the same order, one each
    std::vector<Parameter> header_parameters;
    std::vector<std::string> header_names; // their names
    std::vector<Parameter> cookie_parameters;
    std::optional<QueryString> query_string; // if any, there are no query_parameters
    std::optional<RequestBody> request_body; // none: the operation takes no body
    std::vector<Response> responses;         // exact statuses first, then ranges, then `default`
    ResponseRule declared_status;    // if only some statuses are declared: it is one of them
    bool retry_safe = false;         // x-retry: safe
    std::optional<Lists> lists;      // x-lists
    Streams streams = Streams::none; // x-stream, or what `responses` declare
    bool forwards_trailers = false;  // x-trailers: forward
    Timeouts timeouts;
    std::shared_ptr<Upgrade const> upgrade; // null: it opens none
    std::vector<std::string> tags;
    Security security;
    std::string source; // x-source, if the operation has one
    std::uint32_t index = 0;
    /// The places without their rule that its parameters and request bodies lead to, and those of
    /// its responses: into Contract::unchecked(), sorted.
    std::vector<std::uint32_t> unchecked_in_requests;
    std::vector<std::uint32_t> unchecked_in_responses;

    /// The response declared for a status: an exact status takes precedence over a range, and that
    /// over `default`. Null: the status is not declared.
    [[nodiscard]] Response const* find_response(unsigned status) const noexcept;
    /// The schema of a response body of that status and media type (see find_media_type); null:
    /// none.
    [[nodiscard]] BodySchema const*
    response_schema(unsigned status,
                    std::string_view media_type = "application/json") const noexcept;
    /// Whether a query parameter with that (decoded) name is declared.
    [[nodiscard]] bool has_query_parameter(std::string_view name) const noexcept;
    /// The name of the parameter that a pair of the query belongs to, by the raw name of the pair;
    /// empty: it belongs to none. Safe to log, in contrast to the name of the pair.
    [[nodiscard]] std::string_view query_parameter_of(std::string_view raw_name) const;
};

/// The value of a plain path parameter without what its style writes before it (`.` of label,
/// `;name=` of matrix), still percent-encoded. None: it is not written so, or is no plain value of
/// these styles.
[[nodiscard]] std::optional<std::string_view> value_in_style(Parameter const& parameter,
                                                             std::string_view raw) noexcept;

/// Whether each `;` in a matched path is where a parameter of style matrix has one: in front of its
/// name, or of a property of an exploded object. Some servers end a segment at any `;`.
[[nodiscard]] bool takes_semicolons(Operation const& operation, RouteMatch const& match,
                                    std::string_view path);
/// Whether the operation has a parameter of style matrix.
[[nodiscard]] bool has_matrix_parameter(Operation const& operation) noexcept;

class Contract;

/// The result of loading a document.
struct Loaded {
    std::shared_ptr<Contract const> contract; // null if any problem is an error
    config::yaml::Problems problems;          // all errors and warnings, sorted by position
    std::vector<std::string>
        files{}; // beside the document, that its `$ref`s name; also missing ones
    config::yaml::Problems errors{}; // all of them, also those that `problems` only counts
};

/// Settings for loading a document.
struct LoadOptions {
    /// Folders with documents that `$ref` may refer to: a file is found by its `$id`, or by the
    /// path of the URI. Nothing is fetched from the network.
    std::vector<std::string> schema_folders;
    /// Overlay files that are applied to an OpenAPI document first, in this order.
    std::vector<std::string> overlays{};
    /// What happens to a valid document that cannot be enforced as a whole.
    Unsupported unsupported = Unsupported::refuse;
    /// The folder of the document: files in it and below it are found by the relative paths that
    /// `$ref`s have. load_file() sets it; nullopt: no such file is read.
    std::optional<std::string> folder{};
    /// A folder that contains that one, and whose other files such paths may lead to as well
    /// (`../common/types.yaml`); nullopt: none do.
    std::optional<std::string> outer_folder{};

    [[nodiscard]] bool operator==(LoadOptions const&) const = default;
};

/// Whether `outer` is a folder that exists, and contains `folder` or is the same: for
/// LoadOptions::outer_folder.
[[nodiscard]] bool is_inside(std::string const& folder, std::string const& outer);

/// JSON Schema 2020-12 validation, 7.2.1: formats are annotations by default.
enum class Formats : std::uint8_t { annotate, assert_them };

/// Immutable; shared by all workers through the snapshot.
class Contract {
public:
    /// Loads an OpenAPI document, YAML or JSON, from a file or a text; `name` is the file name in
    /// problems. The result lists all problems of the document.
    [[nodiscard]] static Loaded load_file(std::string const& path, LoadOptions const& options = {});
    [[nodiscard]] static Loaded load_text(std::string_view text, std::string_view name,
                                          LoadOptions const& options = {});
    /// Loads a single JSON Schema (2020-12) without paths or operations: see schema().
    [[nodiscard]] static Loaded load_schema(std::string_view text, std::string_view name,
                                            Formats formats = Formats::assert_them,
                                            LoadOptions const& options = {});

    Contract(Contract const&) = delete;
    Contract& operator=(Contract const&) = delete;
    ~Contract();

    [[nodiscard]] std::string const& title() const noexcept { return title_; }
    [[nodiscard]] std::vector<Operation> const& operations() const noexcept { return operations_; }
    /// Finds an operation by its operationId; null: there is none.
    [[nodiscard]] Operation const* find_operation(std::string_view id) const noexcept;

    /// Finds the path template that matches `path`: raw, still percent-encoded, without query.
    [[nodiscard]] RouteMatch route(std::string_view path) const noexcept {
        return router_.route(path);
    }
    [[nodiscard]] Router const& router() const noexcept { return router_; }
    /// The operation of a matched path for a method; HEAD is that of GET if it is not declared
    /// itself (RFC 9110, 9.3.2). Null: the method is not declared; `match.item->allow` lists those
    /// that are.
    [[nodiscard]] Operation const* find_operation(RouteMatch const& match,
                                                  std::string_view method) const noexcept;

    /// The path prefixes that belong to this contract, each with a slash at both ends: `/v1/`,
    /// `/api/v2/`. The prefix of a path is its literal segments up to the first version (`v1`),
    /// otherwise its first literal segment; `/` if the path begins with a parameter. `/v1/` owns
    /// the path `/v1` as well. Sorted; no prefix contains another.
    [[nodiscard]] std::vector<std::string> const& owned_prefixes() const noexcept {
        return owned_prefixes_;
    }

    /// Names of properties marked x-secret, writeOnly or format: password, sorted, in their
    /// spelling in the contract.
    [[nodiscard]] std::vector<std::string> const& secret_members() const noexcept {
        return secret_members_;
    }

    /// Which x-when conditions apply to a caller with these labels: computed once per credential,
    /// not per request.
    [[nodiscard]] Conditions conditions_for(Labels const& labels) const;
    /// Label names used in any x-when, sorted: a label of a credential that is not among them has
    /// no effect in this contract.
    [[nodiscard]] std::vector<std::string> const& label_names() const noexcept {
        return label_names_;
    }

    /// The places of the document that are not enforced (LoadOptions::unsupported), in the order in
    /// which they were found; some may belong to no operation.
    [[nodiscard]] std::vector<UncheckedPlace> const& unchecked() const noexcept {
        return unchecked_;
    }

    /// The schema of load_schema(); none for an OpenAPI document.
    [[nodiscard]] std::optional<BodySchema> schema() const noexcept { return schema_; }
    [[nodiscard]] Program const& program() const noexcept { return *program_; }

private:
    friend class Loader;
    Contract();

    std::string title_;
    std::vector<Operation> operations_;
    Router router_;
    std::vector<std::string> owned_prefixes_;
    std::vector<std::string> secret_members_;
    std::vector<std::string> label_names_;
    std::vector<UncheckedPlace> unchecked_;
    std::optional<BodySchema> schema_;
    std::unique_ptr<Program> program_;
    std::vector<std::unique_ptr<FormBody const>> forms_;
};

} // namespace sallyport::contract
