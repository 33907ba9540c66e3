// What plugins keep on a worker beyond a snapshot: caches of what others have said.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

namespace sallyport::pipeline {

/// Owned by the worker, used on its thread. What no plugin holds any more, because a reload has
/// changed what it was for, stays for the next reload: of more than `most_unused` such things that
/// which was used least recently is dropped.
class Kept {
public:
    static constexpr std::size_t most_unused = 16;

    /// The thing of that name and type, made of `arguments` if there is none. `name`: the plugin's,
    /// and what the thing depends on. A plugin that holds the result need not ask again.
    template <class T, class... Arguments>
    [[nodiscard]] std::shared_ptr<T> get(std::string_view name, Arguments&&... arguments) {
        auto const found = std::find_if(things_.begin(), things_.end(), [name](Thing const& one) {
            return one.name == name && *one.type == typeid(T);
        });
        if (found != things_.end()) {
            found->used = ++uses_;
            return std::static_pointer_cast<T>(found->value);
        }
        drop_unused();
        auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
        things_.push_back({std::string{name}, &typeid(T), made, ++uses_});
        return made;
    }

    [[nodiscard]] std::size_t size() const noexcept { return things_.size(); }

private:
    struct Thing {
        std::string name;
        std::type_info const* type;
        std::shared_ptr<void> value;
        std::size_t used;

        [[nodiscard]] bool is_unused() const noexcept { return value.use_count() == 1; }
    };

    // Makes room for one more that may become unused.
    void drop_unused() {
        auto const unused = [](Thing const& one) { return one.is_unused(); };
        if (std::count_if(things_.begin(), things_.end(), unused)
            < static_cast<std::ptrdiff_t>(most_unused))
            return;
        auto const oldest = std::min_element(things_.begin(), things_.end(),
                                             [](Thing const& one, Thing const& other) {
                                                 if (one.is_unused() != other.is_unused())
                                                     return one.is_unused();
                                                 return one.used < other.used;
                                             });
        things_.erase(oldest);
    }

    std::vector<Thing> things_;
    std::size_t uses_ = 0;
};

} // namespace sallyport::pipeline
