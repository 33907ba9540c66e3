// Reads the media types of a body, and decides how its bytes become the value of its schema.
#include "gateway/contract/openapi/in_place.h"
#include "gateway/contract/openapi/load.h"

#include "config/text.h"

#include <memory>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// OpenAPI 3.1, 4.8.14: `encoding` is for these two.
[[nodiscard]] BodySyntax syntax_of(std::string_view media_type) noexcept {
    if (is_json(media_type)) return BodySyntax::json;
    if (media_type == "application/x-www-form-urlencoded") return BodySyntax::form;
    if (media_type == "multipart/form-data") return BodySyntax::multipart;
    return BodySyntax::text;
}

[[nodiscard]] bool is_form(BodySyntax syntax) noexcept {
    return syntax == BodySyntax::form || syntax == BodySyntax::multipart;
}

} // namespace

void Loader::refuse_rules(MediaType const& type, Target const& schema) {
    error(*schema.node, schema.path,
          "rules for bodies of " + config::in_quotes(type.name) + " are not implemented",
          "write schema: {}, or none");
}

// Plain values: a body has no other form. False: a problem was added.
bool Loader::read_text(MediaType& type, Target const& schema, FormBody& form) {
    Program const& program = *contract_->program_;
    Kinds const kinds = kinds_of(program, program.schemas[type.schema->index].root);
    bool const is_range = type.name.find('*') != std::string::npos;
    if (is_range || may_be_nested(kinds) || kinds.accepted == 0) {
        refuse_rules(type, schema);
        return false;
    }
    form.reading = reading_of(kinds);
    return true;
}

// OpenAPI 3.2, 4.14.1: what 3.1 does not have, and would only warn of.
std::vector<std::string_view> Loader::sequence_words() const {
    if (!is_3_2_) return {};
    return {"itemSchema", "itemEncoding", "prefixEncoding"};
}

MediaType Loader::read_media_type(std::string name, Target const& given, SchemaUse const& use) {
    MediaType type;
    type.name = std::move(name);
    type.syntax = syntax_of(type.name);
    auto const target = follow(*given.node, given.path, given.resource);
    if (!target) return type;
    Target const& place = *target;
    Keys const keys{
        "a media type", {"schema", "encoding"}, {"example", "examples"}, sequence_words()};
    if (!check_keys(*place.node, place.path, keys)) return type;
    Node const* const encoding = place.node->find("encoding");
    std::string const encoding_path = yaml::join_key(place.path, "encoding");
    if (encoding != nullptr && !is_form(type.syntax)) {
        // OpenAPI 3.1, 4.8.14.1
        warn(*encoding, encoding_path, "has no effect: it is for forms and multipart bodies");
    }
    Node const* const node = place.node->find("schema");
    if (node == nullptr) return type;
    Target const schema{node, yaml::join_key(place.path, "schema"), place.resource};
    if (type.syntax == BodySyntax::json) {
        type.schema = compiler_->compile(schema, use);
        return type;
    }
    if (says_only_bytes(*node)) return type;
    if (!is_form(type.syntax) && is_binary(*documents_, schema)) {
        // Its size would be a rule of the bytes, which pass as they arrive.
        bool is_plain = true;
        visit_schemas_in_place(*documents_, schema, [&is_plain](Target const& one) {
            is_plain =
                is_plain && (one.node->find("$ref") != nullptr || says_only_bytes(*one.node));
        });
        if (!is_plain) refuse_rules(type, schema);
        return type;
    }
    if (is_form(type.syntax) && use.side == CompiledSchema::Side::response) {
        refuse_rules(type, schema);
        return type;
    }
    type.schema = compiler_->compile(schema, use);
    auto form = std::make_unique<FormBody>();
    bool is_read = true;
    if (is_form(type.syntax)) {
        read_form({type, schema, encoding, encoding_path, use}, *form);
    } else {
        is_read = read_text(type, schema, *form);
    }
    if (!is_read) type.schema.reset();
    type.form = form.get();
    contract_->forms_.push_back(std::move(form));
    return type;
}

} // namespace sallyport::contract
