// `sallyport contract resolve`: see contract_resolve.h.
#include "gateway/commands/contract_resolve.h"

#include "config/yaml_print.h"
#include "gateway/commands/output.h"
#include "gateway/contract/overlay/overlay.h"

#include <ostream>

namespace sallyport::commands {

int run_contract_resolve(ContractResolveOptions const& options, std::ostream& out,
                         std::ostream& err) {
    auto const document =
        contract::with_overlays(
            config::yaml::load_file(options.file, config::yaml::Syntax::full), options.overlays);
    print_problems(err, document.problems());
    if (document.has_errors() || !document.is_whole()) return 1;
    out << config::yaml::to_yaml(document.root());
    return 0;
}

} // namespace sallyport::commands
