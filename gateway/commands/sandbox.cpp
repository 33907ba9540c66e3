// `sallyport sandbox`: see sandbox.h.
#include "gateway/commands/sandbox.h"

#include <cerrno>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <unistd.h>

namespace sallyport::commands {

namespace {

constexpr char const* program_name = "sallyport-sandbox";

// The program next to this one; otherwise that of PATH.
std::string find_program() {
    std::error_code error;
    auto const self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return program_name;
    auto const beside = self.parent_path() / program_name;
    return std::filesystem::exists(beside, error) ? beside.string() : program_name;
}

} // namespace

int run_sandbox(std::vector<std::string> const& arguments, std::ostream& err) {
    std::string const program = find_program();
    std::vector<char*> words;
    // execvp() takes pointers to non-const, but changes nothing.
    words.push_back(const_cast<char*>(program_name)); // NOLINT(*-const-cast)
    for (std::string const& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str())); // NOLINT(*-const-cast)
    }
    words.push_back(nullptr);
    ::execvp(program.c_str(), words.data());
    err << program << ": " << std::generic_category().message(errno)
        << "; it is installed beside sallyport, or found in PATH\n";
    return 1;
}

} // namespace sallyport::commands
