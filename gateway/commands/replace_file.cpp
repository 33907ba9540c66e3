// Writes a new file beside the old one, and renames it.
#include "gateway/commands/replace_file.h"

#include "config/text.h"
#include "config/yaml.h"
#include "gateway/net/descriptor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sallyport::commands {

namespace {

std::string because(std::string_view what) {
    return std::string{what} + ": " + std::system_category().message(errno);
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        auto const written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// A file that is removed unless it has become the real one.
class NewFile {
public:
    explicit NewFile(std::string const& beside)
        : path_{beside + ".XXXXXX"}, descriptor_{::mkostemp(path_.data(), O_CLOEXEC)} {}
    ~NewFile() {
        if (descriptor_.get() >= 0 && !is_in_place_) ::unlink(path_.c_str());
    }
    NewFile(NewFile const&) = delete;
    NewFile& operator=(NewFile const&) = delete;

    // On the disk. Empty: it is. With mode 0600, as mkostemp makes it.
    [[nodiscard]] std::string fill(std::string_view text) const {
        int const file = descriptor_.get();
        if (file < 0) return because("no file can be made beside it");
        if (!write_all(file, text) || ::fsync(file) != 0)
            return because("the new file cannot be written");
        return {};
    }
    // With the mode and owner of the old one.
    [[nodiscard]] std::string fill(std::string_view text, struct stat const& old) const {
        int const file = descriptor_.get();
        if (file < 0) return because("no file can be made beside it");
        struct stat own {};
        if (::fstat(file, &own) != 0) return because("the new file cannot be looked at");
        bool const is_owned = own.st_uid == old.st_uid && own.st_gid == old.st_gid;
        if (!is_owned && ::fchown(file, old.st_uid, old.st_gid) != 0)
            return because("its owner cannot be kept");
        if (::fchmod(file, old.st_mode & 07777U) != 0) return because("its mode cannot be kept");
        return fill(text);
    }
    [[nodiscard]] std::string put_in_place_of(std::string const& path) {
        if (::rename(path_.c_str(), path.c_str()) != 0) return because("it cannot be replaced");
        is_in_place_ = true;
        sync_folder_of(path);
        return {};
    }
    // Unlike a rename, link(2) fails where anything has the name. The first name is removed.
    [[nodiscard]] std::string put_at(std::string const& path) const {
        if (::link(path_.c_str(), path.c_str()) != 0) {
            return errno == EEXIST ? "something of this name was made meanwhile; try again"
                                   : because("it cannot be made");
        }
        sync_folder_of(path);
        return {};
    }

private:
    // The file is in its place even if it is not known when that reaches the disk.
    static void sync_folder_of(std::string const& path) {
        auto const folder = std::filesystem::absolute(path).parent_path();
        constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
        net::FileDescriptor const opened{::open(folder.c_str(), flags)};
        if (opened.get() >= 0) static_cast<void>(::fsync(opened.get()));
    }

    std::string path_;
    net::FileDescriptor descriptor_;
    bool is_in_place_ = false;
};

} // namespace

std::string replace_file(std::string const& path, std::string_view before, std::string_view after) {
    std::error_code error;
    auto const real = std::filesystem::canonical(path, error);
    if (error) return "it cannot be found: " + error.message();
    net::FileDescriptor const old{::open(real.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    if (old.get() < 0) return because("it cannot be opened");
    // Two commands at a time would undo each other's change.
    if (::flock(old.get(), LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? "another command is changing it" : because("it has no lock");
    struct stat opened {};
    struct stat named {};
    if (::fstat(old.get(), &opened) != 0 || ::stat(real.c_str(), &named) != 0)
        return because("it cannot be looked at");
    auto const content = config::read_file(real, config::yaml::max_file_size);
    bool const is_same = opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    if (!is_same || !content.problem.empty() || content.text != before)
        return "it was changed meanwhile; try again";
    NewFile file{real};
    if (auto problem = file.fill(after, opened); !problem.empty()) return problem;
    return file.put_in_place_of(real);
}

std::string create_file(std::string const& path, std::string_view text) {
    NewFile const file{path};
    if (auto problem = file.fill(text); !problem.empty()) return problem;
    return file.put_at(path);
}

} // namespace sallyport::commands
