// Checks parameters: one percent-decoding, then the same rules as for bodies, over a tape of one
// value.
#include "gateway/contract/validator.h"

#include "gateway/contract/evaluate/validator_state.h"
#include "gateway/contract/text/decimal.h"
#include "gateway/contract/text/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace sallyport::contract {

namespace {

enum class Plus : std::uint8_t { is_plus, is_space };

[[nodiscard]] int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// RFC 3986, 2.1, once. False: bad escapes, or no UTF-8, or a control character, which no parameter
// has a need of.
[[nodiscard]] bool decode(std::string_view raw, Plus plus, std::string& out) {
    out.clear();
    for (std::size_t at = 0; at < raw.size(); ++at) {
        char c = raw[at];
        if (c == '+' && plus == Plus::is_space) c = ' ';
        if (c == '%') {
            if (at + 2 >= raw.size()) return false;
            int const high = hex_value(raw[at + 1]);
            int const low = hex_value(raw[at + 2]);
            if (high < 0 || low < 0) return false;
            c = static_cast<char>(high * 16 + low);
            at += 2;
        }
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
        out += c;
    }
    for (std::string_view rest = out; !rest.empty();) {
        std::size_t const length = utf8_length(rest);
        if (length == 0) return false;
        rest.remove_prefix(length);
    }
    return true;
}

// What decoding would change or refuse: all but printable ASCII, and escapes.
constexpr auto special_bytes = [] {
    std::array<std::uint8_t, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = i < 0x20 || i >= 0x7F ? 1 : 0;
    table['%'] = 1;
    table['+'] = 1; // a space in queries
    return table;
}();

[[nodiscard]] bool is_plain(std::string_view raw) noexcept {
    unsigned special = 0;
    for (char const c : raw)
        special |= special_bytes[static_cast<unsigned char>(c)];
    return special == 0;
}

[[nodiscard]] Violation violation_of(Parameter const& parameter, std::string_view rule,
                                     std::string_view phrase) {
    Violation violation;
    violation.rule = rule;
    violation.message = parameter.name;
    violation.message += ' ';
    violation.message += phrase;
    return violation;
}

void refuse(ParameterReport& report, Parameter const& parameter, Violation violation) {
    report.outcome = Outcome::violated;
    report.name = parameter.name;
    report.violation = std::move(violation);
}

void clear(ParameterReport& report) {
    if (report.outcome != Outcome::valid) report.violation = {};
    report.outcome = Outcome::valid;
    report.name = {};
    report.reported.clear();
}

} // namespace

// Puts `text` on the tape as the kind of value that the parameter's schema takes.
void Validator::State::lay_parameter(Parameter const& parameter, std::string_view text) {
    has_large_numbers = false;
    auto const is_word = text == "true" || text == "false";
    TapeKind kind = TapeKind::string;
    std::int64_t number = 0;
    if (!parameter.takes_string && is_number(text)) {
        kind = TapeKind::signed_integer;
        auto const result = std::from_chars(text.data(), text.data() + text.size(), number);
        has_large_numbers = result.ec != std::errc{} || result.ptr != text.data() + text.size();
    } else if (!parameter.takes_string && is_word) {
        kind = text == "true" ? TapeKind::true_value : TapeKind::false_value;
    } else {
        auto const length = static_cast<std::uint32_t>(text.size());
        parameter_strings.resize(sizeof length);
        std::memcpy(parameter_strings.data(), &length, sizeof length);
        parameter_strings += text;
    }
    parameter_words.assign({0, tape_word(kind, 0)});
    if (kind == TapeKind::signed_integer) {
        parameter_words.push_back(static_cast<std::uint64_t>(number));
    }
    parameter_words.push_back(tape_word(TapeKind::root, 0));
    parameter_words[0] = tape_word(TapeKind::root, parameter_words.size());
    tape = {parameter_words.data(),
            reinterpret_cast<std::uint8_t const*>(parameter_strings.data())};
    texts.reset(text);
}

// False: the parameter is refused, and parameter_report says why.
bool Validator::State::check_parameter(Parameter const& parameter, std::string_view raw,
                                       ParameterPlace place, Conditions const& conditions,
                                       LevelTable const& levels) {
    Plus const plus = place == ParameterPlace::query ? Plus::is_space : Plus::is_plus;
    std::string_view text = raw;
    if (!is_plain(raw)) {
        if (!decode(raw, plus, decoded)) {
            refuse(parameter_report, parameter,
                   violation_of(parameter, "encoding", "must be percent-encoded UTF-8 text"));
            return false;
        }
        text = decoded;
    }
    if (!parameter.schema || !levels.asks(parameter.schema->index)) return true;
    lay_parameter(parameter, text);
    Program const& program = *parameter.schema->program;
    Subject const subject{tape, &names, &texts, text.size(), has_large_numbers, parameter.name};
    Report& found = parameter_scratch;
    found.outcome = Outcome::valid;
    found.violations.clear();
    found.reported.clear();
    bool const is_done = evaluator.run(program, program.schemas[parameter.schema->index].root,
                                       subject, conditions, levels, found);
    for (auto& one : found.reported)
        parameter_report.reported.push_back(std::move(one));
    if (!is_done) {
        refuse(parameter_report, parameter,
               violation_of(parameter, "complexity", "would take too long to check"));
        return false;
    }
    if (found.outcome == Outcome::valid) return true;
    refuse(parameter_report, parameter, std::move(found.violations.front()));
    return false;
}

ParameterReport const& Validator::check_path(Operation const& operation, RouteMatch const& match,
                                             Conditions const& conditions,
                                             LevelTable const& levels) {
    State& state = *state_;
    clear(state.parameter_report);
    for (std::size_t i = 0; i < operation.path_parameters.size(); ++i) {
        if (!state.check_parameter(operation.path_parameters[i], match.parameters[i],
                                   ParameterPlace::path, conditions, levels)) {
            break;
        }
    }
    return state.parameter_report;
}

ParameterReport const& Validator::check_query(Operation const& operation, std::string_view query,
                                              Conditions const& conditions,
                                              LevelTable const& levels) {
    State& state = *state_;
    clear(state.parameter_report);
    auto const& declared = operation.query_parameters;
    if (declared.empty()) return state.parameter_report;
    state.is_given.assign(declared.size(), false);
    while (!query.empty()) {
        std::size_t const end = std::min(query.find('&'), query.size());
        std::string_view const pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        std::size_t const equals = std::min(pair.find('='), pair.size());
        // A name may be escaped too: an upstream that decodes it must not see one that we did not.
        if (!decode(pair.substr(0, equals), Plus::is_space, state.decoded)) continue;
        std::size_t at = 0;
        while (at < declared.size() && declared[at].name != state.decoded)
            ++at;
        if (at == declared.size()) continue;
        if (state.is_given[at]) {
            refuse(state.parameter_report, declared[at],
                   violation_of(declared[at], "duplicate", "must be given once"));
            return state.parameter_report;
        }
        state.is_given[at] = true;
        auto const value = pair.substr(std::min(equals + 1, pair.size()));
        if (!state.check_parameter(declared[at], value, ParameterPlace::query, conditions,
                                   levels)) {
            return state.parameter_report;
        }
    }
    for (std::size_t at = 0; at < declared.size(); ++at) {
        if (!declared[at].required || state.is_given[at]) continue;
        refuse(state.parameter_report, declared[at],
               violation_of(declared[at], "required", "is required"));
        break;
    }
    return state.parameter_report;
}

} // namespace sallyport::contract
