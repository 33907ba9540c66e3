// Writing a close frame.
#include "gateway/websocket/close_frame.h"

#include "gateway/text/utf8.h"

#include <openssl/rand.h>

namespace sallyport::websocket {

namespace {

// RFC 6455, 5.5.1: the reason is UTF-8, so no character is cut.
std::string_view fitting(std::string_view reason) noexcept {
    if (reason.size() <= most_close_reason) return reason;
    auto size = most_close_reason;
    while (size > 0 && text::is_continuation(reason[size]))
        --size;
    return reason.substr(0, size);
}

} // namespace

std::optional<Mask> random_mask() noexcept {
    Mask mask{};
    if (RAND_bytes(mask.data(), static_cast<int>(mask.size())) != 1) return std::nullopt;
    return mask;
}

CloseFrame::CloseFrame(CloseCode code, std::string_view reason, Mask const* mask) noexcept {
    reason = fitting(reason);
    auto const length = static_cast<std::uint8_t>(close_code_size + reason.size());
    put(fin | static_cast<std::uint8_t>(Opcode::close));
    put(mask != nullptr ? masked | length : length);
    if (mask != nullptr)
        for (auto const byte : *mask)
            put(byte);
    auto const payload = size_;
    auto const number = static_cast<std::uint16_t>(code);
    put(static_cast<std::uint8_t>(number >> 8U));
    put(static_cast<std::uint8_t>(number & 0xFFU));
    size_ += reason.copy(bytes_.data() + size_, reason.size());
    if (mask == nullptr) return;
    // RFC 6455, 5.3.
    for (auto i = payload; i < size_; ++i) {
        auto const byte = static_cast<unsigned char>(bytes_[i]);
        bytes_[i] = static_cast<char>(byte ^ (*mask)[(i - payload) % mask_size]);
    }
}

} // namespace sallyport::websocket
