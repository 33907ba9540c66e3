// The words of `sallyport credential`.
#include "gateway/commands/command_options.h"
#include "gateway/commands/credential.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::commands {

namespace {

void add_credential_create(CLI::App& parent, int& exit_code) {
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

void add_credential_hash(CLI::App& parent, int& exit_code) {
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

void add_credential_rotate(CLI::App& parent, int& exit_code) {
    auto* const command = parent.add_subcommand(
        "rotate", "Make a second secret for a credential; it is printed this once");
    auto const options = std::make_shared<RotateOptions>();
    add_config_option(*command, options->config);
    command->add_option("--name", options->name, "The credential, by its name")->required();
    add_format_option(*command, options->format);
    command->footer("It writes no file: it prints what stands in the entry until all callers have "
                    "the new secret.\nExample:\n"
                    "  sallyport credential rotate -c /etc/sallyport/sallyport.yaml --name me");
    command->callback([options, &exit_code] {
        exit_code = run_credential_rotate(*options, std::cout, std::cerr);
    });
}

void add_credential_list(CLI::App& parent, int& exit_code) {
    auto* const command = parent.add_subcommand("list", "Print who may call, and what");
    auto const options = std::make_shared<ListOptions>();
    add_config_option(*command, options->config);
    add_format_option(*command, options->format);
    command->footer("Example:\n  sallyport credential list -c /etc/sallyport/sallyport.yaml");
    command->callback(
        [options, &exit_code] { exit_code = run_credential_list(*options, std::cout, std::cerr); });
}

} // namespace

void add_credential(CLI::App& app, int& exit_code) {
    auto* const command =
        app.add_subcommand("credential", "Make, hash, rotate and list credentials");
    command->require_subcommand(1);
    command->footer("Example:\n  sallyport credential create --name terraform-ci");
    add_credential_create(*command, exit_code);
    add_credential_hash(*command, exit_code);
    add_credential_rotate(*command, exit_code);
    add_credential_list(*command, exit_code);
}

} // namespace sallyport::commands
