// Reads the list of denied secrets whenever its file has changed.
#include "gateway/lifecycle/denied_watch.h"

#include "config/text.h"

#include <utility>

namespace sallyport::lifecycle {

namespace {

using Clock = std::chrono::system_clock;

} // namespace

LoadedDenied load_denied(std::string const& path) {
    auto file = config::read_file(path, pipeline::most_denied_bytes);
    if (!file.problem.empty()) return {nullptr, path + ": " + file.problem};
    auto read = pipeline::DeniedSecrets::read(file.text);
    if (read.wrong_line != 0) {
        return {nullptr, path + ':' + std::to_string(read.wrong_line)
                             + ": is no hash as `sallyport credential hash` prints it"};
    }
    return {std::make_shared<pipeline::DeniedSecrets const>(std::move(read.list)), {}};
}

DeniedWatch::DeniedWatch(net::asio::io_context& control, Listener listener)
    : listener_{std::move(listener)}, watch_{control, {[this] { read_again(); }, [](auto&) {}}} {}

DeniedWatch::Prepared DeniedWatch::prepare(config::Config const& config) {
    auto const& file = config.credentials.denied;
    if (!file) return {};
    auto const began = Clock::now();
    return {file->path, load_denied(file->path), began};
}

void DeniedWatch::adopt(Prepared prepared) {
    path_ = std::move(prepared.path);
    auto const& problem = prepared.loaded.problem;
    if (problem.empty()) listener_.on_list(std::move(prepared.loaded.list));
    else listener_.on_problem(problem);
    if (path_.empty()) return watch_.watch({}, prepared.began);
    watch_.watch({path_}, prepared.began);
}

void DeniedWatch::read_again() {
    auto const began = Clock::now();
    watch_.begin_reading();
    auto loaded = load_denied(path_);
    auto const unfinished = watch_.unfinished_since({path_}, began);
    // It is reported once more when it is complete.
    if (unfinished.empty()) {
        if (loaded.list != nullptr) listener_.on_list(std::move(loaded.list));
        else listener_.on_problem(loaded.problem);
    }
    watch_.watch({path_}, began, unfinished);
}

} // namespace sallyport::lifecycle
