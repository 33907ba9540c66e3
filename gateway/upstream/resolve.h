// Turns the names of endpoints into addresses, off the path of requests: in a thread of its own, every 30 s.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace sallyport::upstream {

/// One for all workers; outlives them. The last good answer of a name is kept.
class Resolver {
public:
    /// Told, on the resolver's thread, when a name stops resolving, and when it does again (empty error).
    using OnChange = std::function<void(std::string const& name, std::string const& error)>;

    explicit Resolver(OnChange on_change);
    ~Resolver();
    Resolver(Resolver const&) = delete;
    Resolver& operator=(Resolver const&) = delete;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace sallyport::upstream
