// The commands besides `run`, in the order of the help.
#include "gateway/commands/commands.h"

#include "gateway/commands/check.h"
#include "gateway/commands/completion.h"
#include "gateway/commands/config_schema.h"
#include "gateway/commands/credential.h"
#include "gateway/commands/sandbox.h"
#include "gateway/commands/status.h"
#include "gateway/commands/validate.h"
#include "gateway/commands/version.h"

#include <CLI/CLI.hpp>

namespace sallyport::commands {

void add_commands(CLI::App& app, int& exit_code) {
    add_check_command(app, exit_code);
    add_config_command(app, exit_code);
    add_validate_command(app, exit_code);
    add_credential_command(app, exit_code);
    add_status_command(app, exit_code);
    add_sandbox_command(app, exit_code);
    add_completion_command(app, exit_code);
    add_version_command(app, exit_code);
}

} // namespace sallyport::commands
