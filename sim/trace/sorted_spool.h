// sim/trace/sorted_spool.h: any number of small records, noted in about the right order and read back in
// order, in bounded memory.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/base/files.h"

namespace dfsim {

/// Keeps up to `run_bytes` of records in memory. What is more goes, in sorted runs, to a temporary file
/// without a name, which the system removes with the process; the runs are merged while reading. `Before`
/// orders the records; of equal ones the first appended comes first. Throws FileError if the temporary file
/// cannot be written or read.
template <class T, class Before>
class SortedSpool {
  static_assert(std::is_trivially_copyable_v<T>, "records go to a file as they are");

 public:
  static constexpr std::size_t kRunBytes = std::size_t{16} << 20;  ///< 700,000 records of 24 bytes

  explicit SortedSpool(std::size_t run_bytes = kRunBytes)
      : run_records_(std::max<std::size_t>(1, run_bytes / sizeof(T))) {}

  void append(const T& record) {
    if (last_.size() == run_records_) spill();
    last_.push_back(record);
    sorted_ = false;
    ++size_;
  }
  /// The record that was appended just before.
  T& back() { return last_.back(); }
  void pop_back() {
    last_.pop_back();
    --size_;
  }
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Goes through all records in order. Valid until the next append.
  class Reader {
   public:
    explicit Reader(SortedSpool& spool) : spool_(spool) {
      spool.sort_last();
      for (std::size_t run = 0; run < spool.runs_; ++run)
        cursors_.push_back({spool.run_records_ * run, spool.run_records_ * (run + 1), {}, 0});
      for (std::size_t run = 0; run <= spool.runs_; ++run)
        if (head(run) != nullptr) heap_.push_back(run);
      std::make_heap(heap_.begin(), heap_.end(), later());
    }
    /// The record at which the reader stands; null after the last one.
    const T* get() { return heap_.empty() ? nullptr : head(heap_.front()); }
    void next() {
      std::pop_heap(heap_.begin(), heap_.end(), later());
      step(heap_.back());
      if (head(heap_.back()) == nullptr)
        heap_.pop_back();
      else
        std::push_heap(heap_.begin(), heap_.end(), later());
    }

   private:
    /// A run in the file: records [from, until) are still to be fetched, `fetched` from `at` on to be read.
    struct Cursor {
      std::uint64_t from, until;
      std::vector<T> fetched;
      std::size_t at;
    };

    /// The next record of a run; the last run is the one in memory.
    const T* head(std::size_t run) {
      if (run == cursors_.size()) return at_ < spool_.last_.size() ? &spool_.last_[at_] : nullptr;
      Cursor& cursor = cursors_[run];
      if (cursor.at == cursor.fetched.size()) {
        if (cursor.from == cursor.until) return nullptr;
        cursor.fetched.resize(std::min<std::uint64_t>(kFetchRecords, cursor.until - cursor.from));
        spool_.fetch(cursor.from, cursor.fetched);
        cursor.from += cursor.fetched.size();
        cursor.at = 0;
      }
      return &cursor.fetched[cursor.at];
    }
    void step(std::size_t run) { ++(run == cursors_.size() ? at_ : cursors_[run].at); }
    /// Heaps of the standard library have the greatest in front.
    auto later() {
      return [this](std::size_t a, std::size_t b) {
        const T &first = *head(a), &second = *head(b);
        return Before()(second, first) || (!Before()(first, second) && b < a);
      };
    }

    static constexpr std::uint64_t kFetchRecords = 4096;
    SortedSpool& spool_;
    std::vector<Cursor> cursors_;
    std::size_t at_ = 0;
    std::vector<std::size_t> heap_;  ///< runs that have records left
  };

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void sort_last() {
    if (!sorted_) std::stable_sort(last_.begin(), last_.end(), Before());
    sorted_ = true;
  }
  void spill() {
    sort_last();
    if (!file_) file_.reset(std::tmpfile());
    if (!file_ || std::fwrite(last_.data(), sizeof(T), last_.size(), file_.get()) != last_.size() ||
        std::fflush(file_.get()) != 0)
      throw FileError(std::string("cannot write a temporary file for the trace: ") + std::strerror(errno) +
                      "; choose a window of fewer cycles");
    ++runs_;
    last_.clear();
  }
  void fetch(std::uint64_t from, std::vector<T>& into) const {
    const auto bytes = static_cast<ssize_t>(into.size() * sizeof(T));
    if (::pread(::fileno(file_.get()), into.data(), into.size() * sizeof(T),
                static_cast<off_t>(from * sizeof(T))) != bytes)
      throw FileError(std::string("cannot read back the temporary file of the trace: ") +
                      std::strerror(errno));
  }

  std::size_t run_records_;
  std::vector<T> last_;  ///< the run in memory
  bool sorted_ = true;
  std::uint64_t size_ = 0;
  std::size_t runs_ = 0;  ///< in the file, each of run_records_ records
  std::unique_ptr<std::FILE, CloseFile> file_;
};

}  // namespace dfsim
