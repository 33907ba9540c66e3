// The memory of a validator: simdjson's parser and all scratch; for validator.cpp and
// parameters.cpp only.
#pragma once

#include "gateway/contract/evaluate/evaluate.h"
#include "gateway/contract/evaluate/facts.h"
#include "gateway/contract/text/json_text.h"
#include "gateway/contract/validator.h"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

// simdjson counts bytes with 32 bits, those of strings that it copies too; no configuration gets
// near.
inline constexpr std::size_t largest_body = 0x7FFF'FF00;

struct Validator::State {
    explicit State(ValidatorLimits limits_) : limits{limits_} {}

    // Clears the report and parses; false: the report says why the body is malformed.
    bool begin(std::string_view body, Guide guide);
    Fault parse(std::string_view body, Guide guide);
    Fault parse_rare(std::string_view body);
    Fault look_closer(std::string_view body, Guide guide);
    simdjson::error_code parse_by_simdjson(std::string_view text);
    void make_room(std::size_t size);
    void give_back(); // the memory that only a large body wanted

    // parameters.cpp. False: the parameter is refused, and parameter_report says why.
    struct Question {
        Conditions const& conditions;
        LevelTable const& levels;
    };
    void lay_parameter(Parameter const& parameter, std::string_view text);
    bool check_parameter(Parameter const& parameter, std::string_view raw,
                         Question const& question);
    bool check_whole(Parameter const& parameter, std::string_view raw, Question const& question);
    bool check_json_parameter(Parameter const& parameter, std::string_view raw,
                              Question const& question);
    bool check_composite(Parameter const& parameter, Question const& question);
    bool judge_parameter(Parameter const& parameter, std::size_t size, Question const& question);
    // query.cpp
    bool check_pair(std::vector<Parameter> const& declared, std::string_view pair,
                    Question const& question);
    bool check_gathered(std::vector<Parameter> const& declared, Question const& question);

    ValidatorLimits limits;
    simdjson::dom::parser parser;
    Tape tape;
    Facts facts;
    NumberTexts texts;
    bool has_large_numbers = false;
    std::string stand_in; // the body with its large numbers replaced
    Evaluator evaluator;
    Report report;

    OwnPatterns patterns; // of parameters that need no evaluator
    // Parameters: a tape of one value.
    std::string decoded;
    std::string parameter_strings;
    std::vector<std::uint64_t> parameter_words;
    std::string composite; // a list or an object as JSON, with its padding
    std::vector<bool> is_given;
    std::vector<std::string> gathered; // of each query parameter that is a list or an object
    Report parameter_scratch;
    ParameterReport parameter_report;
};

} // namespace sallyport::contract
