// Checks one body, or loads one document, a given number of times: for
// tests/bench/contract_instructions.
#include "gateway/contract/contract.h"
#include "gateway/contract/validator.h"
#include "tests/bench/contract_bodies.h"
#include "tests/bench/contract_shapes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

using namespace sallyport;
using contract::Outcome;

struct Case {
    std::string operation;
    std::string body;
    Outcome expected = Outcome::valid;
};

constexpr std::size_t megabyte = std::size_t{1} << 20U;

// `members/1000`: the shape, and its size.
[[nodiscard]] Case make_case(std::string_view name) {
    auto const slash = name.find('/');
    std::string_view const kind = name.substr(0, slash);
    std::size_t const size =
        slash == std::string_view::npos ? 0 : std::stoul(std::string{name.substr(slash + 1)});
    auto const sample = kind == "settings" ? bench::settings_sample() : bench::create_sample();
    if (kind == "settings" || kind == "create") return {sample.operation, sample.body};
    if (kind == "members") return {"createService", bench::object_of(size)};
    if (kind == "text") return {"createService", bench::text_of(size)};
    if (kind == "brackets") {
        return {"createService", std::string(megabyte, '['), Outcome::malformed};
    }
    if (kind == "digits") {
        return {"createService", R"({"numReplicas":)" + std::string(megabyte, '7') + '}',
                Outcome::violated};
    }
    if (kind == "twin") {
        std::string body = bench::object_of(50'000);
        body.back() = ',';
        return {"createService", body + R"("member_7":0})", Outcome::malformed};
    }
    std::fprintf(stderr, "no such case: %s\n", std::string{name}.c_str());
    std::exit(2);
}

[[nodiscard]] bool load(std::string const& path, int count) {
    for (int i = 0; i < count; ++i) {
        if (!contract::Contract::load_file(path).contract) return false;
    }
    return true;
}

[[nodiscard]] bool check(Case const& one, int count) {
    auto const loaded =
        contract::Contract::load_file(SALLYPORT_SOURCE_FOLDER "/config/contracts/management.yaml");
    if (!loaded.contract) return false;
    auto const* const operation = loaded.contract->find_operation(one.operation);
    auto const schema = *operation->request_body->media_types.front().schema;
    std::string const text = one.body + std::string(contract::body_padding, '\0');
    std::string_view const body = std::string_view{text}.substr(0, one.body.size());
    auto const levels = contract::LevelTable::compile(*loaded.contract, {}, {}).table;
    contract::Validator validator;
    for (int i = 0; i < count; ++i) {
        if (validator.validate(schema, body, {}, levels).outcome != one.expected) return false;
    }
    return true;
}

[[nodiscard]] double processor_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The minimum of several runs: the time without other load of the machine.
template <class Run>
[[nodiscard]] double least_time(Run const& run, int count) {
    double least = 1e9;
    for (int i = 0; i < count; ++i) {
        double const begin = processor_seconds();
        run();
        least = std::min(least, processor_seconds() - begin);
    }
    return least;
}

[[nodiscard]] std::string read(char const* path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) std::fprintf(stderr, "cannot be read: %s\n", path);
    return {std::istreambuf_iterator<char>{file}, {}};
}

// A line for each text: its file, the milliseconds of its parse and of its check, their ratio, and
// whether it was given up. Expensive texts are measured once more.
[[nodiscard]] bool measure_costs(char const* schema, char const* schemas, char** texts, int count) {
    auto const loaded =
        contract::Contract::load_schema(read(schema), schema, contract::Formats::annotate,
                                        {{schemas}});
    if (!loaded.contract) return false;
    contract::Validator validator;
    for (int i = 0; i < count; ++i) {
        std::string text = read(texts[i]);
        auto const size = text.size();
        text.append(contract::body_padding, '\0');
        std::string_view const body{text.data(), size};
        bool is_given_up = false;
        auto const parse = [&] { (void)validator.check_json(body); };
        auto const check = [&] {
            auto const& report = validator.validate(*loaded.contract->schema(), body, {}, {});
            is_given_up = report.outcome == Outcome::malformed;
        };
        double parsed = least_time(parse, 2);
        double checked = least_time(check, 2);
        constexpr double dear = 10;
        for (int more = 0; more < 5 && checked > dear * parsed; ++more) {
            parsed = std::min(parsed, least_time(parse, 3));
            checked = std::min(checked, least_time(check, 3));
        }
        std::printf("%s %.3f %.3f %.2f %s\n", texts[i], 1e3 * parsed, 1e3 * checked,
                    checked / parsed, is_given_up ? "given-up" : "judged");
    }
    return true;
}

} // namespace

// Checks a text of maximal cost, or only parses it.
[[nodiscard]] bool check_shape(std::string_view how, std::string_view name, int count) {
    auto const shape = bench::make_shape(name);
    auto const loaded = contract::Contract::load_schema(shape.schema, "schema.yaml");
    if (!loaded.contract) return false;
    std::string const text = shape.text + std::string(contract::body_padding, '\0');
    std::string_view const body = std::string_view{text}.substr(0, shape.text.size());
    contract::Validator validator;
    for (int i = 0; i < count; ++i) {
        auto const& report = how == "parse"
                                 ? validator.check_json(body)
                                 : validator.validate(*loaded.contract->schema(), body, {}, {});
        bool const is_json = report.outcome != Outcome::malformed
                             || report.malformed == contract::Malformed::too_complex;
        if (!is_json) return false;
    }
    return true;
}

// contract_once CASE COUNT, contract_once load FILE COUNT, contract_once parse|check SHAPE COUNT,
// contract_once shapes, or contract_once cost SCHEMA FOLDER TEXT...
int main(int argc, char** argv) {
    bool is_good = false;
    if (argc == 2 && std::string_view{argv[1]} == "shapes") {
        for (auto const& name : bench::shape_names())
            std::puts(name.c_str());
        is_good = true;
    } else if (argc > 4 && std::string_view{argv[1]} == "cost") {
        is_good = measure_costs(argv[2], argv[3], argv + 4, argc - 4);
    } else if (argc == 4 && std::string_view{argv[1]} != "load") {
        is_good = check_shape(argv[1], argv[2], std::atoi(argv[3]));
    } else if (argc == 4) {
        is_good = load(argv[2], std::atoi(argv[3]));
    } else if (argc == 3) {
        is_good = check(make_case(argv[1]), std::atoi(argv[2]));
    }
    if (!is_good) std::fputs("another outcome than expected\n", stderr);
    return is_good ? 0 : 1;
}
