#include "sim/base/job_tokens.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/base/errors.h"

namespace dfsim {

JobTokens::JobTokens(std::uint32_t places) {
  if (::pipe(ends_) != 0) throw SimulationError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  for (std::uint32_t i = 0; i < std::max(places, 1u); ++i) give();
}

JobTokens::~JobTokens() {
  for (const int end : ends_) ::close(end);
}

void JobTokens::take() {
  char place = 0;
  for (;;) {
    const ssize_t n = ::read(ends_[0], &place, 1);
    if (n == 1) return;
    // This process holds a writing end, so the pipe cannot end.
    if (n < 0 && errno != EINTR)
      throw SimulationError(fmt::format("cannot read a pipe: {}", std::strerror(errno)));
  }
}

void JobTokens::give() {
  const char place = '+';
  while (::write(ends_[1], &place, 1) < 0)
    if (errno != EINTR) throw SimulationError(fmt::format("cannot write a pipe: {}", std::strerror(errno)));
}

}  // namespace dfsim
