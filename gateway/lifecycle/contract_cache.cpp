// Contracts that were loaded before.
#include "gateway/lifecycle/contract_cache.h"

#include "config/text.h"
#include "config/yaml.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sallyport::lifecycle {

void add_folder(std::string const& folder, std::vector<std::string>& files) {
    constexpr std::size_t most = 10'000; // compared with the 5,000 that a contract may refer to
    namespace fs = std::filesystem;
    auto const add_itself = [&files](fs::path const& path) {
        files.push_back((path / ".").string()); // so that it is watched like a file
    };
    add_itself(folder);
    std::error_code error;
    fs::recursive_directory_iterator entry{folder, error};
    for (; !error && entry != fs::recursive_directory_iterator{}; entry.increment(error)) {
        if (files.size() >= most) return;
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            add_itself(entry->path());
        } else {
            files.push_back(entry->path().string());
        }
    }
}

pipeline::Digest ContractCache::content_of(std::string_view text,
                                           contract::LoadOptions const& options,
                                           std::vector<std::string> const& files) {
    std::vector<std::string> all = options.overlays;
    all.insert(all.end(), files.begin(), files.end());
    std::vector<std::string> in_folders;
    for (std::string const& folder : options.schema_folders)
        add_folder(folder, in_folders);
    std::sort(in_folders.begin(), in_folders.end()); // the order within a folder is not defined
    all.insert(all.end(), in_folders.begin(), in_folders.end());
    // Fixed sizes: no two lists of files have one text.
    auto const whole = sha256_(text);
    std::string digests{pipeline::as_text(whole)};
    for (std::string const& name : all) {
        auto const file = config::read_file(name, config::yaml::max_file_size);
        auto const of_name = sha256_(name);
        auto const of_text = sha256_(file.problem.empty() ? file.text : file.problem);
        digests.append(pipeline::as_text(of_name)).append(pipeline::as_text(of_text));
        digests += file.problem.empty() ? '1' : '0';
    }
    return sha256_(digests);
}

contract::Loaded ContractCache::load(std::string_view text, std::string const& path,
                                     contract::LoadOptions const& options) {
    for (Entry& entry : entries_) {
        if (entry.path != path || !(entry.options == options)) continue;
        if (entry.content != content_of(text, options, entry.loaded.files)) continue;
        entry.is_used = true;
        return entry.loaded;
    }
    ++loads_;
    auto loaded = contract::Contract::load_text(text, path, options);
    entries_.push_back({path, options, content_of(text, options, loaded.files), loaded});
    return loaded;
}

void ContractCache::forget_unused() {
    std::erase_if(entries_, [](Entry const& entry) { return !entry.is_used; });
    for (Entry& entry : entries_)
        entry.is_used = false;
}

} // namespace sallyport::lifecycle
