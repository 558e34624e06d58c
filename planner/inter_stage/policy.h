// planner/inter_stage/policy.h: the network with which rl chooses the next group of a plan.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/rng.h"

namespace dfsim {

/// A perceptron with one hidden layer (tanh) rates each possible next group by its features; the chance of a
/// group is the softmax of the ratings over those that are possible. Since a group is rated by features
/// without a unit, a policy learned on one network works on others.
class Policy {
 public:
  static constexpr int kFeatures = 14;
  static constexpr int kHidden = 16;
  using Features = Eigen::Matrix<double, kFeatures, Eigen::Dynamic>;  ///< a column per possible group

  explicit Policy(Rng& rng);
  /// From text(); the reason if it is none, or one of another version.
  static Result<Policy, std::string> from_text(const std::string& text);
  /// JSON: version, sizes, weights; the same bytes for the same policy.
  std::string text() const;

  /// Of the columns of `features`: their chances, which add up to 1, and what the hidden layer made of them.
  struct Rating {
    Eigen::VectorXd chances;
    Eigen::MatrixXd hidden;
  };
  Rating rate(const Features& features) const;

  /// Collects weight x gradient of log chance(chosen), and of the entropy of the chances times
  /// `entropy_weight`. `rating` is that of `features` by the weights as they are now.
  void collect(const Features& features, const Rating& rating, std::size_t chosen, double weight,
               double entropy_weight);
  /// One step of Adam (Kingma and Ba, 2015) up the collected gradient, which is then forgotten.
  void step(double rate);

 private:
  struct Weights {
    Eigen::Matrix<double, kHidden, kFeatures> first;
    Eigen::Matrix<double, kHidden, 1> bias, second;
  };
  Policy();
  static Weights zero();

  Weights weights_, gradient_, mean_, square_;
  std::uint64_t steps_ = 0;
};

}  // namespace dfsim
