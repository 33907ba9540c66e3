// `include`: joins a configuration with the files that it names.
//
// Each of them has sections of its own: the lists and names of some are joined, every other section
// is in one file only. All values keep their places, so that problems are reported where they are.
#pragma once

#include "config/reader.h"
#include "config/shape.h"
#include "config/types.h"
#include "config/yaml.h"

#include <cstddef>
#include <string>
#include <vector>

namespace sallyport::config {

inline constexpr std::size_t most_includes = 64;
inline constexpr std::size_t most_included_files = 1'000;

/// The row of the key `include`, and how its value is read: paths, of which the last name may be a
/// pattern (fnmatch(3): `*`, `?`, `[...]`). References are refused, because the files that make up
/// a configuration do not depend on where it is read.
[[nodiscard]] KeyInfo include_info();
[[nodiscard]] std::vector<File> read_includes(Reader& reader, Value const& value);

/// The table of an included file: no key is required, and none is `include`. `config`: of the
/// configuration.
[[nodiscard]] SectionInfo included_info(SectionInfo const& config);

/// A configuration and the files that it includes.
struct Joined {
    yaml::Document document; // without `include`; its problems are those of all documents
    Folders folders;         // of the files
    /// The files, and the folders of patterns as `folder/.`, each at its entry of `include`.
    std::vector<File> files;
    /// A file is missing, cannot be read or parsed: what follows from that is not worth reporting.
    bool is_complete = true;
};

/// Whether there is something to join.
[[nodiscard]] bool has_includes(yaml::Document const& document);

/// Reads at most most_included_files, with at most yaml::max_file_size bytes together. `path`: of
/// the configuration, which no pattern matches; empty: it is no file. `folder`: where relative
/// paths of its `include` begin.
[[nodiscard]] Joined join_includes(yaml::Document const& document, std::string const& path,
                                   std::string const& folder);

} // namespace sallyport::config
