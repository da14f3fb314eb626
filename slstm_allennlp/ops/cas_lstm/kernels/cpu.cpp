// A direction's steps of a CAS-LSTM layer on the CPU: the products are PyTorch's, the elementwise part of a
// step reads and writes its tensors once, divided over the sentences. The equations are those of naive.py;
// eager.py has the same functions in PyTorch, and says what their arguments are.

#include <torch/extension.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>

#include "elementwise.h"

// The rows that a loop reads and writes do not overlap, which compilers need to know to vectorise it.
#define RESTRICT __restrict

namespace {

using torch::Tensor;
using OptionalTensor = std::optional<Tensor>;

// x W^T by oneDNN, in single precision, where PyTorch has it: as products.py.
Tensor product(const Tensor& x, const Tensor& W) {
  static const auto onednn = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
  if (!onednn.has_value() || x.scalar_type() != torch::kFloat || !at::globalContext().userEnabledMkldnn()) {
    return at::mm(x, W.t());
  }
  torch::jit::Stack stack{x, W, c10::IValue(), "none", c10::List<c10::optional<at::Scalar>>(), ""};
  onednn->callBoxed(&stack);
  return stack.back().toTensor();
}

struct Shape {
  int64_t length, batch, gates, h;
  explicit Shape(const Tensor& g) : length(g.size(0)), batch(g.size(1)), gates(g.size(2)), h(g.size(3)) {}
};

template <typename Body>
void over_rows(const Shape& s, int64_t t, const Body& body) {
  at::parallel_for(0, s.batch, std::max<int64_t>(1, 2048 / s.h), [&](int64_t from, int64_t to) {
    for (int64_t b = from; b < to; ++b) body(t * s.batch + b, b);
  });
}

// `recurrent` is U h of the word before, null for the first word.
template <typename T>
void forward_step(const Shape& s, int64_t t, T* gates, const T* recurrent, const T* RESTRICT left,
                  const T* RESTRICT below, const T* cells_below, T* h, T* c) {
  over_rows(s, t, [&](int64_t row, int64_t b) {
    const int64_t n = s.h;
    T *RESTRICT i = gates + row * s.gates * n, *RESTRICT f = i + n, *RESTRICT u = f + n, *RESTRICT o = u + n,
      *RESTRICT g = o + n, *RESTRICT c_new = c + row * n, *RESTRICT h_new = h + row * n;
    if (recurrent) {
      T* RESTRICT pre = i;
      const T* RESTRICT Uh = recurrent + b * s.gates * n;
      for (int64_t j = 0; j < s.gates * n; ++j) pre[j] += Uh[j];
    }
    for (int64_t j = 0; j < n; ++j) {
      i[j] = sigmoid(i[j]);
      f[j] = sigmoid(f[j]);
      u[j] = tanh_(u[j]);
      o[j] = sigmoid(o[j]);
      c_new[j] = i[j] * u[j];
    }
    if (recurrent) {
      const T* RESTRICT c_old = c + (row - s.batch) * n;
      for (int64_t j = 0; j < n; ++j) c_new[j] += left[j] * f[j] * c_old[j];
    }
    if (cells_below) {
      const T* RESTRICT lower = cells_below + row * n;
      for (int64_t j = 0; j < n; ++j) {
        g[j] = sigmoid(g[j]);
        c_new[j] += below[j] * g[j] * lower[j];
      }
    }
    for (int64_t j = 0; j < n; ++j) h_new[j] = o[j] * tanh_(c_new[j]);
  });
}

// The gradients of i, c̃ and o, and of the cell, of one row; d_o comes with the gradient of h. A function of
// its own, since compilers heed RESTRICT in arguments alone where there are many pointers.
template <typename T>
void through_cell(int64_t n, const T* RESTRICT i, const T* RESTRICT u, const T* RESTRICT o, const T* RESTRICT c,
                  T* RESTRICT dc, T* RESTRICT di, T* RESTRICT du, T* RESTRICT d_o) {
  for (int64_t j = 0; j < n; ++j) {
    const T tanh_c = tanh_(c[j]), dh = d_o[j];
    const T d_cell = dc[j] + dh * o[j] * (1 - tanh_c * tanh_c);
    dc[j] = d_cell;
    di[j] = d_cell * u[j] * i[j] * (1 - i[j]);
    du[j] = d_cell * i[j] * (1 - u[j] * u[j]);
    d_o[j] = dh * tanh_c * o[j] * (1 - o[j]);
  }
}

// `recurrent` is what the word after gives to h, null for the last word.
template <typename T>
void backward_step(const Shape& s, int64_t t, const T* gates, const T* RESTRICT left, const T* RESTRICT below,
                   const T* cells_below, const T* c, const T* grad_h, const T* recurrent, T* d_c, T* d_gates) {
  over_rows(s, t, [&](int64_t row, int64_t b) {
    const int64_t n = s.h;
    const T *RESTRICT i = gates + row * s.gates * n, *RESTRICT f = i + n, *RESTRICT u = f + n, *RESTRICT o = u + n,
            *RESTRICT g = o + n, *RESTRICT cells = c + row * n, *RESTRICT dh_after = grad_h + row * n;
    T *RESTRICT di = d_gates + row * s.gates * n, *RESTRICT df = di + n, *RESTRICT du = df + n,
      *RESTRICT d_o = du + n, *RESTRICT dg = d_o + n, *RESTRICT dc = d_c + row * n;
    // The gradient of h, for now in the place of that of o's pre-activation.
    for (int64_t j = 0; j < n; ++j) d_o[j] = dh_after[j];
    if (recurrent) {
      const T* RESTRICT dh_right = recurrent + b * n;
      for (int64_t j = 0; j < n; ++j) d_o[j] += dh_right[j];
    }
    through_cell(n, i, u, o, cells, dc, di, du, d_o);
    if (t) {
      const T* RESTRICT c_old = c + (row - s.batch) * n;
      T* RESTRICT dc_old = d_c + (row - s.batch) * n;
      for (int64_t j = 0; j < n; ++j) {
        const T d_left = dc[j] * left[j] * f[j];
        df[j] = d_left * c_old[j] * (1 - f[j]);
        dc_old[j] += d_left;
      }
    } else {
      for (int64_t j = 0; j < n; ++j) df[j] = 0;
    }
    if (cells_below) {
      const T* RESTRICT lower = cells_below + row * n;
      for (int64_t j = 0; j < n; ++j) dg[j] = dc[j] * below[j] * lower[j] * g[j] * (1 - g[j]);
    }
  });
}

template <typename T>
T* data(const Tensor& tensor) {
  TORCH_CHECK(tensor.is_contiguous(), "expected a contiguous tensor");
  return tensor.data_ptr<T>();
}

template <typename T>
const T* data(const OptionalTensor& tensor) {
  return tensor.has_value() ? data<T>(*tensor) : nullptr;
}

}  // namespace

void forward(Tensor gates, Tensor U, Tensor left, Tensor below, OptionalTensor cells_below, Tensor h, Tensor c) {
  const Shape shape(gates);
  const Tensor U_turned = U.t().contiguous().t();  // the layout that oneDNN is faster with
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "forward", [&] {
    using T = scalar_t;
    for (int64_t t = 0; t < shape.length; ++t) {
      const Tensor recurrent = t ? product(h.select(0, t - 1), U_turned).contiguous() : Tensor();
      forward_step<T>(shape, t, data<T>(gates), t ? data<T>(recurrent) : nullptr, data<T>(left), data<T>(below),
                      data<T>(cells_below), data<T>(h), data<T>(c));
    }
  });
}

void backward(Tensor gates, Tensor U, Tensor left, Tensor below, OptionalTensor cells_below, Tensor c, Tensor grad_h,
              Tensor d_c, Tensor d_gates) {
  const Shape shape(gates);
  const Tensor rows = d_gates.flatten(2);
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "backward", [&] {
    using T = scalar_t;
    for (int64_t t = shape.length - 1; t >= 0; --t) {
      const bool last = t + 1 == shape.length;
      const Tensor recurrent = last ? Tensor() : product(rows.select(0, t + 1), U.t()).contiguous();
      backward_step<T>(shape, t, data<T>(gates), data<T>(left), data<T>(below), data<T>(cells_below), data<T>(c),
                       data<T>(grad_h), last ? nullptr : data<T>(recurrent), data<T>(d_c), data<T>(d_gates));
    }
  });
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward);
  m.def("backward", &backward);
}
