// The reasons why a text is malformed, in words.
#include "gateway/contract/report.h"

namespace sallyport::contract {

void add_not_kept(std::vector<NotKept>& all, NotKept const& more) {
    for (NotKept& one : all) {
        if (one.rule != more.rule || one.level != more.level || one.in != more.in) continue;
        one.count += more.count;
        return;
    }
    all.push_back(more);
}

void count_not_kept(std::vector<NotKept>& all, std::string_view rule, Level level) {
    add_not_kept(all, {rule, level, 1});
}

std::string_view name_of(Malformed reason) noexcept {
    switch (reason) {
    case Malformed::none: return "none";
    case Malformed::empty: return "empty";
    case Malformed::not_json: return "not_json";
    case Malformed::invalid_utf8: return "invalid_utf8";
    case Malformed::byte_order_mark: return "byte_order_mark";
    case Malformed::trailing_bytes: return "trailing_bytes";
    case Malformed::too_deep: return "too_deep";
    case Malformed::duplicate_member: return "duplicate_member";
    case Malformed::number: return "number";
    case Malformed::lone_surrogate: return "lone_surrogate";
    case Malformed::field_coding: return "field_coding";
    case Malformed::nul: return "nul";
    case Malformed::duplicate_field: return "duplicate_field";
    case Malformed::field_spellings: return "field_spellings";
    case Malformed::disguised_field: return "disguised_field";
    case Malformed::too_many_fields: return "too_many_fields";
    case Malformed::field_style: return "field_style";
    case Malformed::field_json: return "field_json";
    case Malformed::boundary: return "boundary";
    case Malformed::no_last_boundary: return "no_last_boundary";
    case Malformed::bytes_outside_parts: return "bytes_outside_parts";
    case Malformed::part_head: return "part_head";
    case Malformed::part_head_too_large: return "part_head_too_large";
    case Malformed::part_disposition: return "part_disposition";
    case Malformed::nested_multipart: return "nested_multipart";
    case Malformed::transfer_encoding: return "transfer_encoding";
    case Malformed::part_field: return "part_field";
    case Malformed::charset: return "charset";
    case Malformed::not_ascii: return "not_ascii";
    case Malformed::empty_item: return "empty_item";
    case Malformed::no_record_separator: return "no_record_separator";
    case Malformed::unfinished_record: return "unfinished_record";
    case Malformed::bare_cr: return "bare_cr";
    case Malformed::too_complex: break;
    }
    return "too_complex";
}

std::string_view describe(Malformed reason) noexcept {
    switch (reason) {
    case Malformed::none: return "the body is JSON";
    case Malformed::empty: return "the body is empty";
    case Malformed::not_json: return "the body is not JSON";
    case Malformed::invalid_utf8: return "the body is not UTF-8";
    case Malformed::byte_order_mark: return "the body begins with a byte-order mark";
    case Malformed::trailing_bytes: return "something follows the JSON value";
    case Malformed::too_deep: return "the body is nested too deeply";
    case Malformed::duplicate_member: return "a property name occurs twice in one object";
    case Malformed::number: return "a number is not valid JSON";
    case Malformed::lone_surrogate: return "a string contains half of a surrogate pair";
    case Malformed::field_coding:
        return "the name or the value of a field is not percent-encoded UTF-8 text";
    case Malformed::nul: return "the name or the value of a field contains a NUL";
    case Malformed::duplicate_field: return "a field that is not a list occurs twice";
    case Malformed::field_spellings: return "the name of a field is encoded in two ways";
    case Malformed::disguised_field:
        return "some servers read the name of a field as that of another one";
    case Malformed::too_many_fields: return "it has more than 1000 fields";
    case Malformed::field_style:
        return "a field is not written in the style that the contract declares";
    case Malformed::field_json: return "a field that must be JSON is not";
    case Malformed::boundary: return "a boundary is missing or not on a line of its own";
    case Malformed::no_last_boundary: return "the last boundary is missing";
    case Malformed::bytes_outside_parts:
        return "there are bytes before the first or after the last boundary";
    case Malformed::part_head: return "the head of a part is malformed";
    case Malformed::part_head_too_large: return "the head of a part is too large";
    case Malformed::part_disposition: return "a part is not form-data with one name that all servers read";
    case Malformed::nested_multipart: return "a part consists of parts itself";
    case Malformed::transfer_encoding: return "a part has a Content-Transfer-Encoding";
    case Malformed::part_field:
        return "a part has a field that no part of a form has, or one with another length";
    case Malformed::charset: return "it names another charset than UTF-8";
    case Malformed::not_ascii: return "it is not US-ASCII, the charset that it names";
    case Malformed::empty_item: return "an item has no value";
    case Malformed::no_record_separator: return "a text does not begin with a record separator";
    case Malformed::unfinished_record: return "a text does not end with a line feed";
    case Malformed::bare_cr: return "a line of an event ends with a CR alone";
    case Malformed::too_complex: break;
    }
    return "validation would take too long";
}

} // namespace sallyport::contract
