// The elementwise part of a CAS-LSTM step on the CPU: each function reads and writes its tensors once.
// The work is divided over the rows, one for each direction and sentence. The equations are those of
// naive.py; eager.py has the same functions in PyTorch, and says what their arguments are.

#include <torch/extension.h>
#include <ATen/Parallel.h>

#include <optional>

#include "elementwise.h"

// The rows that a loop reads and writes do not overlap, which compilers need to know to vectorise it.
#define RESTRICT __restrict

namespace {

using OptionalTensor = std::optional<torch::Tensor>;

struct Shape {
  int64_t directions, length, batch, gates, h;
  explicit Shape(const torch::Tensor& g)
      : directions(g.size(0)), length(g.size(1)), batch(g.size(2)), gates(g.size(3)), h(g.size(4)) {}
  // The row of a direction's sentence b at word t, of `size` numbers each.
  int64_t at(int64_t d, int64_t t, int64_t b) const { return (d * length + t) * batch + b; }
};

template <typename Body>
void over_rows(const Shape& s, const Body& body) {
  at::parallel_for(0, s.directions * s.batch, std::max<int64_t>(1, 2048 / s.h), [&](int64_t from, int64_t to) {
    for (int64_t row = from; row < to; ++row) body(row / s.batch, row % s.batch);
  });
}

template <typename T>
void forward_(const Shape& s, int64_t t, T* gates, const T* recurrent, const T* left, const T* below,
              const T* cells_below, T* h, T* c) {
  over_rows(s, [&](int64_t d, int64_t b) {
    const int64_t n = s.h, row = s.at(d, t, b);
    T *RESTRICT i = gates + row * s.gates * n, *RESTRICT f = i + n, *RESTRICT u = f + n, *RESTRICT o = u + n,
      *RESTRICT g = o + n, *RESTRICT c_new = c + row * n, *RESTRICT h_new = h + row * n;
    const T *RESTRICT c_old = t ? c + s.at(d, t - 1, b) * n : nullptr, *RESTRICT l = left + d * n,
            *RESTRICT w = below + d * n;
    if (recurrent) {
      const T* RESTRICT Uh = recurrent + (d * s.batch + b) * s.gates * n;
      T* RESTRICT pre = i;
      for (int64_t j = 0; j < s.gates * n; ++j) pre[j] += Uh[j];
    }
    for (int64_t j = 0; j < n; ++j) {
      i[j] = sigmoid(i[j]);
      f[j] = sigmoid(f[j]);
      u[j] = tanh_(u[j]);
      o[j] = sigmoid(o[j]);
      c_new[j] = i[j] * u[j];
    }
    if (c_old) {
      for (int64_t j = 0; j < n; ++j) c_new[j] += l[j] * f[j] * c_old[j];
    }
    if (cells_below) {
      const T* RESTRICT lower = cells_below + row * n;
      for (int64_t j = 0; j < n; ++j) {
        g[j] = sigmoid(g[j]);
        c_new[j] += w[j] * g[j] * lower[j];
      }
    }
    for (int64_t j = 0; j < n; ++j) h_new[j] = o[j] * tanh_(c_new[j]);
  });
}

template <typename T>
void backward_(const Shape& s, int64_t t, const T* gates, const T* left, const T* below, const T* cells_below,
               const T* c, const T* d_h, T* d_c, T* d_gates) {
  over_rows(s, [&](int64_t d, int64_t b) {
    const int64_t n = s.h, row = s.at(d, t, b), before = t ? s.at(d, t - 1, b) * n : 0;
    const T *RESTRICT i = gates + row * s.gates * n, *RESTRICT f = i + n, *RESTRICT u = f + n, *RESTRICT o = u + n,
            *RESTRICT g = o + n, *RESTRICT cells = c + row * n, *RESTRICT dh = d_h + (d * s.batch + b) * n,
            *RESTRICT l = left + d * n, *RESTRICT w = below + d * n;
    T *RESTRICT di = d_gates + row * s.gates * n, *RESTRICT df = di + n, *RESTRICT du = df + n,
      *RESTRICT d_o = du + n, *RESTRICT dg = d_o + n, *RESTRICT dc = d_c + row * n;
    for (int64_t j = 0; j < n; ++j) {
      const T tanh_c = tanh_(cells[j]);
      dc[j] += dh[j] * o[j] * (1 - tanh_c * tanh_c);
      di[j] = dc[j] * u[j] * i[j] * (1 - i[j]);
      du[j] = dc[j] * i[j] * (1 - u[j] * u[j]);
      d_o[j] = dh[j] * tanh_c * o[j] * (1 - o[j]);
    }
    if (t) {
      const T* RESTRICT c_old = c + before;
      T* RESTRICT dc_old = d_c + before;
      for (int64_t j = 0; j < n; ++j) {
        const T d_left = dc[j] * l[j] * f[j];
        df[j] = d_left * c_old[j] * (1 - f[j]);
        dc_old[j] += d_left;
      }
    } else {
      for (int64_t j = 0; j < n; ++j) df[j] = 0;
    }
    if (cells_below) {
      const T* RESTRICT lower = cells_below + row * n;
      for (int64_t j = 0; j < n; ++j) dg[j] = dc[j] * w[j] * lower[j] * g[j] * (1 - g[j]);
    }
  });
}

template <typename T>
T* data(const torch::Tensor& tensor) {
  TORCH_CHECK(tensor.is_contiguous(), "expected a contiguous tensor");
  return tensor.data_ptr<T>();
}

template <typename T>
const T* data(const OptionalTensor& tensor) {
  return tensor.has_value() ? data<T>(*tensor) : nullptr;
}

}  // namespace

void forward(int64_t t, torch::Tensor gates, OptionalTensor recurrent, torch::Tensor left, torch::Tensor below,
             OptionalTensor cells_below, torch::Tensor h, torch::Tensor c) {
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "forward", [&] {
    using T = scalar_t;
    forward_<T>(Shape(gates), t, data<T>(gates), data<T>(recurrent), data<T>(left), data<T>(below),
                data<T>(cells_below), data<T>(h), data<T>(c));
  });
}

void backward(int64_t t, torch::Tensor gates, torch::Tensor left, torch::Tensor below, OptionalTensor cells_below,
              torch::Tensor c, torch::Tensor d_h, torch::Tensor d_c, torch::Tensor d_gates) {
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "backward", [&] {
    using T = scalar_t;
    backward_<T>(Shape(gates), t, data<T>(gates), data<T>(left), data<T>(below), data<T>(cells_below), data<T>(c),
                 data<T>(d_h), data<T>(d_c), data<T>(d_gates));
  });
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward);
  m.def("backward", &backward);
}
