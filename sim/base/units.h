// sim/base/units.h: quantities as types, so that adding bytes to cycles does not compile.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>

namespace dfsim {

/// An integer amount of one unit. Arithmetic stays inside the unit; `count()` leaves it.
template <class Unit>
class Quantity {
 public:
  using Rep = std::uint64_t;
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep count) : count_(count) {}
  constexpr Rep count() const { return count_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.count_ + b.count_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.count_ - b.count_); }
  friend constexpr Quantity operator*(Quantity a, Rep factor) { return Quantity(a.count_ * factor); }
  friend constexpr Quantity operator*(Rep factor, Quantity a) { return Quantity(a.count_ * factor); }
  friend constexpr Quantity operator/(Quantity a, Rep divisor) { return Quantity(a.count_ / divisor); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }
  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend std::ostream& operator<<(std::ostream& out, Quantity q) { return out << q.count_; }

 private:
  Rep count_ = 0;
};

using Cycles = Quantity<struct CyclesUnit>;  ///< clock cycles of the block that the name or docstring states
using Bytes = Quantity<struct BytesUnit>;

/// a / b rounded up; b > 0.
template <class T>
constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

/// A dense index that names one kind of thing.
template <class Kind>
class Id {
 public:
  using Rep = std::uint32_t;
  constexpr Id() = default;
  constexpr explicit Id(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  friend constexpr auto operator<=>(Id, Id) = default;
  friend std::ostream& operator<<(std::ostream& out, Id id) { return out << id.value_; }

 private:
  Rep value_ = 0;
};

using NocId = Id<struct NocTag>;            ///< one network on chip (one chip has one)
using RouterId = Id<struct RouterTag>;      ///< router of one NoC: (z*Y + y)*X + x
using EndpointId = Id<struct EndpointTag>;  ///< endpoint of one NoC, in the order of NocSpec::endpoints
using PeId = Id<struct PeTag>;              ///< processing element, numbered over all NoCs
using PortId = Id<struct PortTag>;          ///< memory port, numbered over all NoCs
using OpId = Id<struct OpTag>;              ///< operator of the compute graph; opaque to the simulator
using TransferId = Id<struct TransferTag>;  ///< transfer of one program
using TensorId = Id<struct TensorTag>;      ///< tensor of one program or graph

}  // namespace dfsim

template <class Kind>
struct std::hash<dfsim::Id<Kind>> {
  std::size_t operator()(dfsim::Id<Kind> id) const noexcept { return std::hash<std::uint32_t>{}(id.value()); }
};
