// The words of the command line: every command, its options, and the function it calls. Separate
// from the commands, because the parser's headers are slow to compile.
#include "gateway/commands/command_line.h"

#include "config/load.h"
#include "config/tables.h"
#include "config/text.h"
#include "gateway/commands/check.h"
#include "gateway/commands/command_options.h"
#include "gateway/commands/completion.h"
#include "gateway/commands/config_schema.h"
#include "gateway/commands/help_format.h"
#include "gateway/commands/reload.h"
#include "gateway/commands/sandbox.h"
#include "gateway/commands/status.h"
#include "gateway/commands/validate.h"
#include "gateway/commands/version.h"
#include "gateway/lifecycle/version.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::commands {

namespace {

void add_run(CLI::App& app, Run const& run, int& exit_code) {
    auto* const command = app.add_subcommand(
        "run",
        "Serve. SIGTERM drains and ends, SIGHUP reloads the configuration, SIGUSR1 reopens the "
        "access log, SIGUSR2 starts the program again and passes its listeners to it.");
    auto const path = std::make_shared<std::string>();
    add_config_option(*command, *path);
    command->footer("Example:\n  sallyport run -c /etc/sallyport/sallyport.yaml");
    command->callback([path, &run, &exit_code] {
        if (*path == config::standard_input) {
            std::cerr << "a gateway reads its configuration again: write the path of a file\n";
            exit_code = 2;
            return;
        }
        exit_code = run(*path);
    });
}

void add_check(CLI::App& app, config::Tables const& tables, int& exit_code) {
    auto* const command = app.add_subcommand(
        "check", "Print every problem of a configuration and of all that it names");
    auto const options = std::make_shared<CheckOptions>();
    add_config_option(*command, options->config);
    command->add_flag_callback(
        "--offline", [options] { options->with = CheckWith::nothing; },
        "The configuration and its contracts alone: no secrets, certificates, environment, ports");
    command
        ->add_option("--user", options->user,
                     "As whom root reads the files; without it as the user sallyport, where the "
                     "folder of the configuration is of its group")
        ->option_text("NAME");
    add_report_format_option(*command, options->format);
    command->footer(
        "A file `-` is standard input; what it includes begins at the current folder.\n"
        "Exit codes: 0 the gateway would serve with it, 1 it would not. Warnings do not count.\n"
        "Examples:\n  sallyport check -c /etc/sallyport/sallyport.yaml\n"
        "  sallyport check --offline -c sallyport.yaml");
    command->callback([options, &tables, &exit_code] {
        exit_code = run_check(*options, tables, std::cout, std::cerr);
    });
}

void add_config_schema(CLI::App& parent, config::Tables const& tables, int& exit_code) {
    auto* const command = parent.add_subcommand(
        "schema", "Print the JSON Schema (2020-12) of the configuration, for editors");
    auto const options = std::make_shared<SchemaOptions>();
    auto* const credentials = command->add_flag_callback(
        "--credentials", [options] { options->file = ConfigFile::credentials; },
        "Of the file of credentials instead");
    command
        ->add_flag_callback(
            "--included", [options] { options->file = ConfigFile::included; },
            "Of a file that the configuration includes instead")
        ->excludes(credentials);
    add_format_option(*command, options->format);
    command->footer("It is JSON in both formats: text is indented, json is one line.\n"
                    "An editor with yaml-language-server reads a first line of the configuration:\n"
                    "  # yaml-language-server: $schema=sallyport.schema.json\n"
                    "Examples:\n  sallyport config schema > sallyport.schema.json\n"
                    "  sallyport config schema --included > included.schema.json\n"
                    "  sallyport config schema --credentials > credentials.schema.json");
    command->callback([options, &tables, &exit_code] {
        exit_code = run_config_schema(*options, tables, std::cout);
    });
}

void add_config(CLI::App& app, config::Tables const& tables, int& exit_code) {
    auto* const command = app.add_subcommand("config", "Help with writing the configuration");
    command->require_subcommand(1);
    command->footer("Example:\n  sallyport config schema > sallyport.schema.json");
    add_config_schema(*command, tables, exit_code);
}

void add_validate(CLI::App& app, int& exit_code) {
    auto* const command =
        app.add_subcommand("validate", "Say whether a body keeps the contract of an operation");
    auto const options = std::make_shared<ValidateOptions>();
    auto* const what = command->add_option_group("One of");
    auto* const contract =
        what->add_option("--contract", options->contract, "An OpenAPI document")
            ->type_name("FILE");
    auto* const schema =
        what->add_option("--schema", options->schema, "A JSON Schema (2020-12) instead")
            ->type_name("FILE");
    what->require_option(1);
    auto* const operation =
        command
            ->add_option("--operation", options->operation, "The operationId of the contract")
            ->type_name("ID");
    contract->needs(operation);
    operation->needs(contract)->excludes(schema);
    add_overlay_option(*command, options->overlays)->needs(contract);
    command->add_option("--labels", options->labels, "Labels of the caller")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->option_text("NAME=VALUE,NAME=VALUE")
        ->needs(contract);
    command
        ->add_option("--schemas", options->schema_folders,
                     "A folder of schemas that $ref may lead to; may be repeated")
        ->allow_extra_args(false)
        ->type_name("FOLDER");
    add_unsupported_option(*command, options->unsupported);
    std::map<std::string, contract::Formats> const words{
        {"annotate", contract::Formats::annotate}, {"assert", contract::Formats::assert_them}};
    command
        ->add_option("--formats", options->formats,
                     "Whether --schema checks `format`: annotate (as JSON Schema) or assert (as in "
                     "contracts)")
        ->transform(CLI::CheckedTransformer(words).description({}))
        ->type_name("annotate|assert")
        ->needs(schema);
    command
        ->add_option(
            "INSTANCE", options->instances,
            "Files with the bodies, JSON, or YAML where they end in .yaml or .yml; '-', or "
            "none: standard input")
        ->type_name("FILE");
    add_format_option(*command, options->format);
    command->footer(
        "Exit codes: 0 valid, 1 not valid, 2 the contract or the schema does not load.\n"
        "Examples:\n"
        "  sallyport validate --contract contracts/management.yaml --operation updatePipeSettings "
        "< body.json\n"
        "  sallyport validate --contract contracts/management.yaml --operation createService \\\n"
        "      --labels organization_tier=SCALE,paid=true --overlay ours.overlay.yaml < body.json\n"
        "  sallyport validate --schema schema.json a.json b.yaml");
    command->callback([options, &exit_code] {
        exit_code = run_validate(*options, std::cin, std::cout, std::cerr);
    });
}

void add_status(CLI::App& app, config::Tables const& tables, int& exit_code) {
    auto* const command =
        app.add_subcommand("status", "Show what the running gateway runs, and how it is");
    auto const options = std::make_shared<StatusOptions>();
    auto* const address =
        command->add_option("--address", options->address, "Of its admin listener")
            ->type_name("IP:PORT")
            ->capture_default_str();
    command
        ->add_option("-c,--config", options->config,
                     "The configuration file that says where the admin listener is")
        ->type_name("FILE")
        ->excludes(address);
    add_format_option(*command, options->format);
    command
        ->add_flag_callback(
            "--health", [options] { options->query = StatusQuery::health; },
            "Ask only whether it is alive: whether the loop of every worker turns")
        ->excludes(command->get_option("--format"));
    command->footer(
        "Exit codes: 0 it is ready and runs what is on disk (with --health: it is alive), 1 "
        "not so.\n"
        "Example:\n  sallyport status --address 127.0.0.1:9901");
    command->callback([options, &tables, &exit_code] {
        exit_code = run_status(*options, tables, std::cout, std::cerr);
    });
}

void add_reload(CLI::App& app, config::Tables const& tables, int& exit_code) {
    auto* const command = app.add_subcommand(
        "reload", "Have the running gateway read everything again, and say what came of it");
    auto const options = std::make_shared<ReloadOptions>();
    auto* const address =
        command->add_option("--address", options->admin.address, "Of its admin listener")
            ->type_name("IP:PORT")
            ->capture_default_str();
    command
        ->add_option("-c,--config", options->admin.config,
                     "The configuration file that says where the admin listener is")
        ->type_name("FILE")
        ->excludes(address);
    command
        ->add_option_function<pid_t>(
            "--pid", [options](pid_t const& pid) { options->pid = pid; },
            "The process of the gateway; without it the admin listener names it")
        ->type_name("PID");
    add_format_option(*command, options->format);
    command->footer("It sends SIGHUP, so that it must run as the gateway's user, or as root.\n"
                    "Exit codes: 0 what is on disk runs now, 1 not so.\n"
                    "Example:\n  sallyport reload --address 127.0.0.1:9901");
    command->callback([options, &tables, &exit_code] {
        exit_code = run_reload(*options, tables, std::cout, std::cerr);
    });
}

void add_sandbox(CLI::App& app, int& exit_code) {
    auto* const command = app.add_subcommand(
        "sandbox", "Run the embedded upstream; what follows is passed on to sallyport-sandbox");
    command->allow_extras();
    command->footer("Example:\n  sallyport sandbox --port 8123\n"
                    "`sallyport-sandbox --help` lists its options.");
    command->callback(
        [command, &exit_code] { exit_code = run_sandbox(command->remaining(), std::cerr); });
}

void add_completion(CLI::App& app, int& exit_code) {
    auto* const command =
        app.add_subcommand("completion", "Print a script that completes this command line");
    auto const shell = std::make_shared<std::string>();
    auto const is_shell = CLI::IsMember(std::vector<std::string>{"bash", "zsh", "fish"});
    command->add_option("SHELL", *shell, "The shell that reads it")
        ->required()
        ->type_name("bash|zsh|fish")
        ->check(CLI::Validator{is_shell}.description({}));
    command->footer("Packages install it; without one, put it where the shell looks.\n"
                    "Example:\n  sallyport completion bash > sallyport.bash");
    command->callback([&app, shell, &exit_code] {
        auto const words = describe_command(app);
        std::cout << (*shell == "bash"  ? bash_completion(words)
                      : *shell == "zsh" ? zsh_completion(words)
                                        : fish_completion(words));
        exit_code = 0;
    });
}

void add_version(CLI::App& app, int& exit_code) {
    auto* const command = app.add_subcommand("version", "Print the version");
    auto const format = std::make_shared<Format>(Format::text);
    add_format_option(*command, *format);
    command->footer("Example:\n  sallyport version --format json");
    command->callback([format, &exit_code] { exit_code = run_version(*format, std::cout); });
}

CLI::App const* find_command(CLI::App const& parent, std::string_view name) {
    if (name.empty()) return nullptr;
    for (CLI::App const* const one : parent.get_subcommands({})) {
        if (one->get_name() == name) return one;
    }
    return nullptr;
}

// Suggests a command for an unknown word.
std::string no_command(CLI::App const& parent, std::string_view word) {
    std::vector<std::string_view> names;
    for (CLI::App const* const one : parent.get_subcommands({})) {
        if (!one->get_name().empty()) names.emplace_back(one->get_name());
    }
    return config::in_quotes(word) + " is no command; " + config::suggestion(word, names) + '\n';
}

bool has_commands(CLI::App const& app) {
    auto const all = app.get_subcommands({});
    return std::any_of(all.begin(), all.end(),
                       [](CLI::App const* one) { return !one->get_name().empty(); });
}

// For an unknown word the parser reports only that a command is missing.
std::string problem_of_commands(CLI::App const& app, int argc, char const* const* argv) {
    CLI::App const* at = &app;
    for (int i = 1; i < argc && has_commands(*at); ++i) {
        std::string const word{argv[i]};
        if (word.empty() || word.front() == '-') return {};
        CLI::App const* const next = find_command(*at, word);
        if (next == nullptr) return no_command(*at, word);
        at = next;
    }
    return {};
}

void add_help(CLI::App& app, int& exit_code) {
    auto* const command = app.add_subcommand("help", "Print the help of the program or a command");
    auto const words = std::make_shared<std::vector<std::string>>();
    command->add_option("COMMAND", *words, "The command, in as many words as it has")
        ->type_name("WORD");
    command->footer("Example:\n  sallyport help credential create");
    command->callback([&app, words, &exit_code] {
        CLI::App const* about = &app;
        std::string before;
        for (std::string const& word : *words) {
            CLI::App const* const next = find_command(*about, word);
            if (next == nullptr) {
                std::cerr << no_command(*about, word);
                exit_code = 2;
                return;
            }
            about = next;
            before += ' ' + word;
        }
        // help() of the program would be that of the command that runs: this one.
        std::cout << about->get_formatter()->make_help(about, app.get_name() + before,
                                                       CLI::AppFormatMode::Normal);
        exit_code = 0;
    });
}

} // namespace

int run_command_line(int argc, char const* const* argv, config::Tables const& tables,
                     Run const& run) {
    CLI::App app{"Sallyport: an authenticating reverse proxy and API gateway"};
    app.name("sallyport");
    app.formatter(std::make_shared<HelpFormat>()); // of all commands: they inherit it
    app.require_subcommand(1);
    app.set_version_flag("-V,--version", "sallyport " + std::string{lifecycle::version()});
    app.footer("Examples:\n  sallyport check -c /etc/sallyport/sallyport.yaml\n"
               "  sallyport run -c /etc/sallyport/sallyport.yaml\n"
               "`sallyport COMMAND --help` has more.");
    int exit_code = 0;
    // In the order of the help.
    add_run(app, run, exit_code);
    add_check(app, tables, exit_code);
    add_config(app, tables, exit_code);
    add_validate(app, exit_code);
    add_contract(app, exit_code);
    add_credential(app, tables, exit_code);
    add_access(app, tables, exit_code);
    add_status(app, tables, exit_code);
    add_reload(app, tables, exit_code);
    add_sandbox(app, exit_code);
    add_completion(app, exit_code);
    add_version(app, exit_code);
    add_help(app, exit_code);
    if (auto const problem = problem_of_commands(app, argc, argv); !problem.empty()) {
        std::cerr << problem;
        return 2;
    }
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
        // 2: the words are not a valid command. Requested help is not an error.
        return app.exit(error) == 0 ? 0 : 2;
    }
    return exit_code;
}

} // namespace sallyport::commands
