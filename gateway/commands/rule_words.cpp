// The rules of credentials in a few words: see rule_words.h.
#include "gateway/commands/rule_words.h"

namespace sallyport::commands {

std::vector<std::string> words_of(config::AccessRule const& rule) {
    std::vector<std::string> out;
    for (auto const& operation : rule.operations) {
        out.push_back(operation.api + '/'
                      + (operation.operation.empty() ? "*" : operation.operation));
    }
    for (auto const& api : rule.apis)
        out.push_back(api.api);
    for (auto const& tag : rule.tags)
        out.push_back("tag:" + tag.api + '/' + tag.tag);
    for (auto const& method : rule.methods)
        out.push_back("method:" + method);
    if (rule.read_only) out.emplace_back("read_only");
    for (auto const& parameter : rule.parameters) {
        for (auto const& value : parameter.values)
            out.push_back(parameter.name + '=' + value);
        for (auto const& label : parameter.labels)
            out.push_back(parameter.name + "=${label:" + label + '}');
    }
    return out;
}

std::vector<std::string> words_of(config::Allow const& allow) {
    if (allow.extent == config::Allowed::all) return {"all"};
    return words_of(static_cast<config::AccessRule const&>(allow));
}

} // namespace sallyport::commands
