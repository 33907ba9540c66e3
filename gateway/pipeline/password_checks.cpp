// Verifies passwords against slow hashes: see password_checks.h.
#include "gateway/pipeline/password_checks.h"

#include "gateway/net/held_signals.h"

#include <boost/asio/post.hpp>

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include <pthread.h>
#include <sched.h>

namespace sallyport::pipeline {

using std::chrono::steady_clock;

bool RecentTags::has(Digest const& tag) {
    if (young_.contains(tag)) return true;
    if (old_.erase(tag) == 0) return false;
    add(tag);
    return true;
}

void RecentTags::add(Digest const& tag) {
    if (young_.size() >= half_) old_ = std::exchange(young_, {});
    young_.insert(tag);
}

std::vector<Digest> RecentTags::all() const {
    std::vector<Digest> all{old_.begin(), old_.end()};
    all.insert(all.end(), young_.begin(), young_.end());
    return all;
}

// Shared with the flight, which may outlive the request. Its members are used on the thread of the
// loop, the executor on any.
struct PasswordChecks::Reply {
    net::Executor executor;
    PasswordResult result = PasswordResult::too_slow;
    net::Event* waiting = nullptr; // null: nobody waits any more

    static void post(std::shared_ptr<Reply> const& reply, PasswordResult result) {
        net::asio::post(reply->executor, [reply, result] {
            if (reply->waiting == nullptr) return;
            reply->result = result;
            reply->waiting->notify();
        });
    }
};

// A request that waits. It may be destroyed meanwhile, with its loop.
struct PasswordChecks::Waiting {
    Waiting(PasswordChecks& its_checks, net::Loop& loop, Digest const& its_key)
        : checks{its_checks}, key{its_key}, woken{loop.waiters()},
          deadline{net::Deadline::calling<&Waiting::give_up>(loop.deadlines(), *this)},
          reply{std::make_shared<Reply>(Reply{loop.executor()})} {
        reply->waiting = &woken;
    }
    ~Waiting() {
        reply->waiting = nullptr;
        checks.leave(key, reply);
    }
    Waiting(Waiting const&) = delete;
    Waiting& operator=(Waiting const&) = delete;
    void give_up() { woken.notify_now(); }

    PasswordChecks& checks;
    Digest key;
    net::Event woken;
    net::Deadline deadline;
    std::shared_ptr<Reply> reply;
};

PasswordChecks::PasswordChecks(Limits const& limits, Verify verify, std::size_t most)
    : verify_{std::move(verify)}, limits_{limits}, remembered_{most} {
    if (RAND_bytes(key_.data(), static_cast<int>(key_.size())) != 1)
        throw std::runtime_error{"OpenSSL has no random numbers"};
}

void PasswordChecks::set(Limits const& limits) {
    std::lock_guard const lock{mutex_};
    limits_ = limits;
    if (!threads_.empty()) start_threads();
    changed_.notify_all();
}

std::vector<Digest> PasswordChecks::pack() const {
    std::lock_guard const lock{mutex_};
    auto packed = remembered_.all();
    packed.push_back(key_);
    return packed;
}

void PasswordChecks::unpack(std::vector<Digest> const& packed) {
    std::lock_guard const lock{mutex_};
    if (packed.empty()) return;
    key_ = packed.back();
    for (auto tag = packed.begin(); tag != packed.end() - 1; ++tag)
        remembered_.add(*tag);
}

// Under the key, and of parts of constant length: no two of them have the same bytes. The stored
// hash is in it, so that another one is another tag.
Digest PasswordChecks::tag_of(secrets::StoredHash const& hash, Digest const& secret,
                              Sha256& sha256) const {
    std::array<Digest, 3> parts{key_, hash.fingerprint(), secret};
    auto const tag = sha256({reinterpret_cast<char const*>(parts.data()), sizeof parts});
    OPENSSL_cleanse(parts.data(), sizeof parts);
    return tag;
}

Digest PasswordChecks::key_of(std::string_view key_id, Digest const& secret,
                              PasswordQuestion const& question, Sha256& sha256) const {
    std::vector<Digest> parts{key_, sha256(key_id), secret};
    for (auto const& one : question.hashes)
        parts.push_back(one.tag);
    auto const size = parts.size() * sizeof(Digest);
    auto const key = sha256({reinterpret_cast<char const*>(parts.data()), size});
    OPENSSL_cleanse(parts.data(), size);
    return key;
}

bool PasswordChecks::is_remembered(Digest const& tag) {
    std::lock_guard const lock{mutex_};
    bool const is_known = remembered_.has(tag);
    if (is_known) ++numbers_.known;
    return is_known;
}

net::Task<PasswordResult> PasswordChecks::check(net::Loop& loop, net::OwnerKey from,
                                                Question question) {
    auto const key = std::visit([](auto const& one) { return one.key; }, question);
    Waiting waiting{*this, loop, key};
    std::chrono::milliseconds time{};
    {
        std::lock_guard const lock{mutex_};
        time = limits_.time;
        if (join(from, question, waiting.reply) == Joined::queue_full) {
            ++numbers_.refused;
            co_return PasswordResult::queue_full;
        }
    }
    waiting.deadline.arm_after(time);
    co_await waiting.woken.wait();
    if (waiting.reply->result == PasswordResult::too_slow) {
        std::lock_guard const lock{mutex_};
        ++numbers_.too_slow;
    }
    co_return waiting.reply->result;
}

// With the mutex.
PasswordChecks::Joined PasswordChecks::join(net::OwnerKey from, Question& question,
                                            std::shared_ptr<Reply> const& reply) {
    auto const key = std::visit([](auto const& one) { return one.key; }, question);
    auto const found = flights_.find(key);
    if (found != flights_.end()) {
        found->second->waiting.push_back(reply);
        return Joined::yes;
    }
    if (ended_) return Joined::queue_full;
    auto& holder = holders_.of(from);
    if (!make_room_for(holder)) return Joined::queue_full;
    auto const flight = std::make_shared<Flight>();
    flight->key = key;
    flight->question = std::move(question);
    flight->waiting.push_back(reply);
    flights_.emplace(key, flight);
    flight->join(holders_, holder);
    start_threads();
    changed_.notify_all();
    return Joined::yes;
}

// With the mutex. False: the queue is full, and no address has more in it.
bool PasswordChecks::make_room_for(net::Holder const& holder) {
    if (holders_.waiting() < limits_.queue) return true;
    auto* const last = static_cast<Flight*>(holders_.displaced_by(holder));
    if (last == nullptr) return false;
    numbers_.refused += last->waiting.size();
    for (auto const& reply : last->waiting)
        Reply::post(reply, PasswordResult::queue_full);
    auto const key = last->key;
    flights_.erase(key);
    return true;
}

// What no request waits for any more, and has not begun, is not verified.
void PasswordChecks::leave(Digest const& key, std::shared_ptr<Reply> const& reply) noexcept {
    std::lock_guard const lock{mutex_};
    auto const found = flights_.find(key);
    if (found == flights_.end()) return;
    auto const flight = found->second;
    std::erase(flight->waiting, reply);
    if (flight->holder != nullptr || !flight->waiting.empty()) return;
    flight->leave();
    flights_.erase(found);
}

// With the mutex.
void PasswordChecks::start_threads() {
    net::HeldSignals const held;
    while (!ended_ && threads_.size() < limits_.threads) {
        auto const number = static_cast<std::uint32_t>(threads_.size());
        threads_.emplace_back([this, number] { work(number); });
    }
}

// A thread beyond the limit, which a reload has lowered, waits.
void PasswordChecks::work(std::uint32_t number) {
    ::pthread_setname_np(::pthread_self(), "passwords");
    // The workers go first: requests of callers that are known do not wait for passwords. At a low
    // priority alone Linux lets a thread go on for milliseconds when a worker has something to do.
    sched_param const none{};
    static_cast<void>(::pthread_setschedparam(::pthread_self(), SCHED_IDLE, &none));
    std::unique_lock lock{mutex_};
    for (;;) {
        changed_.wait(lock, [&] {
            return ended_ || (number < limits_.threads && holders_.waiting() > 0);
        });
        if (ended_) return;
        auto const flight = begin_next();
        auto const started = steady_clock::now();
        try {
            auto const result = answer(flight->question, lock);
            numbers_.busy += steady_clock::now() - started;
            if (ended_) return;
            finish(*flight, result);
        } catch (std::bad_alloc const&) {
            // Those that wait for it are refused when their time is over.
            flights_.erase(flight->key);
        }
        holders_.give_back(*flight->holder);
    }
}

// With the mutex, where something waits.
std::shared_ptr<PasswordChecks::Flight> PasswordChecks::begin_next() {
    auto& next = static_cast<Flight&>(*holders_.next());
    next.holder = &holders_.serve(next);
    return flights_.at(next.key);
}

// Called and returns with the mutex, and computes without it.
PasswordResult PasswordChecks::answer(Question const& question,
                                      std::unique_lock<std::mutex>& lock) {
    if (auto const* const passwords = std::get_if<PasswordQuestion>(&question))
        return verify_all(*passwords, lock);
    lock.unlock();
    auto result = PasswordResult::failed;
    try {
        bool const is_right = std::get<SignatureQuestion>(question).verifies();
        result = is_right ? PasswordResult::right : PasswordResult::wrong;
    } catch (std::exception const&) {
        result = PasswordResult::failed;
    }
    lock.lock();
    return result;
}

// Called and returns with the mutex, and computes without it.
PasswordResult PasswordChecks::verify_all(PasswordQuestion const& question,
                                          std::unique_lock<std::mutex>& lock) {
    auto const verify = [&](secrets::StoredHash const& hash) {
        lock.unlock();
        auto result = secrets::Verified::failed;
        try {
            result = verify_(hash, question.secret.reveal());
        } catch (std::exception const&) {
            // No memory: nobody is let in, and nobody told that the secret is wrong.
            result = secrets::Verified::failed;
        }
        lock.lock();
        return result;
    };
    bool is_right = false;
    bool has_failed = false;
    for (auto const& one : question.hashes) {
        if (ended_) break;
        auto const result = verify(one.hash);
        if (result == secrets::Verified::right) {
            remembered_.add(one.tag);
            if (question.ends_at_right) return PasswordResult::right;
            is_right = true;
        }
        has_failed = has_failed || result == secrets::Verified::failed;
    }
    for (auto const& decoy : question.decoys) {
        if (ended_) break;
        has_failed = verify(decoy) == secrets::Verified::failed || has_failed;
    }
    if (is_right) return PasswordResult::right;
    return has_failed ? PasswordResult::failed : PasswordResult::wrong;
}

// With the mutex.
void PasswordChecks::finish(Flight& flight, PasswordResult result) {
    ++(result == PasswordResult::right   ? numbers_.right
       : result == PasswordResult::wrong ? numbers_.wrong
                                         : numbers_.failed);
    flights_.erase(flight.key);
    for (auto const& reply : flight.waiting)
        Reply::post(reply, result);
}

std::uint32_t PasswordChecks::queue_limit() const {
    std::lock_guard const lock{mutex_};
    return limits_.queue;
}

std::uint64_t PasswordChecks::seconds_until_room() const {
    std::lock_guard const lock{mutex_};
    auto const verified = numbers_.right + numbers_.wrong + numbers_.failed;
    if (verified == 0) return 1;
    auto const mean = numbers_.busy / static_cast<std::int64_t>(verified);
    auto const wait = mean * static_cast<std::int64_t>(holders_.waiting())
                      / static_cast<std::int64_t>(std::max(limits_.threads, 1U));
    auto const seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(seconds, 1, 60));
}

PasswordChecks::Numbers PasswordChecks::numbers() const {
    std::lock_guard const lock{mutex_};
    auto out = numbers_;
    out.waiting = holders_.waiting();
    out.remembered = remembered_.size();
    return out;
}

void PasswordChecks::stop() {
    {
        std::lock_guard const lock{mutex_};
        ended_ = true;
        flights_.clear();
        changed_.notify_all();
    }
    for (auto& thread : threads_)
        thread.join();
    threads_.clear();
}

} // namespace sallyport::pipeline
