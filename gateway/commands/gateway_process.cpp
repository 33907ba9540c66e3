// Finds the processes of this machine that are gateways: see gateway_process.h.
#include "gateway/commands/gateway_process.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace sallyport::commands {

namespace {

namespace fs = std::filesystem;

std::string file_name_of_program(std::string const& process) {
    std::error_code error;
    auto name = fs::read_symlink("/proc/" + process + "/exe", error).filename();
    // proc(5): appended if the program was replaced since it was started.
    auto text = error ? std::string{} : name.string();
    constexpr std::string_view gone = " (deleted)";
    if (text.size() > gone.size() && text.substr(text.size() - gone.size()) == gone)
        text.resize(text.size() - gone.size());
    return text;
}

std::vector<std::string> command_line_of(pid_t process) {
    std::ifstream file{"/proc/" + std::to_string(process) + "/cmdline", std::ios::binary};
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');)
        words.push_back(std::move(word));
    return words;
}

// Of the words after `run`: -c FILE, -cFILE, --config FILE, --config=FILE, or only FILE.
std::string file_among(std::vector<std::string> const& words, std::size_t first) {
    constexpr std::string_view long_name = "--config=";
    for (std::size_t i = first; i < words.size(); ++i) {
        std::string const& word = words[i];
        if (word == "-c" || word == "--config") return i + 1 < words.size() ? words[i + 1] : "";
        if (word.starts_with(long_name)) return word.substr(long_name.size());
        if (word.starts_with("-c")) return word.substr(2);
        if (!word.empty() && word.front() != '-') return word;
    }
    return {};
}

} // namespace

bool is_gateway(pid_t process) {
    auto const name = file_name_of_program(std::to_string(process));
    return !name.empty() && name == file_name_of_program("self");
}

std::optional<fs::path> configuration_of(pid_t process) {
    auto const words = command_line_of(process);
    if (words.size() < 3 || words[1] != "run") return std::nullopt;
    // The program of another user's process cannot be read; the name that it set itself can.
    if (!is_gateway(process)
        && fs::path{words[0]}.filename() != file_name_of_program("self")) {
        return std::nullopt;
    }
    fs::path const file = file_among(words, 2);
    if (file.empty() || file.is_absolute())
        return file.empty() ? std::nullopt : std::optional{file};
    std::error_code error;
    auto const folder = fs::read_symlink("/proc/" + std::to_string(process) + "/cwd", error);
    if (error) return std::nullopt;
    return folder / file;
}

} // namespace sallyport::commands
