// Validating a valid body allocates no memory once the validator has seen a similar one.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocations{0};

} // namespace

void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace sallyport::contract::test::allocation_test {
namespace {

TEST_CASE(
    "validating a valid body and its parameters allocates nothing once the memory has grown") {
    auto const contract = load_document(R"(
openapi: 3.1.0
info: { title: T }
paths:
  /v1/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string, format: uuid } }]
    put:
      operationId: change
      parameters: [{ name: limit, in: query, schema: { type: integer, minimum: 1 } }]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [a]
              properties:
                a: { type: [integer, "null"], maximum: 64 }
                b: { type: string, maxLength: 50, pattern: '^[\p{L}\s]*$', deprecated: true }
                c: { type: array, uniqueItems: true, items: { enum: [1, x, [1]] } }
                d: { type: number, multipleOf: 0.01 }
                e: { anyOf: [{ type: string }, { properties: { f: { const: { g: 1 } } } }] }
              if: { required: [d] }
              then: { required: [e] }
)");
    auto const& operation = *contract->find_operation("change");
    auto const schema = *operation.request_body->find("application/json")->schema;
    Body const body{
        R"({"a":5,"b":"two words","c":[1,"x",[1.0]],"d":19.99,"e":{"f":{"g":1}},"u":[{}]})"};
    std::string const path = "/v1/0b1c2d3e-0000-4000-8000-00000000000%66";
    Validator validator;
    auto const check_once = [&] {
        auto const match = contract->route(path);
        return validator.check_path(operation, match, {}, {}).outcome == Outcome::valid
               && validator.check_query(operation, "x=1&limit=%35", {}, {}).outcome
                      == Outcome::valid
               && validator.validate(schema, body.view(), {}, {}).outcome == Outcome::valid;
    };
    for (int i = 0; i < 10; ++i)
        CHECK(check_once());
    std::size_t const before = allocations;
    bool is_valid = true;
    for (int i = 0; i < 100; ++i)
        is_valid = check_once() && is_valid;
    std::size_t const after = allocations;
    CHECK(is_valid);
    CHECK(after == before);
}

} // namespace
} // namespace sallyport::contract::test::allocation_test
