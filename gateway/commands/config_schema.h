// `sallyport config schema`: the JSON Schema of the configuration, for editors.
#pragma once

#include "gateway/commands/output.h"

#include <cstdint>
#include <iosfwd>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

enum class ConfigFile : std::uint8_t { configuration, included, credentials };

struct SchemaOptions {
    ConfigFile file = ConfigFile::configuration;
    Format format = Format::text; // text: indented; json: on one line
};

/// 0: it was printed.
[[nodiscard]] int run_config_schema(SchemaOptions const& options, config::Tables const& tables,
                                    std::ostream& out);

} // namespace sallyport::commands
