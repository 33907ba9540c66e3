// `sallyport validate`: see validate.h.
#include "gateway/commands/validate.h"

#include "config/json_value.h"
#include "config/text.h"
#include "gateway/contract/validator.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <system_error>

namespace sallyport::commands {

// Prints violations as in a refusal, and where in the contract each rule is.
class ViolationPrinter {
public:
    static std::string json(std::vector<contract::Violation> const& violations) {
        std::string out = "[";
        for_each(violations, [&out](contract::Violation const& violation,
                                    std::string const& message, std::string const& pointer) {
            if (out.size() > 1) out += ',';
            out += "{\"pointer\":" + json_string(pointer);
            out += ",\"rule\":" + json_string(violation.rule);
            out += ",\"expected\":" + (violation.expected.empty() ? "null" : violation.expected);
            out += ",\"rule_pointer\":" + json_string(violation.rule_pointer);
            out += ",\"source\":" + json_string_or_null(violation.source);
            out += ",\"file\":" + json_string_or_null(violation.file);
            out += ",\"line\":" + (violation.line > 0 ? std::to_string(violation.line) : "null");
            out += ",\"message\":" + json_string(message) + '}';
        });
        return out + ']';
    }

    static void print_text(std::ostream& out, std::vector<contract::Violation> const& violations) {
        for_each(violations, [&out](contract::Violation const& violation,
                                    std::string const& message, std::string const&) {
            out << "  " << config::printable(message) << "\n    rule "
                << config::printable(violation.rule_pointer);
            if (!violation.source.empty()) out << " (" << violation.source << ')';
            if (violation.line > 0) out << "\n    " << violation.file << ':' << violation.line;
            out << '\n';
        });
    }

    static bool has_more(contract::Report const& report) {
        return report.more_violations
               || std::any_of(report.violations.begin(), report.violations.end(),
                              [](auto const& one) { return one.undeclared_left != 0; });
    }

private:
    template <class Take>
    static void for_each(std::vector<contract::Violation> const& violations, Take const& take) {
        contract::ToItsSender const key;
        for (auto const& violation : violations) {
            for (std::size_t which = 0; which < contract::count_for_client(violation); ++which) {
                std::string message;
                std::string pointer;
                contract::append_message(message, violation, which, key);
                contract::append_pointer(pointer, violation, which, key);
                take(violation, message, pointer);
            }
        }
    }
};

namespace {

constexpr std::size_t longest_body = std::size_t{64} * 1024 * 1024;

struct Body {
    std::string name; // empty: standard input
    config::FileText content;
};

config::FileText read_stream(std::istream& in) {
    config::FileText out;
    std::string block(65536, '\0');
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
        out.text.append(block, 0, static_cast<std::size_t>(in.gcount()));
        if (out.text.size() > longest_body) {
            return {{}, "it is larger than " + std::to_string(longest_body) + " bytes"};
        }
    }
    return out;
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// A file as JSON; YAML, recognised by its name, is converted.
config::FileText read_instance(std::string const& path) {
    if (!ends_with(path, ".yaml") && !ends_with(path, ".yml")) {
        return config::read_file(path, longest_body);
    }
    auto const document = config::yaml::load_file(path);
    for (auto const& problem : document.problems()) {
        if (problem.severity == config::yaml::Severity::warning) continue;
        return {{}, "line " + std::to_string(problem.where.line) + ": " + problem.what};
    }
    return {config::print(config::json_of(document.root())), {}};
}

std::vector<Body> read_bodies(std::vector<std::string> const& instances, std::istream& in) {
    std::vector<Body> out;
    if (instances.empty()) out.push_back({{}, read_stream(in)});
    for (std::string const& name : instances) {
        out.push_back(name == "-" ? Body{{}, read_stream(in)} : Body{name, read_instance(name)});
    }
    return out;
}

// --- labels

contract::LabelValue typed(std::string const& text) {
    if (text == "true") return true;
    if (text == "false") return false;
    auto const end = text.data() + text.size();
    std::int64_t integer = 0;
    if (auto const r = std::from_chars(text.data(), end, integer);
        r.ec == std::errc{} && r.ptr == end) {
        return integer;
    }
    double number = 0;
    if (auto const r = std::from_chars(text.data(), end, number);
        r.ec == std::errc{} && r.ptr == end) {
        return number;
    }
    return text;
}

std::optional<contract::Labels> read_labels(std::vector<std::string> const& texts,
                                            contract::Contract const& contract, std::ostream& err) {
    contract::Labels out;
    std::vector<std::string_view> const known{contract.label_names().begin(),
                                              contract.label_names().end()};
    for (std::string const& text : texts) {
        std::size_t const equals = text.find('=');
        if (equals == 0 || equals == std::string::npos) {
            err << "--labels: " << config::in_quotes(text) << " is no label; write NAME=VALUE\n";
            return std::nullopt;
        }
        std::string name = text.substr(0, equals);
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            err << "warning: no rule of the contract asks for the label " << config::in_quotes(name)
                << "; " << config::suggestion(name, known) << '\n';
        }
        out.push_back({std::move(name), typed(text.substr(equals + 1))});
    }
    return out;
}

// --- the request

struct Subject {
    std::shared_ptr<contract::Contract const> contract;
    contract::Operation const* operation = nullptr; // null: a schema of its own
    std::optional<contract::BodySchema> schema;     // none: no rule applies
    contract::Conditions conditions;
};

std::optional<Subject> load_contract(ValidateOptions const& options, std::ostream& err) {
    auto loaded = contract::Contract::load_file(options.contract,
                                                {options.schema_folders, options.overlays, options.unsupported});
    print_problems(err, loaded.problems);
    if (!loaded.contract) return std::nullopt;
    Subject out;
    out.contract = std::move(loaded.contract);
    out.operation = out.contract->find_operation(options.operation);
    if (out.operation == nullptr) {
        std::vector<std::string_view> known;
        for (auto const& operation : out.contract->operations())
            known.emplace_back(operation.id);
        err << options.contract << ": no operation is called "
            << config::in_quotes(options.operation) << "; "
            << config::suggestion(options.operation, known) << '\n';
        return std::nullopt;
    }
    if (auto const& body = out.operation->request_body) {
        contract::MediaType const* const json = body->find("application/json");
        if (json != nullptr) out.schema = json->schema;
    }
    auto const labels = read_labels(options.labels, *out.contract, err);
    if (!labels) return std::nullopt;
    out.conditions = out.contract->conditions_for(*labels);
    return out;
}

std::optional<Subject> load_schema(ValidateOptions const& options, std::ostream& err) {
    config::FileText const file = config::read_file(options.schema, config::yaml::max_file_size);
    if (!file.problem.empty()) {
        err << options.schema << ": cannot be read: " << file.problem << '\n';
        return std::nullopt;
    }
    auto loaded =
        contract::Contract::load_schema(file.text, options.schema, options.formats,
                                        {options.schema_folders, {}, options.unsupported});
    print_problems(err, loaded.problems);
    if (!loaded.contract) return std::nullopt;
    Subject out;
    out.contract = std::move(loaded.contract);
    out.schema = out.contract->schema();
    return out;
}

// --- the response

struct Result {
    contract::Report report;
    std::string_view malformed; // a word; empty: the body is not malformed
    std::string_view why;       // the same in words
};

Result result_of(contract::Report const& report) {
    if (report.outcome != contract::Outcome::malformed) return {report, {}, {}};
    return {report, contract::name_of(report.malformed), contract::describe(report.malformed)};
}

// As the gateway does: first whether a body may or must exist, then the rules of its
// schema.
Result decide(Subject const& subject, contract::Validator& validator, std::string& body) {
    contract::Report malformed;
    malformed.outcome = contract::Outcome::malformed;
    if (subject.operation != nullptr) {
        auto const& expected = subject.operation->request_body;
        if (!expected && !body.empty()) {
            return {malformed, "unexpected", "the operation takes no body"};
        }
        if (expected && expected->required && body.empty()) {
            malformed.malformed = contract::Malformed::empty;
            return result_of(malformed);
        }
        // Without a JSON schema a body is streamed unchecked.
        if (body.empty() || !subject.schema) return {};
    }
    contract::LevelTable const levels; // every rule at enforce
    body.reserve(body.size() + contract::body_padding);
    return result_of(validator.validate(*subject.schema, body, subject.conditions, levels));
}

std::string_view name_of(contract::Outcome outcome) {
    switch (outcome) {
    case contract::Outcome::valid: return "valid";
    case contract::Outcome::malformed: return "malformed";
    case contract::Outcome::violated: break;
    }
    return "violated";
}

void print_json(std::ostream& out, Body const& body, Result const& result) {
    contract::Report const& report = result.report;
    out << "{\"instance\":" << json_string_or_null(body.name)
        << ",\"outcome\":" << json_string(name_of(report.outcome))
        << ",\"malformed\":" << json_string_or_null(result.malformed)
        << ",\"offset\":" << (report.offset ? std::to_string(*report.offset) : "null")
        << ",\"violations\":" << ViolationPrinter::json(report.violations)
        << ",\"more_violations\":" << (ViolationPrinter::has_more(report) ? "true" : "false")
        << ",\"unknown_members\":" << report.unknown_members << ",\"deprecated_members\":[";
    for (std::size_t i = 0; i < report.deprecated_members.size(); ++i) {
        out << (i > 0 ? "," : "") << json_string(report.deprecated_members[i]);
    }
    out << "]}\n";
}

void print_text(std::ostream& out, Body const& body, Result const& result) {
    contract::Report const& report = result.report;
    if (!body.name.empty()) out << body.name << ": ";
    out << name_of(report.outcome);
    if (!result.why.empty()) out << ": " << result.why;
    if (report.offset) out << ", at byte " << *report.offset;
    out << '\n';
    ViolationPrinter::print_text(out, report.violations);
    if (ViolationPrinter::has_more(report)) out << "  and more\n";
    if (report.unknown_members > 0) {
        out << "  properties that the contract does not declare: " << report.unknown_members
            << '\n';
    }
    for (std::string_view const name : report.deprecated_members) {
        out << "  deprecated: " << config::printable(name) << '\n';
    }
}

} // namespace

int run_validate(ValidateOptions const& options, std::istream& in, std::ostream& out,
                 std::ostream& err) {
    for (std::string const& folder : options.schema_folders) {
        std::error_code ignored;
        if (std::filesystem::is_directory(folder, ignored)) continue;
        err << "--schemas: no such folder: " << folder << "; write the path of a folder\n";
        return 2;
    }
    auto const subject =
        options.schema.empty() ? load_contract(options, err) : load_schema(options, err);
    if (!subject) return 2;

    contract::Validator validator;
    int exit_code = 0;
    for (Body& body : read_bodies(options.instances, in)) {
        if (!body.content.problem.empty()) {
            err << (body.name.empty() ? "standard input" : body.name)
                << ": cannot be read: " << body.content.problem << '\n';
            exit_code = 1;
            continue;
        }
        Result const result = decide(*subject, validator, body.content.text);
        if (options.format == Format::json) {
            print_json(out, body, result);
        } else {
            print_text(out, body, result);
        }
        if (result.report.outcome != contract::Outcome::valid) exit_code = 1;
    }
    return exit_code;
}

} // namespace sallyport::commands
