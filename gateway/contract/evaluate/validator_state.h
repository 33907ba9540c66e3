// The memory of a validator: simdjson's parser and all scratch memory; for the files
// of the validator only.
#pragma once

#include "gateway/contract/evaluate/deep_value.h"
#include "gateway/contract/evaluate/evaluate.h"
#include "gateway/contract/evaluate/facts.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/query_owner.h"
#include "gateway/contract/forms/form_body.h"
#include "gateway/contract/forms/multipart.h"
#include "gateway/contract/forms/urlencoded.h"
#include "gateway/contract/text/json_text.h"
#include "gateway/contract/validator.h"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::contract {

/// simdjson counts bytes with 32 bits, including those of copied strings; no configuration comes
/// near this.
inline constexpr std::size_t largest_body = 0x7FFF'FF00;

/// A list or an object of a parameter, converted to JSON.
struct Composite {
    std::string json;
    /// The same with strings instead of all literals that may be strings; empty: there are none.
    std::string as_text;
    std::size_t count = 0; // number of its items
    std::string_view raw;  // of Parameter::readings: its last item as it was sent
    DeepValue deep;        // what Parameter::deep describes, until it is complete

    void append(std::string_view text); // to both texts
    void append(Composite const& value);
    void clear() noexcept {
        json.clear();
        as_text.clear();
        count = 0;
        deep.clear();
    }
};

/// A field of a form, as it was sent, converted to JSON.
struct FormValue {
    Parameter const* parameter = nullptr;
    FormField const* field = nullptr;
    std::string name; // decoded; of a declared field empty
    std::string_view raw_name;
    bool is_given = false;
    bool is_free = false; // no schema describes it
    std::size_t times = 0; // of FormField::is_several: how often it was sent,
    std::string text;      // and its last text
    Composite json;
};

/// The kind of a text as it is read; a number: signed_integer.
[[nodiscard]] TapeKind kind_of_text(std::string_view text, Reading const& reading) noexcept;

/// Whether no rule is broken, at any level.
[[nodiscard]] inline bool is_clean(Report const& report) noexcept {
    return report.outcome == Outcome::valid && report.reported.empty();
}

struct Validator::State {
    explicit State(ValidatorLimits limits_) : limits{limits_} {}

    /// Clears the report and parses; false: the report has the reason why the body is malformed.
    bool begin(std::string_view body, Guide guide);
    Fault parse(std::string_view body, Guide guide);
    Fault parse_rare(std::string_view body);
    void make_room(std::size_t size);
    void give_back(); // memory that only a large body needed

    // parameters.cpp. False: the parameter is refused, and parameter_report has the violation.
    struct CheckContext {
        Conditions const& conditions;
        LevelTable const& levels;
        Lists lists = Lists::both;
    };
    void lay_text(std::string_view text, TapeKind kind);
    bool check_parameter(Parameter const& parameter, std::string_view raw,
                         CheckContext const& context);
    bool check_whole(Parameter const& parameter, std::string_view raw, CheckContext const& context);
    bool check_separated(Parameter const& parameter, std::string_view raw,
                         CheckContext const& context);
    bool check_pieces(Parameter const& parameter, std::string_view raw,
                      CheckContext const& context);
    void check_other_readings(Operation const& operation, RouteMatch match,
                              CheckContext const& context);
    bool check_json_parameter(Parameter const& parameter, std::string_view raw,
                              CheckContext const& context);
    bool check_composite(Parameter const& parameter, Composite& composite,
                         CheckContext const& context);
    // path_styles.cpp
    // readings.cpp
    [[nodiscard]] bool choose_reading(FormValue& value, CheckContext const& context);
    [[nodiscard]] bool holds_as_json(FormValue const& value, std::string const& json,
                                     CheckContext const& context);
    bool check_readings(Parameter const& parameter, std::string_view raw,
                        CheckContext const& context);
    bool check_reading(Parameter const& reading, std::string_view raw, CheckContext const& context);
    bool check_in_path_style(Parameter const& parameter, std::string_view raw,
                             CheckContext const& context);
    TextFault append_exploded(Composite& out, Parameter const& parameter, std::string_view pieces,
                              CheckContext const& context);
    bool check_schema(Parameter const& parameter, NodeIndex node, std::size_t size,
                      CheckContext const& context);
    bool check_whole_schema(Parameter const& parameter, std::size_t size,
                            CheckContext const& context);
    bool choose(Parameter const& parameter, bool is_literal_done, Report const& as_literal,
                bool is_text_done);
    bool settle(Parameter const& parameter, bool is_done, Report const& found);
    Fault parse_parameter(std::string& json);
    bool refuse_text(Parameter const& parameter, TextFault fault);
    // composite.cpp: each appends to `out`, which is empty at first; `raw` is still encoded.
    bool holds_as_literal(Parameter const& parameter, Part const& part, std::string_view text,
                          TapeKind kind, CheckContext const& context);
    void append_part(Composite& out, Parameter const& parameter, Part const& part,
                     std::string_view text, CheckContext const& context);
    TextFault append_item(Composite& out, Parameter const& parameter, std::string_view raw,
                          CheckContext const& context);
    TextFault append_items(Composite& out, Parameter const& parameter, std::string_view raw,
                           CheckContext const& context);
    Part const& part_of(Parameter const& parameter, std::string_view name);
    TextFault append_member(Composite& out, Parameter const& parameter, std::string_view name,
                            std::string_view raw, CheckContext const& context);
    TextFault append_members(Composite& out, Parameter const& parameter, std::string_view raw,
                             CheckContext const& context);
    void append_item_text(Composite& out, Parameter const& parameter, std::string_view text,
                          CheckContext const& context);
    void append_member_text(Composite& out, Parameter const& parameter, std::string_view name,
                            std::string_view text, CheckContext const& context);
    // composite_deep.cpp
    [[nodiscard]] DeepFault add_deep(Composite& out, Parameter const& parameter,
                                     std::string_view path, std::string_view text, Lists lists);
    void append_deep(Composite& out, Parameter const& parameter, std::uint32_t node,
                     CheckContext const& context);
    [[nodiscard]] bool take_deep_pair(Parameter const& parameter, QueryOwner const& owner,
                                      std::string_view raw, Lists lists);
    [[nodiscard]] Malformed take_deep_field(FormValue& value, FormPair const& pair,
                                            std::string_view path, Lists lists);
    // cookies.cpp
    void check_cookie(Operation const& operation, std::string_view piece,
                      CheckContext const& context);
    bool check_cookie_value(Parameter const& parameter, std::size_t at, std::string_view raw,
                            CheckContext const& context);
    // query.cpp
    void check_pair(Operation const& operation, std::string_view pair, CheckContext const& context);
    bool check_owned(Parameter const& parameter, QueryOwner const& owner, std::string_view raw,
                     CheckContext const& context);
    void check_stray(std::vector<Parameter> const& declared, CheckContext const& context);
    void check_gathered(std::vector<Parameter> const& declared, CheckContext const& context);
    void check_gathered(Parameter const& parameter, std::size_t at, CheckContext const& context);

    // form.cpp, multipart_body.cpp, parts_body.cpp. The result: why the body is refused, and where.
    void check_text(MediaType const& type, std::string_view body, CheckContext const& context);
    void begin_form(FormBody const& form);
    [[nodiscard]] Fault read_pairs(FormBody const& form, std::string_view body,
                                   CheckContext const& context);
    [[nodiscard]] Malformed take_pair(FormBody const& form, FormPair const& pair,
                                      CheckContext const& context);
    [[nodiscard]] FormValue& value_of(FormBody const& form, std::string_view name,
                                      std::optional<QueryOwner> const& owner);
    [[nodiscard]] Malformed take_charset(std::string_view name, std::string_view value);
    [[nodiscard]] Malformed append_value(FormValue& value, std::string_view text,
                                         CheckContext const& context);
    [[nodiscard]] Malformed append_separated(FormValue& value, std::string_view text,
                                             CheckContext const& context);
    [[nodiscard]] Malformed append_json(Composite& out, std::string_view text) const;
    [[nodiscard]] Fault read_fields(MediaType const& type, SentBody const& body,
                                    CheckContext const& context);
    [[nodiscard]] Fault read_parts(FormBody const& form, SentBody const& body, PartNames names,
                                   CheckContext const& context);
    [[nodiscard]] Malformed take_part(FormBody const& form, MultipartPart const& part,
                                      CheckContext const& context);
    [[nodiscard]] Malformed append_part_body(FormValue& value, MultipartPart const& part,
                                             CheckContext const& context);
    void check_sizes(FormValue const& value, std::size_t size, std::string const& pointer,
                     CheckContext const& context);
    void check_part_type(FormValue const& value, MultipartPart const& part,
                         std::string const& pointer, CheckContext const& context);
    void check_part_headers(FormValue const& value, MultipartPart const& part,
                            std::string const& pointer, CheckContext const& context);
    void break_part_rule(Program const& program, std::uint32_t rule, std::string const& pointer,
                         CheckContext const& context);
    void join_form(FormBody const& form, CheckContext const& context);
    [[nodiscard]] Malformed take_position(FormBody const& form, MultipartPart const& part,
                                          CheckContext const& context);
    void join_parts();
    void check_items(Validator& validator, BodySchema schema, CheckContext const& context);
    void check_made(Validator& validator, BodySchema schema, Composite& value,
                    CheckContext const& context);
    void refuse_body(Malformed reason, std::optional<std::size_t> offset);
    void add_part_violations();
    void give_back_form(std::size_t size);

    ValidatorLimits limits;
    simdjson::dom::parser parser;
    Tape tape;
    Facts facts;
    NumberTexts texts;
    bool has_large_numbers = false;
    std::string stand_in; // the body with its large numbers replaced
    Evaluator evaluator;
    Report report;

    OwnPatterns patterns; // for parameters that are checked without the evaluator
    /// For parameters: a tape of one value.
    std::string decoded;
    std::string parameter_strings;
    std::vector<std::uint64_t> parameter_words;
    std::string parameter_json; // with padding
    std::string scratch_text;
    std::string pair_name;
    std::vector<bool> is_given;
    std::vector<bool> is_refused;    // such a list or object is not checked as a whole
    Composite whole;                 // of one that is in one place
    std::vector<Composite> gathered; // for each query parameter that is a list or an object
    Report parameter_scratch;
    ParameterReport parameter_report;
    /// For forms and multipart bodies.
    std::vector<FormValue> form_values; // the declared fields, then others; or the parts
    std::unordered_map<std::string, std::size_t> form_others; // the latter by name
    bool form_is_ascii = false; // says that its texts are
    Composite form_json;
    std::string form_text;
    std::vector<Violation> part_violations; // of what is not in the schema
};

} // namespace sallyport::contract
