#include "planner/cost/price_store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <limits>

namespace dfsim {

namespace {

constexpr int kSchemaVersion = 1;
/// Another process that writes holds the file for one price; this is for a stalled disk.
constexpr int kBusyMilliseconds = 20'000;

/// "No limit" sorts above every limit.
std::int64_t encode(std::uint64_t limit) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return limit == 0 || limit > static_cast<std::uint64_t>(kMost) ? kMost : static_cast<std::int64_t>(limit);
}

std::uint64_t decode(std::int64_t limit) {
  return limit == std::numeric_limits<std::int64_t>::max() ? 0 : static_cast<std::uint64_t>(limit);
}

void bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
  sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

}  // namespace

PriceStore::PriceStore(const std::optional<std::string>& file, Warn warn) : warn_(std::move(warn)) {
  if (!file) return;
  file_ = *file;
  if (open(*file)) return;
  give_up(database_ ? sqlite3_errmsg(database_) : "cannot be opened");
}

PriceStore::~PriceStore() { close(); }

bool PriceStore::open(const std::string& file) {
  std::error_code ignored;  // sqlite3_open reports a folder that is not there
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  if (sqlite3_open_v2(file.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) !=
      SQLITE_OK)
    return false;
  sqlite3_busy_timeout(database_, kBusyMilliseconds);
  return execute("PRAGMA journal_mode=WAL") && execute("PRAGMA synchronous=NORMAL") && prepare();
}

bool PriceStore::execute(const char* sql) {
  return sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

bool PriceStore::prepare() {
  sqlite3_stmt* version = nullptr;
  if (sqlite3_prepare_v2(database_, "PRAGMA user_version", -1, &version, nullptr) != SQLITE_OK) return false;
  const bool known = sqlite3_step(version) == SQLITE_ROW;
  const int found = known ? sqlite3_column_int(version, 0) : -1;
  sqlite3_finalize(version);
  if (!known) return false;
  if (found != 0 && found != kSchemaVersion) {
    give_up(fmt::format("has format {}, this dfsim reads format {}", found, kSchemaVersion));
    return true;
  }
  const std::string mark = fmt::format("PRAGMA user_version={}", kSchemaVersion);
  if (found == 0 &&
      !(execute("CREATE TABLE IF NOT EXISTS answers(key TEXT PRIMARY KEY, settled INTEGER NOT NULL, "
                "latency_limit INTEGER NOT NULL, period_limit INTEGER NOT NULL, text TEXT NOT NULL) "
                "WITHOUT ROWID") &&
        execute(mark.c_str())))
    return false;
  const char* const select = "SELECT settled, latency_limit, period_limit, text FROM answers WHERE key=?1";
  const char* const insert =
      "INSERT INTO answers(key, settled, latency_limit, period_limit, text) VALUES(?1, ?2, ?3, ?4, ?5) "
      "ON CONFLICT(key) DO UPDATE SET settled=excluded.settled, latency_limit=excluded.latency_limit, "
      "period_limit=excluded.period_limit, text=excluded.text WHERE answers.settled=0 AND "
      "(excluded.settled=1 OR "
      "(excluded.latency_limit>=answers.latency_limit AND excluded.period_limit>=answers.period_limit))";
  return sqlite3_prepare_v2(database_, select, -1, &select_, nullptr) == SQLITE_OK &&
         sqlite3_prepare_v2(database_, insert, -1, &insert_, nullptr) == SQLITE_OK;
}

std::optional<StoredAnswer> PriceStore::get(const std::string& key) {
  if (!database_) return std::nullopt;
  bind_text(select_, 1, key);
  const int step = sqlite3_step(select_);
  std::optional<StoredAnswer> answer;
  if (step == SQLITE_ROW) {
    answer.emplace();
    answer->settled = sqlite3_column_int(select_, 0) != 0;
    answer->limit.latency_cycles = decode(sqlite3_column_int64(select_, 1));
    answer->limit.period_cycles = decode(sqlite3_column_int64(select_, 2));
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(select_, 3));
    answer->text.assign(text ? text : "", static_cast<std::size_t>(sqlite3_column_bytes(select_, 3)));
  }
  sqlite3_reset(select_);
  if (step != SQLITE_ROW && step != SQLITE_DONE) give_up(sqlite3_errmsg(database_));
  return answer;
}

void PriceStore::put(const std::string& key, const StoredAnswer& answer) {
  if (!database_) return;
  bind_text(insert_, 1, key);
  sqlite3_bind_int(insert_, 2, answer.settled ? 1 : 0);
  sqlite3_bind_int64(insert_, 3, encode(answer.limit.latency_cycles));
  sqlite3_bind_int64(insert_, 4, encode(answer.limit.period_cycles));
  bind_text(insert_, 5, answer.text);
  const int step = sqlite3_step(insert_);
  sqlite3_reset(insert_);
  if (step != SQLITE_DONE) give_up(sqlite3_errmsg(database_));
}

void PriceStore::give_up(const std::string& what) {
  if (warn_) warn_(fmt::format("price cache {}: {}; prices are not kept in this run", file_, what));
  close();
}

void PriceStore::close() {
  sqlite3_finalize(select_);
  sqlite3_finalize(insert_);
  sqlite3_close(database_);
  select_ = insert_ = nullptr;
  database_ = nullptr;
}

}  // namespace dfsim
