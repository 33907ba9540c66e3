// Contracts that were loaded before, so that a reload reads only those again whose files have
// changed.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/pipeline/sha256.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::lifecycle {

/// Used by one thread at a time: that of reloads.
class ContractCache {
public:
    /// As Contract::load_text(), but a contract that was loaded here with the same options, and from
    /// files that still have the same content, is that one. All files are read: times of changes
    /// are not relied on.
    [[nodiscard]] contract::Loaded load(std::string_view text, std::string const& path,
                                        contract::LoadOptions const& options);

    /// Forgets what was not asked for since the last call: to be called after each configuration.
    void forget_unused();
    /// Forgets everything: what was loaded while files changed may be of neither state.
    void clear() { entries_.clear(); }

    /// How many contracts were loaded, and not found.
    [[nodiscard]] std::size_t loads() const noexcept { return loads_; }

private:
    struct Entry {
        std::string path;
        contract::LoadOptions options;
        pipeline::Digest content; // of all its files
        contract::Loaded loaded;
        bool is_used = true;
    };

    [[nodiscard]] pipeline::Digest content_of(std::string_view text,
                                              contract::LoadOptions const& options,
                                              std::vector<std::string> const& files);

    std::vector<Entry> entries_;
    pipeline::Sha256 sha256_;
    std::size_t loads_ = 0;
};

/// The files and folders below a folder of schemas, which a contract may refer to; the folders with
/// `/.` at their end. At most 10,000.
void add_folder(std::string const& folder, std::vector<std::string>& files);

} // namespace sallyport::lifecycle
