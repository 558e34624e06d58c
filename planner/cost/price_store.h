// planner/cost/price_store.h: measured answers in an SQLite file, shared by several processes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "planner/cost/cost_oracle.h"

struct sqlite3;
struct sqlite3_stmt;

namespace dfsim {

/// An answer as text. `settled`: it holds for every limit; else the run was stopped because the price is
/// above `limit` (0: that component had no limit).
struct StoredAnswer {
  std::string text;
  bool settled = true;
  PriceLimit limit;
};

/// Every put() is committed before it returns (write-ahead log): a killed process loses nothing that was
/// measured. A file that is missing is made; one that cannot be used (corrupt, not writable, of another
/// version) is reported once through `warn`, and from then on nothing is kept.
class PriceStore {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// No file: keeps nothing.
  PriceStore(const std::optional<std::string>& file, Warn warn);
  ~PriceStore();
  PriceStore(const PriceStore&) = delete;
  PriceStore& operator=(const PriceStore&) = delete;

  std::optional<StoredAnswer> get(const std::string& key);
  /// Keeps the better knowledge: a settled answer stays; of two stopped ones, that with the higher limit.
  void put(const std::string& key, const StoredAnswer& answer);
  bool usable() const { return database_ != nullptr; }

 private:
  bool open(const std::string& file);
  bool execute(const char* sql);
  bool prepare();
  void give_up(const std::string& what);
  void close();

  Warn warn_;
  std::string file_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace dfsim
