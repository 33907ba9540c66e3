// Completions: each shell reads the script of the program, and prints what it would offer.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>
#include <sstream>

namespace e10_completion {

using namespace sallyport::test;

namespace {

using Offers = std::set<std::string>;

// Readline treats `=` as a word of its own.
constexpr char const* bash_program = R"(
source "$HOME/script"
read -r -a COMP_WORDS <<<"${LINE//=/ = }"
if [[ $LINE == *' ' ]]; then COMP_WORDS+=(''); fi
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
declared=$(complete -p sallyport) # complete -F NAME sallyport
declared=${declared#*-F }
"${declared% sallyport}"
printf '%s\n' "${COMPREPLY[@]}" >"$HOME/offers"
)";

// An interactive shell, which writes the output of its completion system to a file.
constexpr char const* zsh_program = R"(
autoload -Uz compinit
compinit -u -D
source $HOME/script
compadd() {
    local -a offers
    if [[ " $* " != *' -'[ODA]' '* ]]; then
        builtin compadd -O offers "$@"
        print -rl -- $offers >>$HOME/offers
    fi
    builtin compadd "$@"
}
run_completion() {
    BUFFER=$LINE
    CURSOR=$#BUFFER
    zle complete-word
    exit 0
}
zle -N zle-line-init run_completion
)";

constexpr char const* fish_program = R"(
source $HOME/script
complete -C $LINE >$HOME/offers
)";

struct Shell {
    std::string name;
    std::string file;    // read by it, in HOME
    char const* program; // runs its completion
    std::vector<std::string> command;
};

Shell const bash{"bash", "complete.bash", bash_program, {"bash", "--norc", "HOME/complete.bash"}};
// zsh completes only at a terminal: script(1) is one.
Shell const zsh{"zsh", ".zshrc", zsh_program, {"script", "-qec", "zsh -i", "/dev/null"}};
Shell const fish{
    "fish", "complete.fish", fish_program, {"fish", "--no-config", "HOME/complete.fish"}};

// zsh prints a file's name as "b\ c.yaml"; fish has a description after a tabulator; a folder may
// have its slash.
std::string plain(std::string offer) {
    offer = offer.substr(0, offer.find('\t'));
    for (auto at = offer.find('\\'); at != std::string::npos; at = offer.find('\\', at))
        offer.erase(at, 1);
    if (!offer.empty() && offer.back() == '/') offer.pop_back();
    return offer;
}

class Completion {
public:
    explicit Completion(Shell const& shell) : shell_{shell} {
        auto const script = run_gateway({"completion", shell.name});
        REQUIRE(script.exit_code == 0);
        REQUIRE(script.error.empty());
        home_.write("script", script.output);
        home_.write(shell.file, shell.program);
        folder_.write("a.yaml", {});
        folder_.write("b c.yaml", {});
        folder_.write("some folder/file", {});
    }

    Offers offers(std::string const& line) const {
        auto command = shell_.command;
        for (auto& word : command) {
            if (word.rfind("HOME/", 0) == 0) word = (home_ / word.substr(5)).string();
        }
        std::filesystem::remove(home_ / "offers");
        auto const finished = run({command,
                                   {{"LINE", line},
                                    {"HOME", home_.path().string()},
                                    {"ZDOTDIR", home_.path().string()},
                                    {"XDG_CONFIG_HOME", home_.path().string()},
                                    {"XDG_DATA_HOME", home_.path().string()},
                                    {"TERM", "dumb"},
                                    {"LC_ALL", "C.UTF-8"}},
                                   folder_.path()});
        INFO(shell_.name << " " << line << "\n" << finished.output << finished.error);
        CHECK(finished.exit_code == 0);
        CHECK(finished.error.empty());
        Offers out;
        std::istringstream lines{read_file(home_ / "offers")};
        for (std::string offer; std::getline(lines, offer);) {
            if (!offer.empty()) out.insert(plain(offer));
        }
        return out;
    }

private:
    Shell const& shell_;
    TemporaryFolder home_;
    TemporaryFolder folder_;
};

// What `--help` lists: commands, or long options.
Offers listed(std::vector<std::string> command, std::string const& head) {
    command.emplace_back("--help");
    std::istringstream lines{run_gateway(command).output};
    Offers out;
    bool is_in_list = false;
    for (std::string line; std::getline(lines, line);) {
        auto const begin = line.find_first_not_of(' ');
        if (begin == std::string::npos || begin == 0) {
            is_in_list = line == head;
            continue;
        }
        if (!is_in_list) continue;
        auto word = line.substr(begin, line.find(' ', begin) - begin);
        if (head == "Options:") {
            auto const is_long = word.find("--");
            if (is_long == std::string::npos) continue; // a continued description
            word.erase(0, is_long);
        }
        out.insert(word);
    }
    return out;
}

Offers long_ones(Offers const& offers) {
    Offers out;
    for (auto const& offer : offers) {
        if (offer.rfind("--", 0) == 0) out.insert(offer);
    }
    return out;
}

// zsh offers options if nothing else matches.
Offers no_options(Offers const& offers) {
    Offers out;
    for (auto const& offer : offers) {
        if (offer.front() != '-') out.insert(offer);
    }
    return out;
}

void check_completions(Shell const& shell) {
    for (auto const& program : {shell.name, shell.command[0]}) {
        if (!find_program(program).empty()) continue;
        WARN("skipped: there is no " << program << " on this machine");
        return;
    }
    Completion const completion{shell};
    Offers const files{"a.yaml", "b c.yaml", "some folder"};
    CHECK(completion.offers("sallyport nothing-like-that --x").empty());
    CHECK(no_options(completion.offers("sallyport version ")).empty());
    CHECK(completion.offers("sallyport credential create --name ").empty());
    CHECK(completion.offers("sallyport ") == listed({}, "Subcommands:"));
    CHECK(completion.offers("sallyport cre") == Offers{"credential"});
    CHECK(completion.offers("sallyport credential ") == listed({"credential"}, "Subcommands:"));
    CHECK(long_ones(completion.offers("sallyport check --")) == listed({"check"}, "Options:"));
    CHECK(completion.offers("sallyport check -c ") == files);
    CHECK(completion.offers("sallyport validate --schemas ") == Offers{"some folder"});
    CHECK(completion.offers("sallyport validate --contract a.yaml ") == files);
    CHECK(completion.offers("sallyport credential create --kind ") == Offers{"api_key", "basic", "bearer"});
    CHECK(completion.offers("sallyport completion ") == Offers{"bash", "fish", "zsh"});
    CHECK(completion.offers("sallyport check --format ") == Offers{"github", "json", "text"});
    // A value that looks like a command is not one.
    CHECK(completion.offers("sallyport credential list -c create --fo") == Offers{"--format"});
    // fish offers the whole word.
    auto const joined = completion.offers("sallyport status --format=");
    CHECK((joined == Offers{"json", "text"} || joined == Offers{"--format=json", "--format=text"}));
    auto const begun = completion.offers("sallyport status --format=j");
    CHECK((begun == Offers{"json"} || begun == Offers{"--format=json"}));
}

} // namespace

TEST_CASE("an unknown shell is wrong usage") {
    CHECK(run_gateway({"completion", "tcsh"}).exit_code == 2);
    CHECK(run_gateway({"completion"}).exit_code == 2);
}

TEST_CASE("bash completes the command line") {
    check_completions(bash);
}

TEST_CASE("zsh completes the command line") {
    check_completions(zsh);
}

TEST_CASE("fish completes the command line") {
    check_completions(fish);
}

} // namespace e10_completion
