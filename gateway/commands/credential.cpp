// `sallyport credential`: its words on the command line. What they do is in credential_secrets.cpp
// and credential_list.cpp.
#include "gateway/commands/credential.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace sallyport::commands {

namespace {

void add_create(CLI::App& parent, int& exit_code) {
    auto* const command = parent.add_subcommand("create", "Make a secret; it is printed this once");
    auto const options = std::make_shared<CreateOptions>();
    command->add_option("--name", options->name, "Its name, as logs will show it")->required();
    auto const set_kind = [options](std::string const& kind) {
        options->kind = kind == "bearer" ? CredentialKind::bearer : CredentialKind::basic;
    };
    command->add_option_function<std::string>("--kind", set_kind, "basic (the default) or bearer")
        ->option_text("basic|bearer")
        ->check(CLI::IsMember(std::vector<std::string>{"basic", "bearer"}));
    command
        ->add_option("--allow", options->allow,
                     "What it may do: all, or operations (API/operationId, API/*)")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_format_option(*command, options->format);
    command->footer("Example:\n  sallyport credential create --name terraform-ci --allow "
                    "'management/*'");
    command->callback([options, &exit_code] {
        exit_code = run_credential_create(*options, std::cout, std::cerr);
    });
}

void add_hash(CLI::App& parent, int& exit_code) {
    auto* const command =
        parent.add_subcommand("hash", "Print the hash of a secret from standard input");
    auto const format = std::make_shared<Format>(Format::text);
    add_format_option(*command, *format);
    command->footer("Only for generated secrets of at least 22 characters.\n"
                    "Example:\n  sallyport credential hash < secret.txt");
    command->callback([format, &exit_code] {
        exit_code = run_credential_hash(*format, std::cin, std::cout, std::cerr);
    });
}

void add_list(CLI::App& parent, int& exit_code) {
    auto* const command = parent.add_subcommand("list", "Print who may call, and what");
    auto const options = std::make_shared<ListOptions>();
    command->add_option("-c,--config", options->config, "The configuration file")
        ->required()
        ->type_name("FILE");
    add_format_option(*command, options->format);
    command->footer("Example:\n  sallyport credential list -c /etc/sallyport/sallyport.yaml");
    command->callback(
        [options, &exit_code] { exit_code = run_credential_list(*options, std::cout, std::cerr); });
}

} // namespace

void add_credential_command(CLI::App& app, int& exit_code) {
    auto* const command = app.add_subcommand("credential", "Make, hash and list credentials");
    command->require_subcommand(1);
    command->footer("Example:\n  sallyport credential create --name terraform-ci");
    add_create(*command, exit_code);
    add_hash(*command, exit_code);
    add_list(*command, exit_code);
}

} // namespace sallyport::commands
