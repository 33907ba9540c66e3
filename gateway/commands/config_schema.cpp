// `sallyport config schema`: see config_schema.h.
#include "gateway/commands/config_schema.h"

#include "config/include.h"
#include "config/json_schema.h"
#include "config/tables.h"

#include <ostream>

namespace sallyport::commands {

int run_config_schema(SchemaOptions const& options, config::Tables const& tables,
                      std::ostream& out) {
    auto const layout =
        options.format == Format::json ? config::Layout::one_line : config::Layout::indented;
    auto const& whole = tables.config().info();
    switch (options.file) {
    case ConfigFile::configuration:
        out << config::json_schema(whole, "Configuration of Sallyport", layout);
        break;
    case ConfigFile::included:
        out << config::json_schema(config::included_info(whole),
                                   "Included file of Sallyport's configuration", layout);
        break;
    case ConfigFile::credentials:
        out << config::json_schema(tables.credentials().info(),
                                   "Credentials of Sallyport's callers", layout);
        break;
    }
    return 0;
}

} // namespace sallyport::commands
