// tests/numbers.h: numbers that a longer run asks for in the environment (scripts/verify_random,
// scripts/noc_campaign).
#pragma once

#include <cstdint>
#include <cstdlib>

namespace dfsim::test {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace dfsim::test
