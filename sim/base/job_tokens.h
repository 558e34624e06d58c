// sim/base/job_tokens.h: a limit on how many processes of one family work at the same time.
#pragma once

#include <cstdint>

namespace dfsim {

/// A pipe that holds one byte per free place, as make's jobserver does; processes forked after its making
/// share it. Whoever works takes a byte first and gives it back after. The places of a process that was
/// killed are given back by whoever notices its end; one too many only lets one more process work.
class JobTokens {
 public:
  /// `places` at least 1. Throws SimulationError if there can be no pipe.
  explicit JobTokens(std::uint32_t places);
  ~JobTokens();
  JobTokens(const JobTokens&) = delete;
  JobTokens& operator=(const JobTokens&) = delete;

  /// Waits until a place is free.
  void take();
  void give();

 private:
  int ends_[2] = {-1, -1};
};

/// Holds a place while it lives. Null tokens: no limit.
class JobPlace {
 public:
  explicit JobPlace(JobTokens* tokens) : tokens_(tokens) {
    if (tokens_) tokens_->take();
  }
  ~JobPlace() {
    if (tokens_) tokens_->give();
  }
  JobPlace(const JobPlace&) = delete;
  JobPlace& operator=(const JobPlace&) = delete;

 private:
  JobTokens* tokens_;
};

}  // namespace dfsim
