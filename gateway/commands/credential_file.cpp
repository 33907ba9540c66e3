// Opens the file of credentials as a gateway would, and saves it only if a gateway would load it.
#include "gateway/commands/credential_file.h"

#include "config/load.h"
#include "config/resolver.h"
#include "config/tables.h"
#include "config/text.h"
#include "gateway/commands/output.h"
#include "gateway/commands/replace_file.h"

#include <algorithm>
#include <ostream>
#include <utility>

namespace sallyport::commands {

CredentialFile::CredentialFile(config::Config config, std::vector<config::Credential> credentials,
                               std::string text, config::Tables const& tables)
    : config_{std::move(config)},
      credentials_{std::move(credentials)}, path_{config_.credentials.file->path},
      before_{std::move(text)}, text_{path_, before_}, tables_{&tables} {}

std::optional<CredentialFile> CredentialFile::open(std::string const& config_path,
                                                   config::Tables const& tables,
                                                   std::ostream& err) {
    auto read = config::load_config(config_path, tables);
    print_problems(err, read.problems);
    if (read.has_errors()) return std::nullopt;
    if (!read.config.credentials.file) {
        err << "the configuration names no file of credentials\n";
        return std::nullopt;
    }
    // Before it is read below: a change in between is found when the file is replaced.
    auto text = config::read_file(read.config.credentials.file->path, config::yaml::max_file_size);
    auto all = config::load_credentials(read.config, tables);
    print_problems(err, all.problems);
    if (all.has_errors()) return std::nullopt;
    return CredentialFile{std::move(read.config), std::move(all.credentials), std::move(text.text),
                          tables};
}

config::Credential const* CredentialFile::find(std::string_view name, std::ostream& err) const {
    auto const found = std::find_if(credentials_.begin(), credentials_.end(),
                                    [name](auto const& one) { return one.name == name; });
    auto const is_here = [this](auto const& one) { return one.origin.mark.file_name() == path_; };
    if (found != credentials_.end()) {
        if (is_here(*found)) return &*found;
        auto const& mark = found->origin.mark;
        err << config::in_quotes(name) << " is a user of an htpasswd file: change "
            << mark.file_name() << ':' << mark.line << " with htpasswd(1)\n";
        return nullptr;
    }
    std::vector<std::string_view> names;
    for (auto const& one : credentials_)
        names.emplace_back(one.name);
    err << "no credential is called " << config::in_quotes(name) << "; "
        << config::suggestion(name, names) << '\n';
    return nullptr;
}

bool CredentialFile::save(std::string const& problem, std::ostream& err) const {
    if (!problem.empty()) {
        err << path_ << ": " << problem << '\n';
        return false;
    }
    std::vector<std::string> apis;
    for (auto const& api : config_.apis)
        apis.push_back(api.name);
    auto const folder = config::folder_of(path_);
    auto const read = config::read_credentials(config::yaml::load_text(text_.text(), path_), folder,
                                               apis, *tables_, config::system_resolver());
    if (read.has_errors()) {
        print_problems(err, read.problems);
        err << path_ << " was not changed\n";
        return false;
    }
    auto const failed = replace_file(path_, before_, text_.text());
    if (!failed.empty()) err << path_ << ": " << failed << '\n';
    return failed.empty();
}

std::string_view CredentialFile::when_applied() const noexcept {
    return config_.reload == config::Reload::automatic
               ? "A running gateway goes by it within a second."
               : "A running gateway goes by it after `sallyport reload`.";
}

} // namespace sallyport::commands
