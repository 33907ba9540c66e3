// An intrusive circular list: a member unlinks itself when it is destroyed.
#pragma once

namespace sallyport::net {

/// A link of the list; the list itself is a link that belongs to no member.
struct ListLink {
    ListLink() = default;
    ~ListLink() { unlink(); }
    ListLink(ListLink const&) = delete;
    ListLink& operator=(ListLink const&) = delete;

    [[nodiscard]] bool is_linked() const noexcept { return next != this; }
    void unlink() noexcept {
        previous->next = next;
        next->previous = previous;
        previous = next = this;
    }
    void link_before(ListLink& other) noexcept {
        previous = other.previous;
        next = &other;
        previous->next = this;
        other.previous = this;
    }

    ListLink* previous = this;
    ListLink* next = this;
};

} // namespace sallyport::net
