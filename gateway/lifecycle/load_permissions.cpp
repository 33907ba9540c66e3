// What credentials may do by a configuration: see load_permissions.h.
#include "gateway/lifecycle/load_permissions.h"

#include "config/load.h"
#include "config/tables.h"
#include "gateway/lifecycle/compile.h"

#include <utility>

namespace sallyport::lifecycle {

LoadedPermissions load_permissions(std::string const& path, config::Tables const& tables) {
    LoadedPermissions out;
    out.authenticators = tables.authenticators();
    auto read = config::load_config(path, tables);
    out.config = std::move(read.config);
    auto credentials = config::load_credentials(out.config, tables);
    out.credentials = std::move(credentials.credentials);
    out.roles = std::move(credentials.roles);
    bool const has_roles = !credentials.has_errors();

    auto problems = std::move(credentials.problems);
    observe::RedactionList redaction;
    std::vector<std::string> files; // which nothing watches here
    compile::Read const as_read{out.config, read.problems, tables.authenticators()};
    out.apis = compile::apis(as_read, {redaction, files, problems});
    out.table = compile::credentials(as_read, out.credentials, out.apis, problems);
    if (has_roles) compile::roles(as_read, out.roles, out.apis, problems);
    config::yaml::remove_consequences(problems, read.problems);
    out.problems = std::move(read.problems);
    out.problems.insert(out.problems.end(), problems.begin(), problems.end());
    compile::put_in_order(out.problems);
    return out;
}

CredentialsJudge::CredentialsJudge(config::ReadConfig const& read, config::Tables const& tables,
                                   ContractCache& contracts)
    : read_{&read}, tables_{&tables} {
    config::yaml::Problems of_contracts; // `check` has them
    observe::RedactionList redaction;
    std::vector<std::string> files; // which nothing watches here
    compile::Read const as_read{read_->config, read_->problems, tables.authenticators(),
                                &contracts};
    apis_ = compile::apis(as_read, {redaction, files, of_contracts});
}

config::yaml::Problems CredentialsJudge::problems_of(std::string_view text) const {
    return problems_of(config::read_credentials_of(read_->config, text, *tables_));
}

config::yaml::Problems CredentialsJudge::problems_of(config::ReadCredentials const& read) const {
    auto problems = read.problems;
    compile::Read const as_read{read_->config, read_->problems, tables_->authenticators()};
    static_cast<void>(compile::credentials(as_read, read.credentials, apis_, problems));
    config::yaml::remove_consequences(problems, read_->problems);
    compile::put_in_order(problems);
    return problems;
}

} // namespace sallyport::lifecycle
