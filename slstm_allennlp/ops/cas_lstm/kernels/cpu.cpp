// The steps of one direction of a CAS-LSTM layer on the CPU. PyTorch computes the matrix products. The elementwise
// part of a step reads and writes each tensor once, in parallel over the sentences. naive.py has the equations.

#include "elementwise.h"

// The rows of a loop do not overlap. Compilers must know this to vectorise it.
#define RESTRICT __restrict

namespace {

// x W^T, by oneDNN or by PyTorch's own choice.
Tensor product(const Tensor& x, const Tensor& W, bool by_onednn) {
  return by_onednn ? onednn_product(x, W) : at::mm(x, W.t());
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

// One row of a forward step and of a backward step. They are separate functions because compilers use RESTRICT only
// in arguments when there are many pointers. Uh, c_old and dc_old are null for the first word; lower, g and d_lower
// are null in the first layer; recurrent is null for the last word.
template <bool kWordBefore, bool kLayerBelow, typename T>
void forward_row(int64_t n, const T* RESTRICT Uh, const T* RESTRICT left, const T* RESTRICT below,
                 const T* RESTRICT c_old, const T* RESTRICT lower, T* RESTRICT i, T* RESTRICT f, T* RESTRICT u,
                 T* RESTRICT o, T* RESTRICT g, T* RESTRICT c, T* RESTRICT h) {
  const auto pre = [&](const T* gate, int64_t j, int64_t number) {
    return kWordBefore ? gate[j] + Uh[number * n + j] : gate[j];
  };
  for (int64_t j = 0; j < n; ++j) {
    const T in = sigmoid(pre(i, j, 0)), candidate = tanh_(pre(u, j, 2)), out = sigmoid(pre(o, j, 3));
    T cell = in * candidate;
    i[j] = in;
    u[j] = candidate;
    o[j] = out;
    f[j] = sigmoid(pre(f, j, 1));
    if (kWordBefore) cell += left[j] * f[j] * c_old[j];
    if (kLayerBelow) {
      g[j] = sigmoid(pre(g, j, 4));
      cell += below[j] * g[j] * lower[j];
    }
    c[j] = cell;
    h[j] = out * tanh_(cell);
  }
}

template <bool kWordBefore, bool kLayerBelow, bool kWordAfter, typename T>
void backward_row(int64_t n, const T* RESTRICT c, const T* RESTRICT left, const T* RESTRICT below,
                  const T* RESTRICT c_old, const T* RESTRICT lower, const T* RESTRICT grad_h,
                  const T* RESTRICT recurrent, T* RESTRICT i, T* RESTRICT f, T* RESTRICT u, T* RESTRICT o,
                  T* RESTRICT g, T* RESTRICT dc, T* RESTRICT dc_old, T* RESTRICT d_lower) {
  for (int64_t j = 0; j < n; ++j) {
    const T in = i[j], candidate = u[j], out = o[j];
    const T tanh_c = tanh_(c[j]), dh = kWordAfter ? grad_h[j] + recurrent[j] : grad_h[j];
    const T d_cell = dc[j] + dh * out * (1 - tanh_c * tanh_c);
    dc[j] = d_cell;
    i[j] = d_cell * candidate * in * (1 - in);
    u[j] = d_cell * in * (1 - candidate * candidate);
    o[j] = dh * tanh_c * out * (1 - out);
    if (kWordBefore) {
      const T forget = f[j], d_left = d_cell * left[j] * forget;
      f[j] = d_left * c_old[j] * (1 - forget);
      dc_old[j] += d_left;
    } else {
      f[j] = 0;
    }
    if (kLayerBelow) {
      const T forget = g[j], d_below = d_cell * below[j] * forget;
      g[j] = d_below * lower[j] * (1 - forget);
      d_lower[j] = d_below;
    }
  }
}

// Call body with the flag as a compile-time constant.
template <typename Body>
void with_constant(bool flag, const Body& body) {
  flag ? body(std::true_type()) : body(std::false_type());
}

// `recurrent` is U h of the previous word, null for the first word.
template <typename T>
void forward_step(const Shape& s, int64_t t, T* gates, const T* recurrent, const T* left, const T* below,
                  const T* cells_below, T* h, T* c) {
  const int64_t n = s.h, size = s.gates * n;
  with_constant(recurrent, [&](auto word_before) {
    with_constant(cells_below, [&](auto layer_below) {
      over_rows(s, t, [&](int64_t row, int64_t b) {
        T* i = gates + row * size;
        const int64_t here = row * n, before = here - s.batch * n;
        forward_row<word_before(), layer_below()>(
            n, word_before ? recurrent + b * size : nullptr, left, below, word_before ? c + before : nullptr,
            layer_below ? cells_below + here : nullptr, i, i + n, i + 2 * n, i + 3 * n,
            layer_below ? i + 4 * n : nullptr, c + here, h + here);
      });
    });
  });
}

// `recurrent` is the gradient of h from the next word, null for the last word.
template <typename T>
void backward_step(const Shape& s, int64_t t, T* gates, const T* left, const T* below, const T* cells_below,
                   const T* c, const T* grad_h, const T* recurrent, T* d_c, T* d_below) {
  const int64_t n = s.h;
  with_constant(t > 0, [&](auto word_before) {
    with_constant(cells_below, [&](auto layer_below) {
      with_constant(recurrent, [&](auto word_after) {
        over_rows(s, t, [&](int64_t row, int64_t b) {
          T* i = gates + row * s.gates * n;
          const int64_t here = row * n, before = here - s.batch * n;
          backward_row<word_before(), layer_below(), word_after()>(
              n, c + here, left, below, word_before ? c + before : nullptr, layer_below ? cells_below + here : nullptr,
              grad_h + here, word_after ? recurrent + b * n : nullptr, i, i + n, i + 2 * n, i + 3 * n,
              layer_below ? i + 4 * n : nullptr, d_c + here, word_before ? d_c + before : nullptr,
              layer_below ? d_below + here : nullptr);
        });
      });
    });
  });
}

}  // namespace

// Compute h and c of one direction, (seq_len, batch_size, h), by c = i * u + left * f * c_old + below * g * lower and
// h = o * tanh(c). `gates`, (seq_len, batch_size, G, h), has W x + b, and is overwritten with the gates. `left` and
// `below` have (h,), U has (G * h, h), and `cells_below`, the cells of the layer below, the shape of c.
void forward(Tensor gates, Tensor U, Tensor left, Tensor below, Optional cells_below, Tensor h, Tensor c,
             bool by_onednn) {
  const Shape shape(gates);
  const Tensor U_turned = U.t().contiguous().t();  // the layout in which oneDNN is faster
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "forward", [&] {
    const Numbers<scalar_t> T;
    for (int64_t t = 0; t < shape.length; ++t) {
      Optional recurrent;
      if (t) recurrent = product(h.select(0, t - 1), U_turned, by_onednn).contiguous();
      forward_step(shape, t, T.out(gates), T.in(recurrent), T.in(left), T.in(below), T.in(cells_below), T.out(h),
                   T.out(c));
    }
  });
}

// Compute the gradients of `forward`. `gates` has its gates, and is overwritten with the gradients of their
// pre-activations. `grad_h` and `d_c` are the incoming gradients of h and c; the gradient through later steps and h is
// added to `d_c`. The gradient of `cells_below` is written to `d_below`.
void backward(Tensor gates, Tensor U, Tensor left, Tensor below, Optional cells_below, Tensor c, Tensor grad_h,
              Tensor d_c, Optional d_below, bool by_onednn) {
  const Shape shape(gates);
  const Tensor rows = gates.flatten(2);
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "backward", [&] {
    const Numbers<scalar_t> T;
    for (int64_t t = shape.length - 1; t >= 0; --t) {
      Optional recurrent;
      if (t + 1 < shape.length) recurrent = product(rows.select(0, t + 1), U.t(), by_onednn).contiguous();
      backward_step(shape, t, T.out(gates), T.in(left), T.in(below), T.in(cells_below), T.in(c), T.in(grad_h),
                    T.in(recurrent), T.out(d_c), T.out(d_below));
    }
  });
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward);
  m.def("backward", &backward);
}
