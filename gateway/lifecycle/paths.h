// Which names of which folders make a path lead to the file that it leads to.
#pragma once

#include <string>
#include <vector>

namespace sallyport::lifecycle {

struct NameOnTheWay {
    std::string folder;
    std::string name;
};

/// The links that a path passes, as those that they lead to, and the file at its end, each as a
/// name in a real folder: where one of them is exchanged, another file is at the path. Where
/// something on the way is missing, what is missing is the last.
[[nodiscard]] std::vector<NameOnTheWay> names_on_the_way(std::string const& path);

} // namespace sallyport::lifecycle
