// `sallyport contract check`: see contract_check.h.
#include "gateway/commands/contract_check.h"

#include "gateway/contract/contract.h"

#include <ostream>

namespace sallyport::commands {

int run_contract_check(ContractCheckOptions const& options, std::ostream& out) {
    config::yaml::Problems problems;
    bool all_right = true;
    for (std::string const& file : options.files) {
        auto loaded = contract::Contract::load_file(
            file,
            {options.schema_folders, options.overlays, options.unsupported, {}, options.folder});
        all_right = all_right && loaded.contract != nullptr;
        problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
        if (options.format == Format::text) {
            print_problems(out, loaded.problems);
            if (loaded.contract) {
                auto const count = loaded.contract->operations().size();
                out << file << ": OK (" << count << " operation" << (count == 1 ? "" : "s")
                    << ")\n";
            }
        }
    }
    if (options.format == Format::json) {
        out << R"({"ok":)" << (all_right ? "true" : "false")
            << ",\"problems\":" << json_problems(problems) << "}\n";
    } else if (options.format == Format::github) {
        print_annotations(out, problems);
    }
    return all_right ? 0 : 1;
}

} // namespace sallyport::commands
