// Reads the media types of a body, and decides how its bytes become the value of its schema.
#include "gateway/contract/openapi/in_place.h"
#include "gateway/contract/openapi/load.h"

#include "config/text.h"

#include <algorithm>
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
    unsupported(*schema.node, schema.path,
                "rules for bodies of " + config::in_quotes(type.name) + " are not implemented",
                "write schema: {}, or none");
}

// Bodies of that type pass as they are: only a parameter distinguishes them from others whose rules
// would be checked.
void Loader::accept_unread(std::vector<MediaType>& types, std::string const& name) {
    auto const known = std::find_if(types.begin(), types.end(),
                                    [&name](MediaType const& one) { return one.name == name; });
    if (known == types.end()) {
        types.push_back({name, std::nullopt, syntax_of(name), nullptr});
        return;
    }
    if (known->schema) forget_rules(*known->schema);
    known->schema.reset();
    known->form = nullptr;
}

// A schema that is not used has no rules that could be listed or have a level.
void Loader::forget_rules(BodySchema const& schema) {
    CompiledSchema& unused = contract_->program_->schemas[schema.index];
    unused.end_rule = unused.first_rule;
}

// Plain values: a body has no other form.
void Loader::read_text(MediaType& type, Target const& schema, FormBody& form) {
    Program const& program = *contract_->program_;
    Kinds const kinds = kinds_of(program, program.schemas[type.schema->index].root);
    bool const is_range = type.name.find('*') != std::string::npos;
    if (is_range || may_be_nested(kinds) || kinds.accepted == 0) {
        return refuse_rules(type, schema);
    }
    form.reading = reading_of(kinds);
}

MediaType Loader::read_media_type(std::string name, Target const& place, SchemaUse const& use) {
    MediaType type;
    type.name = std::move(name);
    type.syntax = syntax_of(type.name);
    Keys const keys{"a media type", {"schema", "encoding"}, {"example", "examples"}, {}};
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
    std::size_t const before = unsupported_;
    type.schema = compiler_->compile(schema, use);
    auto form = std::make_unique<FormBody>();
    if (is_form(type.syntax)) {
        read_form({type, schema, encoding, encoding_path, use}, *form);
    } else {
        read_text(type, schema, *form);
    }
    if (unsupported_ != before) {
        // The value that the schema describes cannot be made of the bytes: they pass as they are.
        auto const end = static_cast<std::uint32_t>(contract_->program_->schemas.size());
        for (std::uint32_t i = type.schema->index; i < end; ++i)
            forget_rules({type.schema->program, i});
        type.schema.reset();
        return type;
    }
    type.form = form.get();
    contract_->forms_.push_back(std::move(form));
    return type;
}

} // namespace sallyport::contract
