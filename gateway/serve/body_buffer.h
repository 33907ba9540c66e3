// A body in memory that grows as its bytes arrive.
#pragma once

#include "gateway/http/content_coding.h"
#include "gateway/net/budget.h"
#include "gateway/net/buffers.h"
#include "gateway/pipeline/caller.h"
#include "gateway/pipeline/denial.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace sallyport::serve {

/// Reserves every block from the budget before allocating it. On the loop's thread.
class BodyBuffer {
public:
    /// Counted in the share of `owner`.
    BodyBuffer(net::Buffers& buffers, net::Budget& budget, pipeline::CallerKey owner)
        : buffers_{buffers},
          reservation_{budget, owner}, claim_{net::Claim::whole}, most_{SIZE_MAX} {}
    /// Not counted in a share. `most`: bytes beyond which it does not grow in advance.
    BodyBuffer(net::Buffers& buffers, net::Budget& budget, net::Claim claim,
               std::size_t most = SIZE_MAX)
        : buffers_{buffers}, reservation_{budget}, claim_{claim}, most_{most} {}

    /// No: the budget is used up; the buffer is unchanged.
    [[nodiscard]] net::Granted make_room(std::size_t at_least);
    /// Appends bytes. No: the budget is used up; nothing was appended.
    [[nodiscard]] net::Granted append(std::string_view bytes);

    /// Removes the first bytes; the others move, so that views of them are invalid.
    void drop(std::size_t count);

    struct Decoded {
        net::Granted granted = net::Granted::yes;
        http::Refused refused = nullptr;
    };
    /// Appends the decoded form of the next bytes of a coded body.
    [[nodiscard]] Decoded decode(http::ContentDecoder& decoder, std::string_view bytes);

    /// Whether the budget refused because the owner's share was used up.
    [[nodiscard]] bool is_over_share() const { return reservation_.is_over_share(); }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::string_view view() const { return buffer_.view(size_); }

    /// Frees the memory and its reservation.
    void release();
    /// Moves the memory together with its reservation; views stay valid.
    void move_to(net::Buffer& buffer, net::Reservation& reservation);

private:
    net::Buffers& buffers_;
    net::Reservation reservation_;
    net::Buffer buffer_;
    net::Claim claim_;
    std::size_t most_;
    std::size_t size_ = 0;
};

/// The denial of a request whose body has no room. `refused`: the object whose reservation was
/// refused, a BodyBuffer or a net::Reservation.
template <class Refused>
[[nodiscard]] std::unique_ptr<pipeline::Denial> over_budget(Refused const& refused) {
    std::string_view const note = refused.is_over_share()
                                      ? "limits.buffered_bodies_per_caller is used up"
                                      : "limits.buffered_bodies is used up";
    return std::make_unique<pipeline::Denial>(
        pipeline::Denial{pipeline::Reason::overloaded, {}, {}, {{"Retry-After", "1"}}, note});
}

} // namespace sallyport::serve
