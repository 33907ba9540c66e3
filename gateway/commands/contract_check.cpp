// `sallyport contract check`: see contract_check.h.
#include "gateway/commands/contract_check.h"

#include "gateway/contract/contract.h"
#include "gateway/contract/overlay/propose.h"
#include "gateway/lifecycle/written_fields.h"

#include <ostream>
#include <set>

namespace sallyport::commands {

namespace {

namespace yaml = config::yaml;

// What an API would refuse of a contract that loads: each parameter once, which several operations
// may share.
yaml::Problems judge_contract(contract::Contract const& contract) {
    yaml::Problems problems;
    std::set<std::string> seen;
    for (auto const& operation : contract.operations()) {
        for (auto const& parameter : operation.header_parameters) {
            auto problem = lifecycle::judge_written_field(parameter);
            if (problem && seen.insert(parameter.document_path).second)
                problems.push_back(std::move(*problem));
        }
    }
    return problems;
}

struct Proposal {
    std::string file;
    std::string overlay;
};

// Whether a problem says already how it loads: with `unsupported: unchecked`.
bool can_be_left_unchecked(std::string const& file, contract::LoadOptions options) {
    options.unsupported = contract::Unsupported::unchecked;
    auto const loaded = contract::Contract::load_file(file, options);
    return loaded.contract && judge_contract(*loaded.contract).empty();
}

void print_proposal(std::ostream& out, Proposal const& proposal) {
    out << proposal.file
        << ": it loads with this overlay, which removes what is named above; what it removes is "
           "not checked:\n\n"
        << proposal.overlay << '\n';
}

std::string json_proposals(std::vector<Proposal> const& proposals) {
    std::string out = "[";
    for (auto const& one : proposals) {
        out += out.size() > 1 ? ",{" : "{";
        out += "\"file\":" + json_string(one.file);
        out += ",\"overlay\":" + json_string(one.overlay) + '}';
    }
    return out + ']';
}

} // namespace

int run_contract_check(ContractCheckOptions const& options, std::ostream& out) {
    yaml::Problems problems;
    std::vector<Proposal> proposals;
    bool all_right = true;
    for (std::string const& file : options.files) {
        contract::LoadOptions const load{options.schema_folders, options.overlays,
                                         options.unsupported, {}, options.folder};
        auto loaded = contract::Contract::load_file(file, load);
        if (loaded.contract) {
            auto refused = judge_contract(*loaded.contract);
            loaded.problems.insert(loaded.problems.end(), refused.begin(), refused.end());
            yaml::sort_by_place(loaded.problems);
        }
        bool const is_right = !yaml::has_errors(loaded.problems);
        all_right = all_right && is_right;
        problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
        Proposal proposal{file, {}};
        if (!is_right && !can_be_left_unchecked(file, load))
            proposal.overlay = contract::propose_overlay(file, load, judge_contract);
        if (options.format == Format::text) {
            print_problems(out, loaded.problems);
            if (is_right) {
                auto const count = loaded.contract->operations().size();
                out << file << ": OK (" << count << " operation" << (count == 1 ? "" : "s")
                    << ")\n";
            }
            if (!proposal.overlay.empty()) print_proposal(out, proposal);
        }
        if (!proposal.overlay.empty()) proposals.push_back(std::move(proposal));
    }
    if (options.format == Format::json) {
        out << R"({"ok":)" << (all_right ? "true" : "false")
            << ",\"problems\":" << json_problems(problems);
        if (!proposals.empty()) out << ",\"proposals\":" << json_proposals(proposals);
        out << "}\n";
    } else if (options.format == Format::github) {
        print_annotations(out, problems);
    }
    return all_right ? 0 : 1;
}

} // namespace sallyport::commands
