// Checks bodies: parsing, what is always refused, then the rules.
#include "gateway/contract/validator.h"

#include "gateway/contract/evaluate/tape_walk.h"
#include "gateway/contract/evaluate/validator_state.h"

#include <algorithm>
#include <bit>
#include <new>

namespace sallyport::contract {

static_assert(body_padding >= read_beyond);

namespace {

constexpr std::size_t least_capacity = 4096;

void clear(Report& report) {
    report.outcome = Outcome::valid;
    report.malformed = Malformed::none;
    report.offset.reset();
    report.violations.clear();
    report.more_violations = false;
    report.reported.clear();
    report.more_reported = false;
    report.not_kept.clear();
    report.unknown_members = 0;
    report.deprecated_members.clear();
}

} // namespace

void Validator::State::make_room(std::size_t size) {
    if (parser.capacity() >= size) return;
    std::size_t const capacity = std::max(least_capacity, std::bit_ceil(size));
    // The walk has its own memory for open values: simdjson needs none.
    if (parser.allocate(capacity, 1) != simdjson::SUCCESS) throw std::bad_alloc{};
    if (parser.doc.allocate(capacity) != simdjson::SUCCESS) throw std::bad_alloc{};
}

Fault Validator::State::parse(std::string_view body, Guide guide) {
    has_large_numbers = false;
    if (body.empty()) return {Malformed::empty, 0};
    // RFC 8259, 8.1: a byte-order mark must not be added; parsers may ignore it, but the upstream's
    // need not.
    if (body.substr(0, 3) == "\xEF\xBB\xBF") return {Malformed::byte_order_mark, 0};
    if (body.size() > largest_body) return {Malformed::not_json, largest_body};
    make_room(body.size());
    texts.reset(body);
    tape = {parser.doc.tape.get(), parser.doc.string_buf.get(), body.data()};
    Laid const laid = lay_tape(parser, body, limits.depth, guide, facts);
    if (laid == Laid::done) return {};
    if (laid == Laid::has_twins) return {Malformed::duplicate_member, body.size()};
    return parse_rare(body);
}

// A text that was refused: finds the reason, or replaces numbers that simdjson cannot represent.
Fault Validator::State::parse_rare(std::string_view body) {
    Fault fault = find_fault(body, limits.depth);
    if (fault.reason == Malformed::none) fault = find_lone_surrogate(body);
    if (fault.reason != Malformed::none) return fault;
    has_large_numbers = true;
    if (replace_large_numbers(body, body_padding, stand_in) == 0) {
        // The two parsers disagree: the result of the upstream's parser is unknown.
        return {Malformed::not_json, body.size()};
    }
    // Its numbers are not those of the text: the first look must not check them.
    std::string_view const text = std::string_view{stand_in}.substr(0, body.size());
    Laid const laid = lay_tape(parser, text, limits.depth, {}, facts);
    if (laid == Laid::done) return {};
    return {laid == Laid::has_twins ? Malformed::duplicate_member : Malformed::not_json,
            body.size()};
}

void Validator::State::give_back() {
    if (parser.capacity() <= limits.kept_body) return;
    parser = simdjson::dom::parser{};
    facts = Facts{};
    texts = NumberTexts{};
    evaluator.give_back();
    stand_in = std::string{};
}

bool Validator::State::begin(std::string_view body, Guide guide) {
    clear(report);
    Fault const fault = parse(body, guide);
    if (fault.reason == Malformed::none) return true;
    report.outcome = Outcome::malformed;
    report.malformed = fault.reason;
    // An offset inside the body is useful, and so is its end if more was expected.
    if (fault.offset < body.size() || fault.reason == Malformed::not_json) {
        report.offset = std::min(fault.offset, body.size());
    }
    return false;
}

Validator::Validator(ValidatorLimits limits) : state_{std::make_unique<State>(limits)} {}
Validator::~Validator() = default;
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;

Report& Validator::validate(BodySchema schema, std::string_view body, Conditions const& conditions,
                            LevelTable const& levels, UndeclaredSearch* search) {
    State& state = *state_;
    Program const& program = *schema.program;
    NodeIndex const root = program.schemas[schema.index].root;
    bool const has_checks = levels.checks(schema.index) || search != nullptr;
    if (state.begin(body, {&program, root}) && has_checks) {
        Subject const subject{state.tape, &state.facts, &state.texts, body.size(),
                              state.has_large_numbers};
        state.report.unknown_members = state.facts.unknown_members();
        if (!state.evaluator.run(program, {schema.index, root}, subject, conditions, levels,
                                 state.report)) {
            clear(state.report);
            state.report.outcome = Outcome::malformed;
            state.report.malformed = Malformed::too_complex;
        } else if (search != nullptr) {
            state.evaluator.find_undeclared(*search);
        }
    }
    state.give_back();
    return state.report;
}

void Validator::State::refuse_body(Malformed reason, std::optional<std::size_t> offset) {
    clear(report);
    if (reason == Malformed::none) return;
    report.outcome = Outcome::malformed;
    report.malformed = reason;
    report.offset = offset;
}

std::uint64_t Validator::work() const noexcept {
    return state_->evaluator.work();
}

Report const& Validator::check_json(std::string_view body) {
    state_->begin(body, {});
    state_->give_back();
    return state_->report;
}

} // namespace sallyport::contract
