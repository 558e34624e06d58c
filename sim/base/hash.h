// sim/base/hash.h: content hashes for cache keys and file identities (XXH3, 128 bits).
#pragma once

#include <string>
#include <string_view>

namespace dfsim {

/// 32 hexadecimal digits of the XXH3-128 hash of `content`.
std::string content_hash(std::string_view content);

}  // namespace dfsim
