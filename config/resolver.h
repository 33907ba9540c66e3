// `${env:NAME}` and `${file:/path}` in scalars: where the values come from, and how a text is
// expanded.
#pragma once

#include "config/headers.h"
#include "config/text.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {

enum class Expansion : std::uint8_t {
    wanted,
    left_open, // only their form is looked at: neither variables nor files have to be there
};

/// The outside world as the reader of the configuration sees it: tests and the fuzzer put their own
/// in its place.
struct Resolver {
    std::function<std::optional<std::string>(std::string const& name)> environment;
    std::function<FileText(std::string const& path)> file;
    Expansion expansion = Expansion::wanted;
};

/// The process's environment, and files of at most 64 KiB.
[[nodiscard]] Resolver system_resolver();

/// Reads nothing of the machine.
[[nodiscard]] Resolver offline_resolver();

struct Expanded {
    std::string text;
    bool was_changed = false;       // a reference stood in it: its value may be secret
    std::vector<std::string> files; // that were read for it
    std::string left_open; // the references that stand for nothing here: `${env:A}, ${env:B}`
    std::string problem;   // what is wrong with a reference; empty: nothing
    std::string hint;
};

/// Replaces every `${env:NAME}` and `${file:PATH}`; `$${` stands for the two characters themselves.
/// What a reference stands for is not expanded again. The line feed that ends a file is left out;
/// relative paths begin at `folder`.
[[nodiscard]] Expanded expand(std::string_view text, std::string const& folder,
                              Resolver const& resolver);

/// The same for a text in which variables of requests may stand (config/headers.h). They have no
/// colon, or `label:` before it, so that none is a reference; what a reference stands for holds
/// none. At least one part.
struct ExpandedValue {
    std::vector<ValuePart> parts;
    std::string left_open;
    std::string problem;
    std::string hint;
};
[[nodiscard]] ExpandedValue expand_value(std::string_view text, std::string const& folder,
                                         Resolver const& resolver);

/// The path as seen from the working directory: relative ones begin at `folder` (empty: the working
/// directory itself).
[[nodiscard]] std::string resolve_path(std::string_view path, std::string const& folder);

/// "" for "x.yaml", "etc" for "etc/x.yaml".
[[nodiscard]] std::string folder_of(std::string const& path);

} // namespace sallyport::config
