// An upgrade: the process starts its successor, which inherits the listening sockets and, once it
// serves, ends its predecessor.
#include "gateway/accept/successor.h"

#include "gateway/accept/listening_socket.h"

#include <openssl/crypto.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

extern char** environ;

namespace sallyport::accept {

namespace {

constexpr char const* sockets_variable = "SALLYPORT_SOCKETS";         // name=descriptor;...
constexpr char const* predecessor_variable = "SALLYPORT_PREDECESSOR"; // its process id
constexpr char const* ticket_keys_variable = "SALLYPORT_TICKET_KEYS"; // a descriptor
constexpr char const* passwords_variable = "SALLYPORT_PASSWORDS";     // another one
constexpr int first_descriptor = 3;

std::string absolute_program(char const* name) {
    std::error_code error;
    auto const path = std::string_view{name}.find('/') != std::string_view::npos
                          ? std::filesystem::absolute(name, error)
                          : std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? name : path.string();
}

bool begins_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

// The environment without the variables meant for this process.
std::vector<std::string> environment_for_successor() {
    std::vector<std::string> kept;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string_view const text{*entry};
        bool const is_ours = begins_with(text, "LISTEN_") || begins_with(text, "WATCHDOG_PID=")
                             || begins_with(text, "SALLYPORT_SOCKETS=")
                             || begins_with(text, "SALLYPORT_PREDECESSOR=")
                             || begins_with(text, "SALLYPORT_TICKET_KEYS=")
                             || begins_with(text, "SALLYPORT_PASSWORDS=");
        if (!is_ours) kept.emplace_back(text);
    }
    return kept;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

// The whole text as a number; -1 if it is not one.
int number_of(std::string_view text) {
    int number = -1;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? number : -1;
}

std::string take_variable(char const* name) {
    char const* const text = std::getenv(name);
    std::string value{text == nullptr ? "" : text};
    ::unsetenv(name);
    return value;
}

// A pipe that contains the keys: memory that no file system and no other process can see. Empty if
// it cannot be made: the successor then makes keys of its own.
net::FileDescriptor pipe_with(net::TicketKeys& ticket_keys) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    net::FileDescriptor reading{ends[0]};
    net::FileDescriptor const writing{ends[1]};
    auto const packed = ticket_keys.pack();
    static_assert(net::TicketKeys::Packed::size <= 4096); // PIPE_BUF: a write is atomic
    auto const written = ::write(writing.get(), packed.bytes.data(), packed.bytes.size());
    if (written != static_cast<ssize_t>(packed.bytes.size())) return {};
    return reading;
}

// Nothing can change the memory any more: so no file and no other memory is taken for it.
constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

// Memory with what is remembered: a pipe is too small for it. Empty if it cannot be made: passwords
// are verified once more then.
net::FileDescriptor memory_with(pipeline::PasswordChecks const& passwords) {
    net::FileDescriptor memory{::memfd_create("passwords", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (!memory) return {};
    auto packed = passwords.pack();
    auto const size = packed.size() * sizeof(pipeline::Digest);
    // A write to memory is complete, or there is none left.
    auto const written = ::write(memory.get(), packed.data(), size);
    OPENSSL_cleanse(packed.data(), size);
    bool const is_complete = written == static_cast<ssize_t>(size)
                             && ::fcntl(memory.get(), F_ADD_SEALS, seals) == 0;
    return is_complete ? std::move(memory) : net::FileDescriptor{};
}

} // namespace

CommandLine::CommandLine(int argc, char const* const* argv)
    : program_{absolute_program(argv[0])}, arguments_(argv, argv + argc) {}

Started start_successor(CommandLine const& command, std::vector<NamedDescriptor> const& sockets,
                        net::TicketKeys& ticket_keys, pipeline::PasswordChecks const& passwords) {
    // When the first process of a container ends, the container ends.
    if (::getpid() == 1) return {0, "the first process of a container cannot have a successor"};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    std::string names;
    std::vector<net::FileDescriptor> copies;
    int target = first_descriptor;
    // Copied to numbers above the target range, so that none is overwritten before it is duplicated
    // to its place.
    int const above = first_descriptor + 2 * (static_cast<int>(sockets.size()) + 2);
    int out_of_descriptors = 0;
    auto const give = [&](int descriptor) {
        copies.emplace_back(::fcntl(descriptor, F_DUPFD_CLOEXEC, above));
        if (!copies.back()) out_of_descriptors = errno;
        ::posix_spawn_file_actions_adddup2(&actions, copies.back().get(), target);
        return std::to_string(target++);
    };
    for (auto const& socket : sockets)
        names += socket.name + "=" + give(socket.descriptor) + ";";
    auto environment = environment_for_successor();
    if (auto const keys = pipe_with(ticket_keys))
        environment.push_back(std::string{ticket_keys_variable} + "=" + give(keys.get()));
    if (auto const memory = memory_with(passwords))
        environment.push_back(std::string{passwords_variable} + "=" + give(memory.get()));
    environment.push_back(std::string{sockets_variable} + "=" + names);
    environment.push_back(std::string{predecessor_variable} + "=" + std::to_string(::getpid()));
    auto arguments = command.arguments();
    pid_t id = 0;
    int const error = out_of_descriptors != 0
                          ? out_of_descriptors
                          : ::posix_spawn(&id, command.program().c_str(), &actions, nullptr,
                                          pointers(arguments).data(), pointers(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        return {0,
                "cannot start " + command.program() + ": " + std::system_category().message(error)};
    }
    return {id, {}};
}

Inheritance take_inheritance() {
    auto const sockets = take_variable(sockets_variable);
    auto const predecessor = number_of(take_variable(predecessor_variable));
    auto const ticket_keys = number_of(take_variable(ticket_keys_variable));
    auto const passwords = number_of(take_variable(passwords_variable));
    Inheritance inheritance;
    if (predecessor <= 1) return inheritance;
    // If the predecessor has already ended its sockets are still valid, but its process id may be
    // another process's.
    if (predecessor == ::getppid()) inheritance.predecessor = predecessor;
    struct stat kind {};
    bool const is_pipe = ticket_keys >= first_descriptor && ::fstat(ticket_keys, &kind) == 0
                         && S_ISFIFO(kind.st_mode);
    if (is_pipe) inheritance.ticket_keys = net::FileDescriptor{ticket_keys};
    bool const is_memory =
        passwords >= first_descriptor && ::fcntl(passwords, F_GET_SEALS) == seals;
    if (is_memory) inheritance.passwords = net::FileDescriptor{passwords};
    std::string_view rest{sockets};
    while (!rest.empty()) {
        auto const entry = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
        auto const equals = entry.rfind('=');
        if (equals == std::string_view::npos) continue;
        int const descriptor = number_of(entry.substr(equals + 1));
        // A descriptor that is not listening is not a socket of a predecessor, whatever the
        // variable contains.
        if (descriptor < first_descriptor || !listens(descriptor)) continue;
        inheritance.sockets.push_back({std::string{entry.substr(0, equals)}, descriptor});
    }
    return inheritance;
}

void take_ticket_keys(net::FileDescriptor const& pipe, net::TicketKeys& ticket_keys) {
    if (!pipe) return;
    net::TicketKeys::Packed packed;
    auto const got = ::read(pipe.get(), packed.bytes.data(), packed.bytes.size());
    if (got == static_cast<ssize_t>(packed.bytes.size())) ticket_keys.unpack(packed.bytes);
}

void take_passwords(net::FileDescriptor const& memory, pipeline::PasswordChecks& passwords) {
    struct stat kind {};
    constexpr auto most = pipeline::PasswordChecks::most_remembered + 1;
    if (!memory || ::fstat(memory.get(), &kind) != 0) return;
    auto const size = static_cast<std::size_t>(kind.st_size);
    if (size % sizeof(pipeline::Digest) != 0 || size > most * sizeof(pipeline::Digest)) return;
    std::vector<pipeline::Digest> packed(size / sizeof(pipeline::Digest));
    if (::pread(memory.get(), packed.data(), size, 0) == static_cast<ssize_t>(size))
        passwords.unpack(packed);
    OPENSSL_cleanse(packed.data(), size);
}

void end_predecessor(pid_t predecessor) {
    // After its end it is no longer our parent, and its process id may be another process's.
    if (predecessor != 0 && predecessor == ::getppid()) ::kill(predecessor, SIGTERM);
}

} // namespace sallyport::accept
