// Heads of frames; payloads are skipped by arithmetic.
#include "gateway/websocket/frame_reader.h"

#include <algorithm>

namespace sallyport::websocket {

namespace {

constexpr std::uint64_t most_of_2_bytes = 0xFFFF;
constexpr std::uint64_t top_bit = std::uint64_t{1} << 63U;

constexpr std::uint8_t byte_at(std::string_view bytes, std::size_t i) noexcept {
    return static_cast<std::uint8_t>(bytes[i]);
}

constexpr std::uint64_t number_at(std::string_view bytes, std::size_t size) noexcept {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < size; ++i)
        number = number << 8U | byte_at(bytes, i);
    return number;
}

constexpr Opcode opcode_of(std::uint8_t first) noexcept {
    return static_cast<Opcode>(first & opcode_bits);
}

constexpr bool is_control(std::uint8_t first) noexcept {
    return (first & control_bit) != 0;
}

constexpr bool is_known(Opcode opcode) noexcept {
    return opcode <= Opcode::binary || (opcode >= Opcode::close && opcode <= Opcode::pong);
}

} // namespace

// What two bytes tell of a frame.
std::string_view FrameReader::judge(std::uint8_t first, std::uint8_t second) const noexcept {
    auto const opcode = opcode_of(first);
    bool const begins_message = opcode == Opcode::text || opcode == Opcode::binary;
    auto const allowed = begins_message ? reserved_.of_first : reserved_.of_any;
    // RFC 6455, 5.2.
    if ((first & all_reserved_bits & ~allowed) != 0) return "reserved_bit";
    if (!is_known(opcode)) return "reserved_opcode";
    // RFC 6455, 5.1.
    if ((second & masked) != mask_) return mask_ != 0 ? "unmasked_frame" : "masked_frame";
    // RFC 6455, 5.5 and 5.4.
    std::size_t const length = second & length_bits;
    if (is_control(first) && (first & fin) == 0) return "fragmented_control_frame";
    if (is_control(first) && length > most_control_payload) return "control_frame_too_long";
    if (opcode == Opcode::continuation && !is_within_message_) return "continuation_of_nothing";
    if (begins_message && is_within_message_) return "message_within_message";
    // RFC 6455, 5.5.1: a body begins with a code of two bytes.
    if (opcode == Opcode::close && length == 1) return "close_code_cut";
    return {};
}

FrameReader::Head FrameReader::read_head(std::string_view bytes) noexcept {
    if (bytes.size() < least_head_size) return {};
    Head head{.size = least_head_size, .first = byte_at(bytes, 0)};
    violated_ = judge(head.first, byte_at(bytes, 1));
    if (!violated_.empty()) return {};
    auto const length = static_cast<std::uint8_t>(byte_at(bytes, 1) & length_bits);
    std::size_t const more = length == length_of_2_bytes ? 2 : length == length_of_8_bytes ? 8 : 0;
    head.size += more + (mask_ != 0 ? mask_size : 0);
    if (bytes.size() < head.size) return {};
    head.length = more == 0 ? length : number_at(bytes.substr(least_head_size), more);
    // RFC 6455, 5.2: the shortest way, and no more than 63 bits.
    bool const is_minimal =
        more == 0 || head.length > (more == 2 ? most_control_payload : most_of_2_bytes);
    if (!is_minimal) violated_ = "length_not_minimal";
    if (head.length >= top_bit) violated_ = "length_too_large";
    return violated_.empty() ? head : Head{};
}

void FrameReader::begin(Head const& head) noexcept {
    first_ = head.first;
    payload_left_ = head.length;
    if (stops_at_close_ && opcode_of(first_) == Opcode::close) has_stopped_ = true;
    if (!is_control(first_)) is_within_message_ = (first_ & fin) == 0;
    if (payload_left_ == 0) end_frame();
}

void FrameReader::end_frame() noexcept {
    has_closed_ = opcode_of(first_) == Opcode::close;
    if (has_stopped_) return;
    has_passed_close_ = has_closed_;
    if (!is_control(first_) && (first_ & fin) != 0) ++counts_.messages;
    if (opcode_of(first_) == Opcode::ping) ++counts_.pings;
}

std::size_t FrameReader::take_payload(std::size_t available) noexcept {
    if (payload_left_ == 0) return 0;
    auto const size = std::min<std::uint64_t>(payload_left_, available);
    payload_left_ -= size;
    if (payload_left_ == 0) end_frame();
    return static_cast<std::size_t>(size);
}

// Completes a head that was cut, as far as `bytes` can; takes from their front.
PassedFrames FrameReader::take_carried(std::string_view& bytes) noexcept {
    auto& cut = cut_heads_[current_];
    auto const added = bytes.copy(cut.data() + cut_size_, cut.size() - cut_size_);
    std::string_view const known{cut.data(), cut_size_ + added};
    auto const head = read_head(known);
    if (head.size == 0) {
        cut_size_ = known.size();
        bytes = {};
        return {};
    }
    bytes.remove_prefix(head.size - cut_size_);
    cut_size_ = 0;
    current_ ^= 1U;
    begin(head);
    if (has_stopped_) return {};
    return {.carried = known.substr(0, head.size), .bytes = {}};
}

PassedFrames FrameReader::take(std::string_view bytes) noexcept {
    if (is_done()) return {};
    PassedFrames passed;
    bool const passes = !has_stopped_;
    if (cut_size_ > 0) passed = take_carried(bytes);
    std::size_t at = take_payload(bytes.size());
    std::size_t end = has_stopped_ ? 0 : at; // of what is passed on
    while (at < bytes.size() && !is_done()) {
        if (stops_ && is_at_border()) has_stopped_ = true;
        auto const rest = bytes.substr(at);
        auto const head = read_head(rest);
        if (head.size == 0) {
            // Of a violation nothing has to be kept, and less than a whole head is there.
            if (violated_.empty()) cut_size_ = rest.copy(cut_heads_[current_].data(), rest.size());
            break;
        }
        begin(head);
        at += head.size;
        at += take_payload(bytes.size() - at);
        if (!has_stopped_) end = at;
    }
    if (stops_ && is_at_border()) has_stopped_ = true;
    if (!passes) return {};
    passed.bytes = bytes.substr(0, end);
    counts_.bytes += passed.carried.size() + passed.bytes.size();
    return passed;
}

} // namespace sallyport::websocket
