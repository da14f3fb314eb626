// What the CPU kernels share: elementary functions, oneDNN's product, and the data of tensors.

#pragma once

#include <torch/extension.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

using torch::Tensor;
using Optional = std::optional<Tensor>;

// exp in a form that compilers vectorise: 2^n e^r with |r| <= ln 2 / 2. Error: at most 2 ulp.
inline float exp_(float x) {
  x = std::min(std::max(x, -87.0f), 88.0f);
  const float n = std::nearbyint(x * 1.44269504f);
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const int32_t bits = (static_cast<int32_t>(n) + 127) << 23;
  float scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return p * scale;
}
inline double exp_(double x) { return std::exp(x); }

template <typename T>
inline T sigmoid(T x) {
  return T(1) / (T(1) + exp_(-x));
}
// Near zero, by its Taylor series: the difference of two numbers near one has lost the digits of x.
inline float tanh_(float x) {
  const float x2 = x * x, wide = 2.0f * sigmoid(2.0f * x) - 1.0f;
  float p = 62.0f / 2835.0f;
  p = p * x2 - 17.0f / 315.0f;
  p = p * x2 + 2.0f / 15.0f;
  p = p * x2 - 1.0f / 3.0f;
  const float near = x + x * x2 * p;
  return std::fabs(x) < 0.25f ? near : wide;
}
inline double tanh_(double x) { return std::tanh(x); }

// Convert between bfloat16 in memory and float in registers. Other types stay as they are.
template <typename T>
inline T load(T x) {
  return x;
}
inline float load(c10::BFloat16 x) {
  const uint32_t bits = static_cast<uint32_t>(x.x) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <typename T>
inline void store(T& place, T x) {
  place = x;
}
inline void store(c10::BFloat16& place, float x) {  // round to nearest, ties to even
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const uint32_t nearest = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  place.x = static_cast<uint16_t>(x != x ? 0x7fc0 : nearest);
}

// x W^T by oneDNN. W may be in oneDNN's own layout.
inline Tensor onednn_product(const Tensor& x, const Tensor& W) {
  static const auto linear = c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_linear_pointwise", "");
  torch::jit::Stack stack{x, W, c10::IValue(), "none", c10::List<c10::optional<at::Scalar>>(), ""};
  linear.callBoxed(&stack);
  return stack.back().toTensor();
}

// The data of tensors of type T; null for an optional tensor without a value.
template <typename T>
struct Numbers {
  T* out(const Tensor& tensor) const {
    TORCH_CHECK(tensor.is_contiguous(), "expected a contiguous tensor");
    return tensor.data_ptr<T>();
  }
  T* out(const Optional& tensor) const { return tensor ? out(*tensor) : nullptr; }
  const T* in(const Tensor& tensor) const { return out(tensor); }
  const T* in(const Optional& tensor) const { return out(tensor); }
};
