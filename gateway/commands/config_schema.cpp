// `sallyport config schema`: see config_schema.h.
#include "gateway/commands/config_schema.h"

#include "config/json_schema.h"
#include "config/tables.h"

#include <ostream>

namespace sallyport::commands {

int run_config_schema(SchemaOptions const& options, config::Tables const& tables,
                      std::ostream& out) {
    bool const is_config = options.file == ConfigFile::configuration;
    auto const& info = is_config ? tables.config().info() : tables.credentials().info();
    out << config::json_schema(
        info, is_config ? "Configuration of Sallyport" : "Credentials of Sallyport's callers",
        options.format == Format::json ? config::Layout::one_line : config::Layout::indented);
    return 0;
}

} // namespace sallyport::commands
