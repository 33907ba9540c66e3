// The words of `sallyport contract`.
#include "gateway/commands/command_options.h"
#include "gateway/commands/contract_check.h"
#include "gateway/commands/contract_diff.h"
#include "gateway/commands/contract_list.h"
#include "gateway/commands/contract_resolve.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::commands {

namespace {

void add_schemas_option(CLI::App& command, std::vector<std::string>& folders) {
    command
        .add_option("--schemas", folders,
                    "A folder of schemas that $ref may lead to; may be repeated")
        ->allow_extra_args(false)
        ->type_name("FOLDER");
}

void add_folder_option(CLI::App& command, std::optional<std::string>& folder) {
    command
        .add_option("--folder", folder,
                    "A folder that contains the documents: relative paths of $ref stay inside it, "
                    "as `contract_folder` of an API; the default is that of each document")
        ->check(CLI::Validator{CLI::ExistingDirectory}.description({}))
        ->type_name("FOLDER");
}

void add_contract_check(CLI::App& parent, int& exit_code) {
    auto* const command = parent.add_subcommand(
        "check", "Print every problem of OpenAPI documents, without a configuration");
    auto const options = std::make_shared<ContractCheckOptions>();
    command->add_option("CONTRACT", options->files, "OpenAPI documents, 2.0 to 3.2")
        ->required()
        ->type_name("FILE");
    add_overlay_option(*command, options->overlays);
    add_schemas_option(*command, options->schema_folders);
    add_folder_option(*command, options->folder);
    add_unsupported_option(*command, options->unsupported);
    add_report_format_option(*command, options->format);
    command->footer(
        "Exit codes: 0 the gateway would take them, 1 not so. Warnings do not count.\n"
        "Examples:\n  sallyport contract check contracts/management.yaml\n"
        "  sallyport contract check contracts/management.yaml --overlay ours.overlay.yaml");
    command->callback(
        [options, &exit_code] { exit_code = run_contract_check(*options, std::cout); });
}

void add_contract_list(CLI::App& parent, int& exit_code) {
    auto* const command = parent.add_subcommand(
        "list", "Print the operations of OpenAPI documents, and the properties that are secret");
    auto const options = std::make_shared<ContractListOptions>();
    command->add_option("CONTRACT", options->files, "OpenAPI documents, 2.0 to 3.2")
        ->required()
        ->type_name("FILE");
    add_overlay_option(*command, options->overlays);
    add_schemas_option(*command, options->schema_folders);
    add_folder_option(*command, options->folder);
    add_unsupported_option(*command, options->unsupported);
    command->add_flag_callback(
        "--rules", [options] { options->rules = ListRules::yes; },
        "Also every rule by its pointer, as `rules` of a configuration names it");
    add_format_option(*command, options->format);
    command->footer(
        "Exit codes: 0 they are listed, 1 one of them does not load.\n"
        "Examples:\n  sallyport contract list contracts/management.yaml\n"
        "  sallyport contract list --rules --format json contracts/management.yaml");
    command->callback([options, &exit_code] {
        exit_code = run_contract_list(*options, std::cout, std::cerr);
    });
}

void add_contract_resolve(CLI::App& parent, int& exit_code) {
    auto* const command = parent.add_subcommand(
        "resolve", "Print an OpenAPI document with overlays applied to it, as YAML");
    auto const options = std::make_shared<ContractResolveOptions>();
    command->add_option("CONTRACT", options->file, "An OpenAPI document")
        ->required()
        ->type_name("FILE");
    add_overlay_option(*command, options->overlays);
    command->footer(
        "Comments are not kept. Problems go to standard error; whether the gateway can use the "
        "result says `sallyport contract check`.\n"
        "Exit codes: 0 all overlays were applied, 1 not so. Warnings do not count.\n"
        "Example:\n"
        "  sallyport contract resolve contracts/management.yaml --overlay ours.overlay.yaml");
    command->callback([options, &exit_code] {
        exit_code = run_contract_resolve(*options, std::cout, std::cerr);
    });
}

void add_contract_diff(CLI::App& parent, int& exit_code) {
    auto* const command = parent.add_subcommand(
        "diff", "Print what changes for clients if one OpenAPI document replaces another");
    auto const options = std::make_shared<ContractDiffOptions>();
    command->add_option("OLD", options->old_file, "The OpenAPI document that clients know")
        ->required()
        ->type_name("FILE");
    command->add_option("NEW", options->new_file, "The one that replaces it")
        ->required()
        ->type_name("FILE");
    auto const add_overlays = [command](char const* name, std::vector<std::string>& overlays) {
        command
            ->add_option(name, overlays,
                         "An OpenAPI Overlay document that is applied first; may be repeated")
            ->allow_extra_args(false)
            ->type_name("FILE");
    };
    add_overlays("--old-overlay", options->old_overlays);
    add_overlays("--new-overlay", options->new_overlays);
    add_schemas_option(*command, options->schema_folders);
    add_folder_option(*command, options->folder);
    add_unsupported_option(*command, options->unsupported);
    auto const set = [options](std::string const& name) {
        options->format = name == "json"       ? DiffFormat::json
                          : name == "markdown" ? DiffFormat::markdown
                                               : DiffFormat::text;
    };
    command
        ->add_option_function<std::string>("--format", set,
                                           "How to print: text (the default), json or markdown")
        ->option_text("text|json|markdown")
        ->check(CLI::IsMember(std::vector<std::string>{"text", "json", "markdown"}));
    command->footer(
        "A change is stricter (a request that passed may be refused), looser or neutral.\n"
        "Exit codes: 0 nothing is stricter, 1 something is, 2 a document does not load.\n"
        "Examples:\n"
        "  sallyport contract diff contracts/management.yaml contracts/management.yaml\n"
        "  sallyport contract diff contracts/management.yaml contracts/management.yaml \\\n"
        "      --new-overlay ours.overlay.yaml --format markdown");
    command->callback(
        [options, &exit_code] { exit_code = run_contract_diff(*options, std::cout, std::cerr); });
}

} // namespace

void add_contract(CLI::App& app, int& exit_code) {
    auto* const command = app.add_subcommand("contract", "Look at OpenAPI documents");
    command->require_subcommand(1);
    command->footer("Example:\n  sallyport contract check contracts/management.yaml");
    add_contract_check(*command, exit_code);
    add_contract_list(*command, exit_code);
    add_contract_resolve(*command, exit_code);
    add_contract_diff(*command, exit_code);
}

} // namespace sallyport::commands
