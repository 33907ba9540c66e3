// The folders and names on the way of a path, at which its file may be replaced.
#pragma once

#include <string>
#include <vector>

namespace sallyport::lifecycle {

struct NameOnTheWay {
    std::string folder;
    std::string name;
};

/// The links that a path passes, with those that they lead to, and the file at its end, each as a
/// name in a real folder: if one of them is replaced, another file is at the path. If something on
/// the way is missing, it is the last entry.
[[nodiscard]] std::vector<NameOnTheWay> names_on_the_way(std::string const& path);

} // namespace sallyport::lifecycle
