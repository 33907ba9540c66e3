// Reads the media types of a body, and decides how its bytes become the value of its schema.
#include "gateway/contract/openapi/in_place.h"
#include "gateway/contract/openapi/load.h"

#include "config/text.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

constexpr std::array<std::string_view, 6> json_lines{
    "application/jsonl",   "application/jsonlines",   "application/ndjson",
    "application/x-jsonl", "application/x-jsonlines", "application/x-ndjson",
};

// RFC 7464, 4, and RFC 8091
[[nodiscard]] bool is_json_sequence(std::string_view media_type) noexcept {
    return media_type == "application/json-seq" || media_type.ends_with("+json-seq");
}

[[nodiscard]] BodySyntax syntax_of(std::string_view media_type) noexcept {
    if (is_json(media_type)) return BodySyntax::json;
    if (is_json_sequence(media_type)) return BodySyntax::sequence;
    if (std::find(json_lines.begin(), json_lines.end(), media_type) != json_lines.end())
        return BodySyntax::lines;
    // OpenAPI 3.1, 4.8.14: `encoding` is for these two.
    if (media_type == "application/x-www-form-urlencoded") return BodySyntax::form;
    if (media_type == "multipart/form-data") return BodySyntax::multipart;
    return BodySyntax::text;
}

[[nodiscard]] bool is_form(BodySyntax syntax) noexcept {
    return syntax == BodySyntax::form || syntax == BodySyntax::multipart;
}

[[nodiscard]] bool is_range(std::string_view media_type) noexcept {
    return media_type.ends_with("/*");
}

// Of an array whose schema says nothing but what its items are; null: there is more.
[[nodiscard]] yaml::Node const* plain_items(yaml::Node const& schema) {
    if (!schema.is_mapping()) return nullptr;
    for (auto const& entry : schema.entries()) {
        bool const is_rule = entry.key != "title" && entry.key != "description"
                             && entry.key != "example" && entry.key != "examples";
        if (entry.key == "type" && entry.value.text() == "array") continue;
        if (is_rule && entry.key != "items") return nullptr;
    }
    return schema.find("items");
}

} // namespace

bool is_parsed(std::string_view media_type) noexcept {
    return syntax_of(media_type) != BodySyntax::text;
}

// What cannot be checked keeps no document from loading in responses, which are never refused, and
// in bodies that have no parser here, which the document cannot be changed for.
void Loader::refuse_rules(MediaType const& type, Target const& schema, SchemaUse const& use,
                          std::string hint) {
    std::string const bodies = "bodies of " + config::in_quotes(type.name);
    if (use.side == CompiledSchema::Side::response) {
        ++unsupported_;
        problems_.add_unchecked_at(schema.node->mark(), schema.path,
                                   "rules for " + bodies + " are not checked in responses");
        return;
    }
    if (type.syntax == BodySyntax::text) {
        ++unsupported_;
        problems_.add_unchecked_at(
            schema.node->mark(), schema.path,
            bodies + " are not parsed: their size and media type alone are checked");
        return;
    }
    unsupported(*schema.node, schema.path, "rules for " + bodies + " are not implemented",
                std::move(hint));
}

// Bodies of that type pass as they are: only a parameter distinguishes them from others whose rules
// would be checked.
void Loader::accept_unread(std::vector<MediaType>& types, std::string const& name) {
    bool is_known = false;
    for (MediaType& one : types) {
        if (one.name != name) continue;
        is_known = true;
        if (one.schema) forget_rules(*one.schema);
        one.schema.reset();
        one.form = nullptr;
        one.parameters.clear();
    }
    if (!is_known) types.push_back({name, std::nullopt, syntax_of(name), nullptr});
}

// A schema that is not used has no rules that could be listed or have a level.
void Loader::forget_rules(BodySchema const& schema) {
    CompiledSchema& unused = contract_->program_->schemas[schema.index];
    unused.end_rule = unused.first_rule;
    unused.refers_to.clear();
}

// Plain values: a body has no other form.
void Loader::read_text(MediaType& type, Target const& schema, SchemaUse const& use,
                       FormBody& form) {
    Program const& program = *contract_->program_;
    Kinds const kinds = kinds_of(program, program.schemas[type.schema->index].root);
    if (may_be_nested(kinds)) return refuse_rules(type, schema, use);
    form.reading = reading_of(kinds);
}

// OpenAPI 3.2, 4.14.3: `itemSchema` is for each item, `schema` for the array of all of them. Up to
// 3.1 there is nothing but `schema`, and documents mean either.
void Loader::read_items_schema(MediaType& type, Target const& place, SchemaUse const& use) {
    auto const compile = [&](Node const& node, std::string path) {
        type.schema = compiler_->compile({&node, std::move(path), place.resource}, use);
        type.is_secret = compiler_->has_secret_body();
    };
    Node const* const item = place.node->find("itemSchema");
    Node const* const all = place.node->find("schema");
    std::string const path = yaml::join_key(place.path, "schema");
    Node const* const items = all == nullptr ? nullptr : plain_items(*all);
    if (item != nullptr) {
        compile(*item, yaml::join_key(place.path, "itemSchema"));
        if (all != nullptr && !says_only_bytes(*all))
            refuse_rules(type, {all, path, place.resource}, use, "write itemSchema alone");
    } else if (items != nullptr) {
        compile(*items, yaml::join_key(path, "items"));
    } else if (all != nullptr && !says_only_bytes(*all)) {
        compile(*all, path);
        Program const& program = *contract_->program_;
        auto const kinds = kinds_of(program, program.schemas[type.schema->index].root);
        if ((kinds.accepted & value_bits::array) == 0) {
            warn(*all, path, "is taken for the schema of each item, since it accepts no array",
                 "write itemSchema");
        } else {
            refuse_rules(type, {all, path, place.resource}, use, "write itemSchema");
            forget_rules(*type.schema);
            type.schema.reset();
        }
    }
}

// Of events, which other versions of OpenAPI do not have; its texts are read as texts.
bool Loader::is_event_stream(std::string_view name, Node const& place, SchemaUse const& use) const {
    bool const is_request = use.is_body && use.side == CompiledSchema::Side::request;
    if (!is_request || name != "text/event-stream") return false;
    Node const* const all = place.find("schema");
    return place.find("itemSchema") != nullptr
           || (is_3_2_ && all != nullptr && plain_items(*all) != nullptr);
}

// OpenAPI 3.2 has it for all media types whose bodies are a series of items.
void Loader::refuse_items(MediaType const& type, Node const& node, std::string const& path,
                          SchemaUse const& use) {
    std::string const what =
        "the items of " + config::in_quotes(type.name) + " are not checked against it";
    bool const is_response = use.side == CompiledSchema::Side::response;
    if (is_response || type.syntax == BodySyntax::text) {
        return problems_.add_unchecked_at(node.mark(), path,
                                          what + (is_response ? " in responses" : ""));
    }
    unsupported(node, path, what,
                "it is for JSON Lines, JSON text sequences, event streams and multipart without "
                "names");
}

// A body that is not JSON, whose schema says more than that it is bytes.
void Loader::read_form_or_text(MediaType& type, FormPlace const& place) {
    Target const& schema = place.schema;
    if (!is_form(type.syntax) && (is_range(type.name) || is_binary(*documents_, schema))) {
        // Its size would be a rule of the bytes, which pass as they arrive; and those of a range
        // are of any syntax.
        bool is_plain = true;
        visit_schemas_in_place(*documents_, schema, [&is_plain](Target const& one) {
            is_plain =
                is_plain && (one.node->find("$ref") != nullptr || says_only_bytes(*one.node));
        });
        if (!is_plain) refuse_rules(type, schema, place.use);
        return;
    }
    if (is_form(type.syntax) && place.use.side == CompiledSchema::Side::response)
        return refuse_rules(type, schema, place.use);
    std::size_t const before = unsupported_;
    SchemaUse use = place.use;
    // Rules of files are taken out of it.
    use.may_share = use.may_share && type.syntax != BodySyntax::multipart;
    type.schema = compiler_->compile(schema, use);
    type.is_secret = compiler_->has_secret_body();
    auto form = std::make_unique<FormBody>();
    if (is_form(type.syntax)) {
        read_form(place, *form);
    } else {
        read_text(type, schema, place.use, *form);
    }
    finish_form(type, std::move(form), before);
}

// `before`: the number of unsupported places before its schema and encodings were read.
void Loader::finish_form(MediaType& type, std::unique_ptr<FormBody> form, std::size_t before) {
    if (unsupported_ != before) {
        // The value that the schema describes cannot be made of the bytes: they pass as they are.
        auto const end = static_cast<std::uint32_t>(contract_->program_->schemas.size());
        for (std::uint32_t i = type.schema->index; i < end; ++i)
            forget_rules({type.schema->program, i});
        type.schema.reset();
        return;
    }
    type.form = form.get();
    contract_->forms_.push_back(std::move(form));
}

// A key of `content` of a request. Of a range with rules JSON is validated, as an entry of its own
// before that of all others (MediaType::is_json_of_range()).
void Loader::add_media_type(std::vector<MediaType>& types, std::string name, Target const& place,
                            SchemaUse const& use) {
    std::size_t const before = unsupported_;
    MediaType type = read_media_type(std::move(name), place, use);
    if (is_range(type.name) && unsupported_ != before) {
        MediaType as_json = read_as({type.name, std::nullopt, BodySyntax::json}, place, use);
        if (as_json.schema) types.push_back(std::move(as_json));
    }
    types.push_back(std::move(type));
}

MediaType Loader::read_media_type(std::string name, Target const& place, SchemaUse const& use) {
    BodySyntax const syntax = syntax_of(name);
    return read_as({std::move(name), std::nullopt, syntax}, place, use);
}

// `type`: without a schema, which is read by its syntax.
MediaType Loader::read_as(MediaType type, Target const& given, SchemaUse const& use) {
    auto const target = follow(*given.node, given.path, given.resource);
    if (!target) return type;
    Target const& place = *target;
    Keys keys{
        "a media type", {"schema", "encoding", "itemSchema"}, {"example", "examples"}, {}};
    if (is_3_2_) keys.read.insert(keys.read.end(), {"prefixEncoding", "itemEncoding"});
    if (!check_keys(*place.node, place.path, keys)) return type;
    if (has_parts(type, place, use)) {
        read_parts(type, place, use);
        return type;
    }
    if (!check_position_words(type, place, use)) return type;
    if (is_event_stream(type.name, *place.node, use)) type.syntax = BodySyntax::events;
    Node const* const encoding = place.node->find("encoding");
    std::string const encoding_path = yaml::join_key(place.path, "encoding");
    if (encoding != nullptr && !is_form(type.syntax)) {
        // OpenAPI 3.1, 4.8.14.1
        warn(*encoding, encoding_path, "has no effect: it is for forms and multipart bodies");
    }
    if (has_items(type.syntax)) {
        read_items_schema(type, place, use);
        return type;
    }
    if (auto const* const item = place.node->find("itemSchema"))
        refuse_items(type, *item, yaml::join_key(place.path, "itemSchema"), use);
    Node const* const node = place.node->find("schema");
    if (node == nullptr) return type;
    Target const schema{node, yaml::join_key(place.path, "schema"), place.resource};
    bool const is_file = is_range(type.name) && is_binary(*documents_, schema);
    if (type.syntax == BodySyntax::json && !is_file) {
        type.schema = compiler_->compile(schema, use);
        type.is_secret = compiler_->has_secret_body();
        return type;
    }
    if (type.syntax != BodySyntax::json && !says_only_bytes(*node))
        read_form_or_text(type, {type, schema, encoding, encoding_path, use});
    return type;
}

} // namespace sallyport::contract
