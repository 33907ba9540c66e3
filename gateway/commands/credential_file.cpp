// Opens the file of credentials as a gateway would, and saves no new problem of it.
#include "gateway/commands/credential_file.h"

#include "config/load.h"
#include "config/resolver.h"
#include "config/tables.h"
#include "config/text.h"
#include "gateway/commands/output.h"
#include "gateway/commands/replace_file.h"
#include "gateway/lifecycle/compile.h"
#include "gateway/lifecycle/load_permissions.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <utility>

namespace sallyport::commands {

using config::yaml::Problems;

namespace {

// Of two texts of a file what they have alike, whatever the lines that it mentions.
std::string without_numbers(config::yaml::Problem const& problem) {
    std::string out{problem.where.file_name()};
    out.append(":").append(problem.what);
    std::erase_if(out, text::is_digit);
    return out;
}

// The errors of a changed text that the text before did not have as often.
Problems new_errors(Problems const& before, Problems const& after) {
    std::map<std::string, std::size_t> known;
    for (auto const& problem : before)
        ++known[without_numbers(problem)];
    Problems added;
    for (auto const& problem : after) {
        if (problem.severity != config::yaml::Severity::error) continue;
        auto& count = known[without_numbers(problem)];
        if (count > 0)
            --count;
        else
            added.push_back(problem);
    }
    return added;
}

// A link to nowhere is there: it means another file, which is not made through it.
bool is_not_there(std::string const& path) {
    std::error_code ignored;
    auto const found = std::filesystem::symlink_status(path, ignored);
    return found.type() == std::filesystem::file_type::not_found;
}

bool leads_nowhere(std::string const& path) {
    std::error_code ignored;
    return std::filesystem::is_symlink(path, ignored) && !std::filesystem::exists(path, ignored);
}

} // namespace

CredentialFile::CredentialFile(std::string config_path, config::ReadConfig config,
                               config::ReadCredentials credentials, CredentialsText text,
                               config::Tables const& tables, bool is_new)
    : config_path_{std::move(config_path)}, config_{std::move(config)},
      credentials_{std::move(credentials)}, path_{config_.config.credentials.file->path},
      before_{text.text()}, text_{std::move(text)}, tables_{&tables}, is_new_{is_new},
      is_first_{text_.awaits_first_entry()}, contracts_{
                                                 std::make_shared<lifecycle::ContractCache>()} {}

std::optional<CredentialFile> CredentialFile::open(std::string const& config_path,
                                                   config::Tables const& tables, Opened opened,
                                                   std::ostream& err) {
    auto read = config::load_config(config_path, tables);
    auto const& file = read.config.credentials.file;
    bool const is_known = file && !file->path.empty();
    bool const takes_errors = opened == Opened::to_change && is_known;
    if (!read.has_errors() || !takes_errors) print_problems(err, read.problems);
    if (read.has_errors() && !takes_errors) return std::nullopt;
    if (!is_known) {
        err << "the configuration names no file of credentials\n";
        return std::nullopt;
    }
    if (leads_nowhere(file->path)) {
        err << file->path << ": is a link to a file that is not there; make that file, or remove "
            << "the link\n";
        return std::nullopt;
    }
    bool const is_new = opened == Opened::to_add && is_not_there(file->path);
    auto const of_file =
        is_new ? config::FileText{} : config::read_file(file->path, config::yaml::max_file_size);
    if (!of_file.problem.empty()) {
        print_problems(err, {config::unreadable(*file, of_file.problem)});
        return std::nullopt;
    }
    CredentialsText text{file->path, of_file.text};
    auto all = config::read_credentials_of(read.config, of_file.text, tables);
    bool const is_first = text.awaits_first_entry(); // what is missing is about to be added
    bool const is_fit =
        opened == Opened::to_change ? text.is_whole() : !all.has_errors() || is_first;
    if (!is_fit || !(all.has_errors() || is_first)) print_problems(err, all.problems);
    if (!is_fit) return std::nullopt;
    return CredentialFile{config_path,     std::move(read), std::move(all),
                          std::move(text), tables,          is_new};
}

config::Credential const* CredentialFile::find(std::string_view name, std::ostream& err) const {
    auto const& all = credentials_.credentials;
    auto const found = std::find_if(all.begin(), all.end(), [name](auto const& one) {
        return one.name == name && !one.identities.empty();
    });
    auto const is_here = [this](auto const& one) { return one.origin.mark.file_name() == path_; };
    if (found != all.end()) {
        if (is_here(*found)) return &*found;
        auto const& mark = found->origin.mark;
        err << config::in_quotes(name) << " is a user of an htpasswd file: change "
            << mark.file_name() << ':' << mark.line << " with htpasswd(1)\n";
        return nullptr;
    }
    if (text_.line_of(name) != 0) {
        err << "the entry of " << config::in_quotes(name) << " has errors: sallyport check\n";
        return nullptr;
    }
    std::vector<std::string_view> names;
    for (auto const& one : all)
        names.emplace_back(one.name);
    err << "no credential is called " << config::in_quotes(name) << "; "
        << config::suggestion(name, names) << '\n';
    return nullptr;
}

bool CredentialFile::save(std::string const& problem, std::ostream& err) {
    if (problem.empty()) {
        lifecycle::CredentialsJudge const judge{config_, *tables_, *contracts_};
        // Before its first entry a file has errors, of which only the missing entry is excused.
        auto const before = is_first_ ? Problems{} : judge.problems_of(credentials_);
        auto const added = new_errors(before, judge.problems_of(text_.text()));
        if (!added.empty()) {
            print_problems(err, added);
            err << path_ << (is_new_ ? " was not made\n" : " was not changed\n");
            return false;
        }
    }
    return save_unjudged(problem, err);
}

bool CredentialFile::save_unjudged(std::string const& problem, std::ostream& err) const {
    auto failed = problem;
    if (failed.empty())
        failed =
            is_new_ ? create_file(path_, text_.text()) : replace_file(path_, before_, text_.text());
    if (!failed.empty()) err << path_ << ": " << failed << '\n';
    return failed.empty();
}

std::string CredentialFile::reload_problem() const {
    auto const compiled = lifecycle::load(config_path_, *tables_,
                                          {.ticket_keys = std::make_shared<net::TicketKeys>(),
                                           .contracts = contracts_,
                                           .compared = lifecycle::Compared::never});
    if (compiled.snapshot != nullptr) return {};
    for (auto const& problem : compiled.problems)
        if (problem.severity == config::yaml::Severity::error)
            return config::yaml::describe(problem);
    return config_path_ + " does not load";
}

std::string CredentialFile::when_applied(std::string const& problem) const {
    if (!problem.empty()) {
        return "The file is written, but its configuration does not load, and a running gateway "
               "does not go by it before this is mended: "
               + problem;
    }
    return config_.config.reload == config::Reload::automatic
               ? "A running gateway goes by it within a second."
               : "A running gateway goes by it after `sallyport reload`.";
}

} // namespace sallyport::commands
