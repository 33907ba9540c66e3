// `sallyport config schema`: see config_schema.h.
#include "gateway/commands/config_schema.h"

#include "config/json_schema.h"
#include "config/sections.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace sallyport::commands {

namespace {

void add_schema(CLI::App& parent, int& exit_code) {
    auto* const command = parent.add_subcommand(
        "schema", "Print the JSON Schema (2020-12) of the configuration, for editors");
    auto const options = std::make_shared<SchemaOptions>();
    command->add_flag_callback(
        "--credentials", [options] { options->file = ConfigFile::credentials; },
        "Of the file of credentials instead");
    add_format_option(*command, options->format);
    command->footer("It is JSON in both formats: text is indented, json is one line.\n"
                    "An editor with yaml-language-server reads a first line of the configuration:\n"
                    "  # yaml-language-server: $schema=sallyport.schema.json\n"
                    "Examples:\n  sallyport config schema > sallyport.schema.json\n"
                    "  sallyport config schema --credentials > credentials.schema.json");
    command->callback(
        [options, &exit_code] { exit_code = run_config_schema(*options, std::cout); });
}

} // namespace

int run_config_schema(SchemaOptions const& options, std::ostream& out) {
    bool const is_config = options.file == ConfigFile::configuration;
    auto const& info =
        is_config ? config::config_section().info() : config::credentials_section().info();
    out << config::json_schema(
        info, is_config ? "Configuration of Sallyport" : "Credentials of Sallyport's callers",
        options.format == Format::json ? config::Layout::one_line : config::Layout::indented);
    return 0;
}

void add_config_command(CLI::App& app, int& exit_code) {
    auto* const command = app.add_subcommand("config", "Help with writing the configuration");
    command->require_subcommand(1);
    command->footer("Example:\n  sallyport config schema > sallyport.schema.json");
    add_schema(*command, exit_code);
}

} // namespace sallyport::commands
