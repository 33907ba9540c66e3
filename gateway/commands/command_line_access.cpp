// The words of `sallyport access`.
#include "gateway/commands/access.h"
#include "gateway/commands/command_options.h"

#include <iostream>
#include <memory>

namespace sallyport::commands {

void add_access(CLI::App& app, config::Tables const& tables, int& exit_code) {
    auto* const command = app.add_subcommand(
        "access", "Print which credentials may call an operation, or what a credential may call");
    auto const options = std::make_shared<AccessOptions>();
    add_config_option(*command, options->config);
    auto* const question = command->add_option_group("One of");
    question
        ->add_option("--operation", options->operation,
                     "Which credentials may call it: API/operationId")
        ->type_name("OPERATION");
    question
        ->add_option("--credential", options->credential,
                     "What it may call, by the name of the credential")
        ->type_name("NAME");
    question->require_option(1);
    add_format_option(*command, options->format);
    command->footer(
        "By the permissions that a gateway would use, with the line of each rule.\n"
        "Exit codes: 0 printed, 1 the files have errors, or nothing has that name.\n"
        "Examples:\n"
        "  sallyport access -c /etc/sallyport/sallyport.yaml --operation management/createService\n"
        "  sallyport access -c /etc/sallyport/sallyport.yaml --credential me");
    command->callback([options, &tables, &exit_code] {
        exit_code = run_access(*options, tables, std::cout, std::cerr);
    });
}

} // namespace sallyport::commands
