// The verdict on single fields, and that of the static table's.
#include "gateway/http2/field_rules.h"

#include "gateway/http2/static_table.h"
#include "tests/unit/http2/blocks.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace field_rules_test {

using namespace header_blocks;
using http2::HpackError;
using http2::JudgedField;
using http2::PseudoField;

namespace {

struct Row {
    std::string name;
    std::string value;
    std::string rule;
};

// A line as judge_line() reads it.
struct Line {
    std::string text;
    JudgedField field;

    Line(std::string const& name, std::string const& value)
        : text{name + ": " + value + "\r\n" + std::string(16, '?')} {
        http2::judge_line(text.data(), name.size(), value.size(), field);
    }
    std::string rule() const {
        return std::string{field.refused == nullptr ? "" : field.refused->rule};
    }
};

} // namespace

TEST_CASE("names are tokens without capitals") {
    for (auto const& [name, value, rule] : std::vector<Row>{
             {"", "v", "empty_field_name"},
             {"A", "v", "capital_in_field_name"},
             {"accepT", "v", "capital_in_field_name"},
             {"accept-encodinG-of-a-long-name", "v", "capital_in_field_name"},
             {"Host", "v", "capital_in_field_name"},
             {"a b", "v", "field_name_not_token"},
             {" a", "v", "field_name_not_token"},
             {"a ", "v", "field_name_not_token"},
             {"a:", "v", "field_name_not_token"},
             {"a:b", "v", "field_name_not_token"},
             {"a(b", "v", "field_name_not_token"},
             {"name-of-more-than-16-bytes(", "v", "field_name_not_token"},
             {"\xC3\xA4", "v", "field_name_not_token"},
             {std::string{"a\0b", 3}, "v", "control_character"},
             {"a\nb", "v", "control_character"},
             {"a\r\nb", "v", "bare_carriage_return"},
             {"a\x7F", "v", "control_character"},
             {"x_request_id", "v", "shadowing_field_name"},
             {"x_forwarded-for", "v", "shadowing_field_name"},
             {"x_other", "v", ""},
             {"~!#$%&'*+.^_`|", "v", ""},
             {"a", "v", ""},
             {"name-of-16-bytes", "v", ""},
             {"name-of-17-bytes1", "v", ""},
             {std::string(300, 'n'), "v", ""},
         }) {
        INFO(name);
        CHECK(Line(name, value).rule() == rule);
    }
}

TEST_CASE("values have no control characters, and no white space around them") {
    for (auto const& [name, value, rule] : std::vector<Row>{
             {"n", "a\r\nx: y", "bare_carriage_return"},
             {"n", "a\rb", "bare_carriage_return"},
             {"n", "\r", "bare_carriage_return"},
             {"n", "a\nb", "control_character"},
             {"n", std::string{"a\0", 2}, "control_character"},
             {"n", "a\x01", "control_character"},
             {"n", "a\x7F", "control_character"},
             {"n", std::string(40, 'v') + "\n", "control_character"},
             {"n", " a", "white_space_around_value"},
             {"n", "a ", "white_space_around_value"},
             {"n", "\ta", "white_space_around_value"},
             {"n", "a\t", "white_space_around_value"},
             {"n", " ", "white_space_around_value"},
             {"n", "", ""},
             {"n", "a\tb c", ""},
             {"n", "\xC3\xA4", ""},
             {"n", std::string(300, 'v'), ""},
         }) {
        INFO(value);
        CHECK(Line(name, value).rule() == rule);
        // The same behind a name that is known.
        Line known{name, ""};
        known.text = name + ": " + value + "\r\n" + std::string(16, '?');
        http2::judge_value(known.text.data(), value.size(), known.field);
        CHECK(known.rule() == rule);
        CHECK(known.field.record.value_size == value.size());
    }
}

TEST_CASE("fields of one connection of HTTP/1 are refused") {
    for (auto const* const name :
         {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}) {
        INFO(name);
        CHECK(Line(name, "x").rule() == "connection_specific_field");
        CHECK(Line(name, "").rule() == "connection_specific_field");
    }
    CHECK(Line("te", "trailers").rule().empty());
    CHECK(Line("te", "Trailers").rule().empty());
    CHECK(Line("te", "gzip").rule() == "te_not_trailers");
    CHECK(Line("te", "trailers, gzip").rule() == "te_not_trailers");
    CHECK(Line("te", "").rule() == "te_not_trailers");
    CHECK(Line("trailer", "x").rule().empty());
    CHECK(Line("http2-settings", "x").rule().empty());
}

TEST_CASE("names that begin with a colon are pseudo fields") {
    CHECK(Line(":method", "GET").field.record.pseudo == PseudoField::method);
    CHECK(Line(":scheme", "https").field.record.pseudo == PseudoField::scheme);
    CHECK(Line(":authority", "a").field.record.pseudo == PseudoField::authority);
    CHECK(Line(":path", "/").field.record.pseudo == PseudoField::path);
    CHECK(Line(":protocol", "websocket").field.record.pseudo == PseudoField::protocol);
    for (auto const* const name : {":status", ":protocols", ":pathx", ":pat", ":x"})
        CHECK(Line(name, "v").field.record.pseudo == PseudoField::unknown);
    CHECK(Line("path", "v").field.record.pseudo == PseudoField::none);
    CHECK(Line(":", "v").rule() == "empty_field_name");
    CHECK(Line(":Path", "v").rule() == "capital_in_field_name");
    CHECK(Line("::path", "v").rule() == "field_name_not_token");
    CHECK(Line(":path", "/\r\n").rule() == "bare_carriage_return");
    CHECK(Line(":path", "/ ").rule() == "white_space_around_value");
    CHECK(Line(":host", "v").field.record.id == http::FieldId::unknown);
}

TEST_CASE("the static table has the verdicts that its lines get") {
    for (std::size_t index = 1; index <= http2::static_table_size; ++index) {
        INFO(index);
        auto const& row = http2::static_field(index);
        std::string const line{row.line, row.field.record.line_size()};
        std::string const name = line.substr(0, row.field.record.name_size);
        CHECK(line.substr(name.size(), 2) == ": ");
        CHECK(line.substr(line.size() - 2) == "\r\n");
        Line const judged{name, line.substr(name.size() + 2, row.field.record.value_size)};
        CHECK(judged.field.refused == row.field.refused);
        CHECK(judged.field.record.id == row.field.record.id);
        CHECK(judged.field.record.pseudo == row.field.record.pseudo);
        // The first of the rows with a name is found by it.
        auto const found = http2::static_index_of(name);
        REQUIRE(found != 0);
        CHECK(found <= index);
        std::string const other{http2::static_field(found).line,
                                http2::static_field(found).field.record.name_size};
        CHECK(other == name);
    }
    CHECK(http2::static_index_of("") == 0);
    CHECK(http2::static_index_of("x") == 0);
    CHECK(http2::static_index_of("accept-charsets") == 0);
    CHECK(http2::static_index_of("Accept") == 0);
}

} // namespace field_rules_test
