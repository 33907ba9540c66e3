// A limit of streams that several connections of HTTP/2 share.
#pragma once

namespace sallyport::http2 {

/// Of one connection, on its thread. A stream has its place until its coroutine has ended.
class StreamPlaces {
public:
    /// False: there is no place for another stream.
    [[nodiscard]] virtual bool take() noexcept = 0;
    virtual void give_back() noexcept = 0;
    /// A stream beyond the connection's own limit was refused.
    virtual void note_beyond_streams() noexcept = 0;

protected:
    ~StreamPlaces() = default;
};

} // namespace sallyport::http2
