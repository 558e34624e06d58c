// sim/base/result.h: a value, or the reason why there is none. For outcomes that are not mistakes.
#pragma once

#include <utility>
#include <variant>

namespace dfsim {

template <class Value, class Reason>
class Result {
 public:
  Result(Value value) : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Reason reason)
      : content_(std::in_place_index<1>, std::move(reason)) {}  // NOLINT: implicit on purpose

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const Value& value() const { return std::get<0>(content_); }
  Value& value() { return std::get<0>(content_); }
  const Reason& reason() const { return std::get<1>(content_); }
  const Value* operator->() const { return &value(); }
  const Value& operator*() const { return value(); }

 private:
  std::variant<Value, Reason> content_;
};

}  // namespace dfsim
