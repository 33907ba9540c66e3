// The words of `sallyport credential`.
#include "config/tables.h"
#include "config/text.h"
#include "gateway/commands/command_options.h"
#include "gateway/commands/credential.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::commands {

namespace {

// Of commands that write the file of credentials.
constexpr std::string_view exit_codes =
    "\nExit code 3: the file is written, but the configuration does not load, so that a running "
    "gateway does not go by it.";

// `basic|bearer`: one of the names, of which the first is the default.
void add_kind_option(CLI::App& command, std::vector<std::string> const& names, std::string& kind) {
    std::vector<std::string> words;
    std::string choice;
    for (auto const& name : names) {
        words.push_back(words.empty() ? name + " (the default)" : name);
        choice += (choice.empty() ? "" : "|") + name;
    }
    command
        .add_option("--kind", kind,
                    config::list_of(std::vector<std::string_view>{words.begin(), words.end()}))
        ->option_text(choice)
        ->check(CLI::IsMember(names));
}

// The kinds of credentials whose secrets are generated.
std::vector<std::string> names_of_kinds(config::Authenticators authenticators) {
    std::vector<std::string> names;
    for (auto const* const one : kinds_of_credentials(authenticators))
        names.emplace_back(one->name);
    return names;
}

std::vector<std::string> names_of_hashes() {
    std::vector<std::string> names;
    for (auto const one : kinds_of_hashes())
        names.emplace_back(to_string(one));
    return names;
}

void add_credential_create(CLI::App& parent, config::Tables const& tables, int& exit_code) {
    auto* const command = parent.add_subcommand("create", "Make a secret; it is printed this once");
    auto const options = std::make_shared<CreateOptions>();
    add_config_option(*command, options->config)->required(false);
    command->add_option("--name", options->name, "Its name, as logs will show it")
        ->required()
        ->type_name("NAME");
    add_kind_option(*command, names_of_kinds(tables.authenticators()), options->kind);
    command
        ->add_option("--allow", options->allow,
                     "What it may do: all, or operations (API/operationId, API/*)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->option_text("WHAT,WHAT");
    command->add_option("--role", options->roles, "A role of the file of credentials that it has")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->option_text("NAME,NAME");
    command->add_flag("--read-only", options->is_read_only,
                      "Of what --allow names only methods that are safe: GET, HEAD, OPTIONS, QUERY");
    command->add_flag("--write", options->writes,
                      "Add the entry to the file of credentials of the configuration");
    command->add_flag("--stdin", options->reads_secret,
                      "Take the secret from standard input instead of making one");
    add_format_option(*command, options->format);
    command->footer("Examples:\n  sallyport credential create --name terraform-ci --allow "
                    "'management/*'\n"
                    "  sallyport credential create -c /etc/sallyport/sallyport.yaml --name backup "
                    "--allow all \\\n      --read-only --write"
                    + std::string{exit_codes});
    command->callback([options, &tables, &exit_code] {
        exit_code = run_credential_create(*options, tables, std::cin, std::cout, std::cerr);
    });
}

void add_credential_hash(CLI::App& parent, int& exit_code) {
    auto* const command =
        parent.add_subcommand("hash", "Print the hash of a secret from standard input");
    auto const options = std::make_shared<HashOptions>();
    add_kind_option(*command, names_of_hashes(), options->kind);
    add_format_option(*command, options->format);
    command->footer("sha256 is for generated secrets of at least 22 characters, the others for "
                    "passwords.\nExamples:\n  sallyport credential hash < secret.txt\n"
                    "  sallyport credential hash --kind argon2id < secret.txt");
    command->callback([options, &exit_code] {
        exit_code = run_credential_hash(*options, std::cin, std::cout, std::cerr);
    });
}

void add_credential_rotate(CLI::App& parent, config::Tables const& tables, int& exit_code) {
    auto* const command = parent.add_subcommand(
        "rotate", "Make a second secret for a credential; it is printed this once");
    auto const options = std::make_shared<RotateOptions>();
    add_config_option(*command, options->config);
    command->add_option("--name", options->name, "The credential, by its name")
        ->required()
        ->type_name("NAME");
    auto* const write =
        command->add_flag("--write", options->writes, "Write its hash into the entry");
    auto* const finish =
        command->add_flag("--finish", options->finishes, "Remove the older hash from the entry")
            ->excludes(write);
    command
        ->add_flag("--stdin", options->reads_secret,
                   "Take the secret from standard input instead of making one")
        ->excludes(finish);
    add_format_option(*command, options->format);
    command->footer("Both secrets are right until the rotation is finished. Without --write it "
                    "prints what stands in the entry until then.\nExamples:\n"
                    "  sallyport credential rotate -c /etc/sallyport/sallyport.yaml --name me "
                    "--write\n"
                    "  sallyport credential rotate -c /etc/sallyport/sallyport.yaml --name me "
                    "--finish"
                    + std::string{exit_codes});
    command->callback([options, &tables, &exit_code] {
        exit_code = run_credential_rotate(*options, tables, std::cin, std::cout, std::cerr);
    });
}

void add_credential_revoke(CLI::App& parent, config::Tables const& tables, int& exit_code) {
    auto* const command =
        parent.add_subcommand("revoke", "Disable a credential in its file: it is refused");
    auto const options = std::make_shared<RevokeOptions>();
    add_config_option(*command, options->config);
    command->add_option("--name", options->name, "The credential, by its name")
        ->required()
        ->type_name("NAME");
    add_format_option(*command, options->format);
    command->footer("Example:\n"
                    "  sallyport credential revoke -c /etc/sallyport/sallyport.yaml --name me"
                    + std::string{exit_codes});
    command->callback([options, &tables, &exit_code] {
        exit_code = run_credential_revoke(*options, tables, std::cout, std::cerr);
    });
}

void add_credential_list(CLI::App& parent, config::Tables const& tables, int& exit_code) {
    auto* const command = parent.add_subcommand("list", "Print who may call, and what");
    auto const options = std::make_shared<ListOptions>();
    add_config_option(*command, options->config);
    add_format_option(*command, options->format);
    auto* const last_use = command->add_flag(
        "--last-use", options->asks_for_last_use,
        "Ask the running gateway when each secret was last used, at its admin listener");
    command
        ->add_option("--address", options->address,
                     "Of the admin listener; without it that of the configuration")
        ->type_name("IP:PORT")
        ->needs(last_use);
    command->footer("Examples:\n  sallyport credential list -c /etc/sallyport/sallyport.yaml\n"
                    "  sallyport credential list -c /etc/sallyport/sallyport.yaml --last-use "
                    "--address 127.0.0.1:9901");
    command->callback([options, &tables, &exit_code] {
        exit_code = run_credential_list(*options, tables, std::cout, std::cerr);
    });
}

} // namespace

void add_credential(CLI::App& app, config::Tables const& tables, int& exit_code) {
    auto* const command = app.add_subcommand("credential", "Make, change and list credentials");
    command->require_subcommand(1);
    command->footer("Example:\n  sallyport credential create --name terraform-ci");
    add_credential_create(*command, tables, exit_code);
    add_credential_hash(*command, exit_code);
    add_credential_rotate(*command, tables, exit_code);
    add_credential_revoke(*command, tables, exit_code);
    add_credential_list(*command, tables, exit_code);
}

} // namespace sallyport::commands
