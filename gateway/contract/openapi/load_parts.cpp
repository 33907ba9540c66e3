// Reads how the parts of a multipart body without names are written: encodings by position (OpenAPI
// 3.2, 4.14.5.2), and, where they say nothing, the types of their schemas.
#include "gateway/contract/openapi/in_place.h"
#include "gateway/contract/openapi/load.h"

#include "config/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

constexpr std::array<std::string_view, 2> position_words{"prefixEncoding", "itemEncoding"};

[[nodiscard]] bool is_of_multipart(std::string_view media_type) noexcept {
    return media_type.starts_with("multipart/");
}

// Parts have names in multipart/form-data. In multipart/digest they are messages unless they say
// otherwise (RFC 2046, 5.1.5).
[[nodiscard]] bool may_have_positions(std::string_view media_type) noexcept {
    return is_of_multipart(media_type) && media_type != "multipart/form-data"
           && media_type != "multipart/digest" && media_type != "multipart/*";
}

[[nodiscard]] bool has_position_words(yaml::Node const& media_type) {
    return std::any_of(position_words.begin(), position_words.end(), [&](std::string_view word) {
        return media_type.find(word) != nullptr;
    });
}

[[nodiscard]] bool has_type(std::vector<std::string> const& types, std::string_view beginning) {
    return std::any_of(types.begin(), types.end(), [beginning](std::string_view type) {
        return type.starts_with(beginning);
    });
}

} // namespace

// Whether the parts of such a body are described by their positions.
bool Loader::has_parts(MediaType const& type, Target const& place, SchemaUse const& use) {
    bool const is_request = use.is_body && use.side == CompiledSchema::Side::request;
    if (!is_request || !may_have_positions(type.name)) return false;
    if (place.node->find("itemSchema") != nullptr) return true;
    if (!is_3_2_) return false;
    Node const* const all = place.node->find("schema");
    if (has_position_words(*place.node)) return true;
    bool is_array = false;
    if (all == nullptr) return false;
    visit_schemas_in_place(*documents_, {all, {}, place.resource}, [&](Target const& one) {
        Node const* const type_name = one.node->find("type");
        is_array = is_array || one.node->find("prefixItems") != nullptr
                   || one.node->find("items") != nullptr
                   || (type_name != nullptr && type_name->text() == "array");
    });
    return is_array;
}

// Encodings by position where they are not read; false: the body cannot be read without them.
bool Loader::check_position_words(MediaType const& type, Target const& place,
                                  SchemaUse const& use) {
    if (!is_3_2_) return true;
    std::string const name = config::in_quotes(type.name);
    bool is_read = true;
    for (std::string_view const word : position_words) {
        Node const* const node = place.node->find(word);
        if (node == nullptr) continue;
        std::string const path = yaml::join_key(place.path, word);
        if (!is_of_multipart(type.name)) {
            // OpenAPI 3.2, 4.14.5: "for all other media types all three fields SHALL be ignored".
            warn(*node, path, "has no effect: it is for multipart bodies");
        } else if (use.side == CompiledSchema::Side::response) {
            problems_.add_unchecked_at(node->mark(), path,
                                       "the parts of " + name + " are not checked in responses");
        } else {
            is_read = false;
            unsupported(*node, path, "is not implemented for " + name,
                        type.syntax == BodySyntax::multipart ? "write encoding" : std::string{});
        }
    }
    return is_read;
}

void Loader::read_parts(MediaType& type, Target const& place, SchemaUse const& given) {
    type.syntax = BodySyntax::parts;
    Node const* const item = place.node->find("itemSchema");
    Node const* const all = place.node->find("schema");
    if (item == nullptr && all == nullptr) {
        return error(*place.node, place.path, "has encodings of parts, and no schema for them",
                     "write itemSchema, or the schema of an array");
    }
    if (Node const* const by_name = place.node->find("encoding"); by_name != nullptr) {
        std::string const path = yaml::join_key(place.path, "encoding");
        // OpenAPI 3.2, 4.14.1: it "MUST NOT be present if prefixEncoding or itemEncoding are".
        if (is_3_2_ && has_position_words(*place.node)) {
            return error(*by_name, path, "cannot be used beside prefixEncoding and itemEncoding",
                         "remove it");
        }
        warn(*by_name, path, "has no effect: the parts have no names",
             "write prefixEncoding or itemEncoding");
    }
    SchemaUse use = given;
    use.may_share = false; // rules of files are taken out of it
    Target const whole{all, yaml::join_key(place.path, "schema"), place.resource};
    if (item != nullptr && all != nullptr && !says_only_bytes(*all))
        refuse_rules(type, whole, use, "write itemSchema alone");
    Target const schema =
        item != nullptr
            ? Target{item, yaml::join_key(place.path, "itemSchema"), place.resource}
            : whole;
    std::size_t const before = unsupported_;
    type.schema = compiler_->compile(schema, use);
    type.is_secret = compiler_->has_secret_body();
    auto form = std::make_unique<FormBody>();
    form->are_items = item != nullptr;
    if (!read_positions({type, schema, nullptr, {}, use}, place, *form)) return;
    finish_form(type, std::move(form), before);
}

// What encodes the part at an index, and the prefix of the pointers of its rules.
void Loader::find_part_encoding(Target const& place, std::size_t at, FieldPlace& field) {
    field.pointer = "/itemEncoding";
    if (!is_3_2_) return;
    std::string path = yaml::join_key(place.path, "itemEncoding");
    Node const* own = place.node->find("itemEncoding");
    Node const* const first = place.node->find("prefixEncoding");
    if (first != nullptr && at < first->items().size()) {
        path = yaml::join_index(yaml::join_key(place.path, "prefixEncoding"), at);
        own = &first->items()[at];
        field.pointer = "/prefixEncoding/" + std::to_string(at);
    }
    if (own != nullptr && check_encoding_object(*own, path))
        field.encoding = {own, std::move(path), place.resource};
}

// False: the document is invalid.
bool Loader::read_positions(FormPlace const& form, Target const& place, FormBody& body) {
    Program const& program = *contract_->program_;
    NodeIndex const root = program.schemas[form.type.schema->index].root;
    if (!body.are_items && (kinds_of(program, root).accepted & value_bits::array) == 0) {
        error(*form.schema.node, form.schema.path, "accepts no array, which the parts are",
              "write the schema of an array, or itemSchema");
        return false;
    }
    Node const* const first = is_3_2_ ? place.node->find("prefixEncoding") : nullptr;
    if (first != nullptr && !first->is_sequence()) {
        error(*first, yaml::join_key(place.path, "prefixEncoding"), "must be a list of encodings");
        return false;
    }
    ItemKinds kinds;
    if (body.are_items) {
        kinds.others = kinds_of(program, {{root, Effect::always}});
    } else {
        kinds = read_item_kinds(program, root);
    }
    std::size_t const encoded = first != nullptr ? first->items().size() : 0;
    std::size_t const count = std::max(kinds.first.size(), encoded);
    SharedParts shared;
    for (std::size_t at = 0; at <= count; ++at) {
        bool const is_other = at >= kinds.first.size();
        FieldPlace field{form, is_other ? kinds.others : kinds.first[at], {}, {}, {}};
        field.schemas = body.are_items ? std::vector<Target>{form.schema}
                                       : schemas_of_item(*documents_, form.schema, at);
        find_part_encoding(place, at, field);
        auto& part = at < count ? body.first.emplace_back() : body.others;
        read_part(field, part, is_other ? &shared : nullptr);
    }
    check_parts(form, body, shared);
    return true;
}

// Rules that a part which is bytes, and so an empty string for its schema, would break or hide.
void Loader::check_parts(FormPlace const& form, FormBody const& body, SharedParts const& shared) {
    Target const& schema = form.schema;
    if (shared.are_mixed && !shared.sizes.empty()) {
        unsupported(*schema.node, schema.path,
                    "a length for parts that are bytes and for others is not implemented",
                    "write one schema for each of them");
    }
    auto const is_bytes = [](FormBody::Undeclared const& part) {
        return part.detail.content == FieldContent::bytes;
    };
    bool const has_bytes =
        is_bytes(body.others) || std::any_of(body.first.begin(), body.first.end(), is_bytes);
    bool const compares = has_keyword(
        *documents_, schema,
        {"contains", "uniqueItems", "const", "enum", "not", "if", "unevaluatedItems"});
    if (has_bytes && compares && !body.are_items) {
        unsupported(*schema.node, schema.path,
                    "rules that look at all parts are not implemented for parts that are bytes",
                    "write prefixItems and items alone");
    }
}

// `shared`: of parts whose schemas are the same; null: it has its own.
void Loader::read_part(FieldPlace const& place, FormBody::Undeclared& part, SharedParts* shared) {
    Parameter& parameter = part.parameter;
    FormField& field = part.detail;
    parameter.place = ParameterPlace::query;
    parameter.schema = *place.form.type.schema;
    field.part = place.kinds.part;
    parameter.reading = field.part.reading;
    read_type_names(place, field);
    field.content = content_of_part(place, field.content_types);
    if (field.content == FieldContent::json) parameter.shape = ParameterShape::json;
    if (shared != nullptr && shared->content)
        shared->are_mixed = shared->are_mixed || *shared->content != field.content;
    if (field.content == FieldContent::bytes) {
        // The rules of a schema are taken out of it once.
        if (shared == nullptr || shared->sizes.empty())
            read_bytes(place, place.kinds.schemas, field);
        if (shared != nullptr) {
            if (shared->sizes.empty()) shared->sizes = field.sizes;
            field.sizes = shared->sizes;
        }
    }
    if (shared != nullptr) shared->content = field.content;
    read_content_types(place, field);
    read_part_headers(place, field);
}

// OpenAPI 3.2, 4.15.1.1: the type of the schema, if the encoding names no media type.
FieldContent Loader::content_of_part(FieldPlace const& place,
                                     std::vector<std::string> const& types) {
    auto const& kinds = place.kinds.kinds;
    auto const is_json_type = [](std::string const& type) { return is_json(type); };
    if (has_type(types, "multipart/")) {
        field_error(place, "parts that consist of parts are not implemented");
        return FieldContent::bytes;
    }
    if (!types.empty() && std::all_of(types.begin(), types.end(), is_json_type))
        return FieldContent::json;
    constexpr unsigned nested = value_bits::array | value_bits::object;
    constexpr unsigned plain = value_bits::any & ~(nested | value_bits::null);
    bool const is_any = kinds.accepted == value_bits::any;
    if (place.kinds.may_be_nested) {
        if (types.empty() && (kinds.accepted & plain) == 0) return FieldContent::json;
        field_error(place,
                    types.empty()
                        ? "parts that may be plain values, lists or objects are not implemented"
                        : "lists and objects are not read from parts that may be of other media "
                          "types than JSON",
                    "write contentType: application/json");
        return FieldContent::text;
    }
    if (std::any_of(types.begin(), types.end(), is_json_type) && !(is_any && kinds.named == 0)) {
        field_error(place, "parts that may be JSON or of another media type are not implemented",
                    "write one of them, or a schema without rules");
        return FieldContent::text;
    }
    bool const is_binary_part =
        std::any_of(place.schemas.begin(), place.schemas.end(),
                    [this](Target const& one) { return is_binary(*documents_, one); });
    bool const are_texts = !types.empty()
                           && std::all_of(types.begin(), types.end(), [](std::string_view type) {
                                  return type.starts_with("text/");
                              });
    // A schema without a type is of bytes, and one for any value may be.
    bool const may_be_bytes = is_any && (!types.empty() || !kinds.admits_text);
    return is_binary_part || (may_be_bytes && !are_texts) ? FieldContent::bytes
                                                          : FieldContent::text;
}

} // namespace sallyport::contract
