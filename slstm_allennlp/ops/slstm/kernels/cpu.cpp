// The elementwise part of an S-LSTM step on the CPU. Each function writes its tensors once, and reads
// them once, or twice where a softmax needs its maximum first.
//
// The rows are a packed sequence: the words of all sentences, without padding. `cu_seqlens` has the first row of
// each sentence, and the number of rows. Threads divide the words among them. Where a sum runs over words, they
// divide whole sentences or the h dimensions instead, so sums need no lock and their order is deterministic.
// batched.py has the equations, and kernels/__init__.py the shapes. T is the type of the states and of all computation.
// P is the type of the inputs and results of matrix products: T, or bfloat16.

#include <type_traits>
#include <utility>
#include <vector>

#include "elementwise.h"

namespace {

constexpr int64_t kLine = 16;      // floats in a cache line
constexpr int64_t kBlock = 320;    // dimensions at a time, so that a few gates fit into the L1 cache
constexpr int64_t kMaxGates = 64;  // normalised gates: windows of up to 30 words on each side
template <typename T>
constexpr T kZeros[kBlock] = {};

// The number of rows, of this many elements each, that are worth a thread.
int64_t grain(int64_t elements) { return std::max<int64_t>(1, 4096 / std::max<int64_t>(1, elements)); }

// Call body(first, number) for each block of the dimensions from `from` to `end`.
template <typename Body>
void over_blocks(int64_t from, int64_t end, const Body& body) {
  for (int64_t first = from; first < end; first += kBlock) body(first, std::min(kBlock, end - first));
}

// Call body(sentence, row, first, number) for each block of each word. It must write only to this block.
template <typename Body>
void over_words(int64_t h, const int64_t* cu_seqlens, int64_t sentences, const Body& body) {
  at::parallel_for(0, cu_seqlens[sentences], grain(h), [&](int64_t from, int64_t to) {
    int64_t s = std::upper_bound(cu_seqlens, cu_seqlens + sentences + 1, from) - cu_seqlens - 1;
    for (int64_t row = from; row < to; ++row) {
      while (row >= cu_seqlens[s + 1]) ++s;
      over_blocks(0, h, [&](int64_t j, int64_t n) { body(s, row, j, n); });
    }
  });
}

// Divide the sentences into shares of about as many words, one per thread. Return the first sentence of each share,
// and the number of sentences.
std::vector<int64_t> shares_of(const int64_t* cu_seqlens, int64_t sentences) {
  const int64_t threads = at::get_num_threads(), rows = cu_seqlens[sentences];
  std::vector<int64_t> first(threads + 1, sentences);
  first[0] = 0;
  for (int64_t t = 1; t < threads; ++t) {
    const int64_t wanted = rows * t / threads;
    const int64_t* next = std::lower_bound(cu_seqlens, cu_seqlens + sentences, wanted);
    if (next > cu_seqlens && wanted - next[-1] < *next - wanted) --next;
    first[t] = next - cu_seqlens;
  }
  return first;
}

// Call body(sentence, first, number) for each block of each sentence. Threads take whole sentences, which avoids
// false sharing of cache lines. If the shares are uneven, they take parts of the dimensions instead.
template <typename Body>
void over_sentences(int64_t h, const int64_t* cu_seqlens, int64_t sentences, const Body& body) {
  const std::vector<int64_t> first = shares_of(cu_seqlens, sentences);
  const int64_t threads = static_cast<int64_t>(first.size()) - 1, rows = cu_seqlens[sentences];
  int64_t most = 0;
  for (int64_t t = 0; t < threads; ++t) most = std::max(most, cu_seqlens[first[t + 1]] - cu_seqlens[first[t]]);
  if (4 * most * threads <= 5 * rows) {
    at::parallel_for(0, threads, grain(most * h), [&](int64_t from, int64_t to) {
      for (int64_t s = first[from]; s < first[to]; ++s) {
        over_blocks(0, h, [&](int64_t j, int64_t n) { body(s, j, n); });
      }
    });
  } else {
    at::parallel_for(0, (h + kLine - 1) / kLine, grain(kLine * rows), [&](int64_t from, int64_t to) {
      for (int64_t s = 0; s < sentences; ++s) {
        over_blocks(from * kLine, std::min(to * kLine, h), [&](int64_t j, int64_t n) { body(s, j, n); });
      }
    });
  }
}

struct Shape {
  int64_t h;           // hidden size
  int64_t window;      // neighbours on each side
  bool has_node;       // whether there is a sentence node
  bool has_candidate;  // whether u is a tanh of its own pre-activation, not the word's input
  int64_t neighbors() const { return 2 * window + 1; }
  int64_t normalized() const { return neighbors() + has_node + 1; }
  int64_t gates() const { return normalized() + 1 + has_candidate; }
};

template <typename T>
struct Gates {
  T e[kMaxGates][kBlock];      // exp of the normalised gates' values
  T s[kMaxGates][kBlock];      // their sigmoids, if sigmoid_first
  T total[kBlock], o[kBlock], u[kBlock];
};

// Compute all gates of one word, for `n` dimensions from `j`.
template <bool sigmoid_first, typename T, typename P>
inline void gates_of(Gates<T>& g, const Shape& shape, const P* pre, const P* Ux, const T* Vg, const T* x,
                     int64_t j, int64_t n) {
  const int64_t h = shape.h, K = shape.normalized();
  T highest[kBlock];
  for (int64_t i = 0; i < n; ++i) g.total[i] = 0;
  for (int64_t q = 0; q < K; ++q) {
    const P *p = pre + q * h + j, *a = Ux + q * h + j;
    const T* b = Vg ? Vg + q * h + j : kZeros<T>;
    T* e = g.e[q];
    for (int64_t i = 0; i < n; ++i) e[i] = load(p[i]) + load(a[i]) + b[i];
    if (sigmoid_first) {
      T* s = g.s[q];
      for (int64_t i = 0; i < n; ++i) {
        s[i] = sigmoid(e[i]);
        e[i] = exp_(s[i]);
        g.total[i] += e[i];
      }
    } else {
      for (int64_t i = 0; i < n; ++i) {
        const T least = q ? highest[i] : e[i];  // a copy: choosing between two addresses does not vectorise
        highest[i] = least < e[i] ? e[i] : least;
      }
    }
  }
  if (!sigmoid_first) {
    for (int64_t q = 0; q < K; ++q) {
      T* e = g.e[q];
      for (int64_t i = 0; i < n; ++i) {
        e[i] = exp_(e[i] - highest[i]);
        g.total[i] += e[i];
      }
    }
  }
  const P *p = pre + K * h + j, *a = Ux + K * h + j;
  const T* b = Vg ? Vg + K * h + j : kZeros<T>;
  for (int64_t i = 0; i < n; ++i) g.o[i] = sigmoid(load(p[i]) + load(a[i]) + b[i]);
  if (shape.has_candidate) {
    p += h, a += h, b += Vg ? h : 0;
    for (int64_t i = 0; i < n; ++i) g.u[i] = tanh_(load(p[i]) + load(a[i]) + b[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) g.u[i] = x[j + i];
  }
}

template <bool sigmoid_first, typename T, typename P>
void word_forward_(const Shape& shape, const int64_t* cu_seqlens, int64_t sentences, const P* pre,
                   const P* Ux, const T* Vg, const T* c, const T* c_g, const T* x, T* h_out, T* c_out) {
  const int64_t h = shape.h, G = shape.gates(), k = shape.window;
  over_words(h, cu_seqlens, sentences, [&](int64_t s, int64_t row, int64_t j, int64_t n) {
    Gates<T> g;
    T sum[kBlock];
    gates_of<sigmoid_first>(g, shape, pre + row * G * h, Ux + row * G * h, Vg ? Vg + s * G * h : nullptr,
                            x ? x + row * h : nullptr, j, n);
    for (int64_t i = 0; i < n; ++i) sum[i] = g.e[shape.normalized() - 1][i] * g.u[i];
    for (int64_t q = 0; q < shape.neighbors(); ++q) {
      const int64_t other = row + q - k;
      if (other < cu_seqlens[s] || other >= cu_seqlens[s + 1]) continue;
      const T *v = c + other * h + j, *e = g.e[q];
      for (int64_t i = 0; i < n; ++i) sum[i] += e[i] * v[i];
    }
    if (shape.has_node) {
      const T *v = c_g + s * h + j, *e = g.e[shape.neighbors()];
      for (int64_t i = 0; i < n; ++i) sum[i] += e[i] * v[i];
    }
    T *hr = h_out + row * h + j, *cr = c_out + row * h + j;
    for (int64_t i = 0; i < n; ++i) {
      cr[i] = sum[i] / g.total[i];
      hr[i] = g.o[i] * tanh_(cr[i]);
    }
  });
}

// dh and dc are the gradients of the word's new state and cell. d_pre is overwritten; the others are added to.
template <bool sigmoid_first, typename T, typename P>
void word_backward_(const Shape& shape, const int64_t* cu_seqlens, int64_t sentences, const P* pre,
                    const P* Ux, const T* Vg, const T* c, const T* c_g, const T* x,
                    const T* c_new, const T* dh, const T* dc, P* d_pre, T* d_Ux, T* d_Vg, T* d_c, T* d_c_g,
                    T* d_x) {
  const int64_t h = shape.h, G = shape.gates(), K = shape.normalized(), k = shape.window;
  over_sentences(h, cu_seqlens, sentences, [&](int64_t s, int64_t j, int64_t n) {
    for (int64_t row = cu_seqlens[s]; row < cu_seqlens[s + 1]; ++row) {
      Gates<T> g;
      T flow[kBlock], weight[kBlock], d[kBlock];
      gates_of<sigmoid_first>(g, shape, pre + row * G * h, Ux + row * G * h, Vg ? Vg + s * G * h : nullptr,
                              x ? x + row * h : nullptr, j, n);
      const T *cn = c_new + row * h + j, *dhr = dh + row * h + j, *dcr = dc + row * h + j;
      P* dp = d_pre + row * G * h + j;
      T *du = d_Ux + row * G * h + j, *dv = Vg ? d_Vg + s * G * h + j : nullptr;
      const auto put = [&](int64_t q) {  // d, the gradient of gate q
        for (int64_t i = 0; i < n; ++i) store(dp[q * h + i], d[i]);
        for (int64_t i = 0; i < n; ++i) du[q * h + i] += d[i];
        if (dv) {
          for (int64_t i = 0; i < n; ++i) dv[q * h + i] += d[i];
        }
      };
      for (int64_t i = 0; i < n; ++i) {
        const T t = tanh_(cn[i]);
        d[i] = dhr[i] * t * g.o[i] * (T(1) - g.o[i]);
        flow[i] = (dcr[i] + dhr[i] * g.o[i] * (T(1) - t * t)) / g.total[i];
      }
      put(K);
      for (int64_t q = 0; q < K; ++q) {
        const T *v = kZeros<T>, *e = g.e[q];  // zeros beyond the sentence
        T* d_v = nullptr;
        if (q == K - 1) {
          v = g.u;
        } else if (q < shape.neighbors()) {
          const int64_t other = row + q - k;
          if (other >= cu_seqlens[s] && other < cu_seqlens[s + 1]) {
            v = c + other * h + j;
            d_v = d_c + other * h + j;
          }
        } else {
          v = c_g + s * h + j;
          d_v = d_c_g + s * h + j;
        }
        for (int64_t i = 0; i < n; ++i) weight[i] = flow[i] * e[i];
        for (int64_t i = 0; i < n; ++i) d[i] = weight[i] * (v[i] - cn[i]);
        if (sigmoid_first) {
          const T* sg = g.s[q];
          for (int64_t i = 0; i < n; ++i) d[i] *= sg[i] * (T(1) - sg[i]);
        }
        put(q);
        if (d_v) {
          for (int64_t i = 0; i < n; ++i) d_v[i] += weight[i];
        }
      }
      // `weight` is now that of the candidate.
      if (shape.has_candidate) {
        for (int64_t i = 0; i < n; ++i) d[i] = weight[i] * (T(1) - g.u[i] * g.u[i]);
        put(K + 1);
      } else {
        T* out = d_x + row * h + j;
        for (int64_t i = 0; i < n; ++i) out[i] += weight[i];
      }
    }
  });
}

template <bool sigmoid_first, typename T, typename P>
void node_forward_(int64_t h, const int64_t* cu_seqlens, int64_t sentences, const P* Uf,
                   const T* Wf, const T* f_g, const T* o, const T* c, const T* c_g, T* g_out, T* c_g_out,
                   T* log_total) {
  over_sentences(h, cu_seqlens, sentences, [&](int64_t s, int64_t j, int64_t n) {
    T total[kBlock], sum[kBlock], highest[kBlock], value[kBlock];
    const int64_t at = s * h + j;
    for (int64_t i = 0; i < n; ++i) {
      const T f = sigmoid_first ? sigmoid(f_g[at + i]) : f_g[at + i];
      highest[i] = sigmoid_first ? T(0) : f;
      value[i] = f;
    }
    if (!sigmoid_first) {
      for (int64_t row = cu_seqlens[s]; row < cu_seqlens[s + 1]; ++row) {
        const P* u = Uf + row * h + j;
        for (int64_t i = 0; i < n; ++i) highest[i] = std::max(highest[i], load(u[i]) + Wf[at + i]);
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      total[i] = sigmoid_first ? exp_(value[i]) : exp_(value[i] - highest[i]);
      sum[i] = total[i] * c_g[at + i];
    }
    for (int64_t row = cu_seqlens[s]; row < cu_seqlens[s + 1]; ++row) {
      const P* u = Uf + row * h + j;
      const T* cr = c + row * h + j;
      for (int64_t i = 0; i < n; ++i) {
        const T f = load(u[i]) + Wf[at + i];
        const T e = sigmoid_first ? exp_(sigmoid(f)) : exp_(f - highest[i]);
        total[i] += e;
        sum[i] += e * cr[i];
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      const T cell = sum[i] / total[i];
      c_g_out[at + i] = cell;
      g_out[at + i] = sigmoid(o[at + i]) * tanh_(cell);
      log_total[at + i] = std::log(total[i]) + highest[i];
    }
  });
}

// d_c is added to; the other gradients are overwritten.
template <bool sigmoid_first, typename T, typename P>
void node_backward_(int64_t h, const int64_t* cu_seqlens, int64_t sentences, const P* Uf,
                    const T* Wf, const T* f_g, const T* o, const T* c, const T* c_g, const T* c_g_new,
                    const T* log_total, const T* dg, const T* dc_g, P* d_Uf, T* d_Wf, T* d_f_g, T* d_o, T* d_c,
                    T* d_c_g) {
  over_sentences(h, cu_seqlens, sentences, [&](int64_t s, int64_t j, int64_t n) {
    T flow[kBlock], cell[kBlock], log_sum[kBlock], Wf_[kBlock], d_sum[kBlock];
    const int64_t at = s * h + j;
    for (int64_t i = 0; i < n; ++i) {
      const T t = tanh_(c_g_new[at + i]), gate = sigmoid(o[at + i]);
      d_o[at + i] = dg[at + i] * t * gate * (T(1) - gate);
      flow[i] = dc_g[at + i] + dg[at + i] * gate * (T(1) - t * t);
      const T f = sigmoid_first ? sigmoid(f_g[at + i]) : f_g[at + i];
      const T weight = flow[i] * exp_(f - log_total[at + i]);
      d_c_g[at + i] = weight;
      d_f_g[at + i] = weight * (c_g[at + i] - c_g_new[at + i]) * (sigmoid_first ? f * (T(1) - f) : T(1));
      cell[i] = c_g_new[at + i];
      log_sum[i] = log_total[at + i];
      Wf_[i] = Wf[at + i];
      d_sum[i] = 0;
    }
    for (int64_t row = cu_seqlens[s]; row < cu_seqlens[s + 1]; ++row) {
      const P* __restrict__ u = Uf + row * h + j;
      const T* __restrict__ cr = c + row * h + j;
      P* __restrict__ du = d_Uf + row * h + j;
      T* __restrict__ dc = d_c + row * h + j;
      for (int64_t i = 0; i < n; ++i) {
        const T raw = load(u[i]) + Wf_[i];
        const T f = sigmoid_first ? sigmoid(raw) : raw;
        const T weight = flow[i] * exp_(f - log_sum[i]);
        const T d = weight * (cr[i] - cell[i]) * (sigmoid_first ? f * (T(1) - f) : T(1));
        dc[i] += weight;
        store(du[i], d);
        d_sum[i] += d;
      }
    }
    for (int64_t i = 0; i < n; ++i) d_Wf[at + i] = d_sum[i];
  });
}

// Write xi = [h of i-k, ..., h of i, ..., h of i+k] of every row i, zero beyond the sentence.
template <typename T, typename P>
void windows_(int64_t h, int64_t k, const int64_t* cu_seqlens, int64_t sentences, const T* states, P* out) {
  const int64_t S = 2 * k + 1;
  over_words(h, cu_seqlens, sentences, [&](int64_t s, int64_t row, int64_t j, int64_t n) {
    for (int64_t q = 0; q < S; ++q) {
      const int64_t other = row + q - k;
      P* place = out + (row * S + q) * h + j;
      if (other < cu_seqlens[s] || other >= cu_seqlens[s + 1]) {
        std::fill(place, place + n, P(0));
      } else {
        for (int64_t i = 0; i < n; ++i) store(place[i], states[other * h + j + i]);
      }
    }
  });
}

// Add the gradient of the states to d_states.
template <typename T, typename P>
void windows_backward_(int64_t h, int64_t k, const int64_t* cu_seqlens, int64_t sentences, const P* d_out,
                       T* d_states) {
  const int64_t S = 2 * k + 1;
  over_words(h, cu_seqlens, sentences, [&](int64_t s, int64_t row, int64_t j, int64_t n) {
    T* d = d_states + row * h + j;
    for (int64_t q = 0; q < S; ++q) {
      const int64_t reader = row - (q - k);  // this row is in slot q of the reader's window
      if (reader < cu_seqlens[s] || reader >= cu_seqlens[s + 1]) continue;
      const P* place = d_out + (reader * S + q) * h + j;
      for (int64_t i = 0; i < n; ++i) d[i] += load(place[i]);
    }
  });
}

constexpr Numbers<int64_t> kPlaces{};

// Call body(T, P) for the types of the states and of the products.
template <typename Body>
void dispatch(const Tensor& state, const Tensor& product, const Body& body) {
  AT_DISPATCH_FLOATING_TYPES(state.scalar_type(), "slstm", [&] {
    if (std::is_same<scalar_t, float>::value && product.scalar_type() == at::kBFloat16) {
      body(Numbers<float>(), Numbers<c10::BFloat16>());
    } else {
      body(Numbers<scalar_t>(), Numbers<scalar_t>());  // data_ptr<T> refuses any other type
    }
  });
}

// The same, with sigmoid_first as a compile-time constant.
template <typename Body>
void dispatch(const Tensor& state, const Tensor& product, bool sigmoid_first, const Body& body) {
  dispatch(state, product, [&](auto T, auto P) {
    sigmoid_first ? body(T, P, std::true_type()) : body(T, P, std::false_type());
  });
}

Shape shape_of(const Tensor& c, int64_t window_size, const Optional& c_g, const Optional& x) {
  const Shape shape{c.size(1), window_size, c_g.has_value(), !x.has_value()};
  TORCH_CHECK(shape.normalized() <= kMaxGates, "window_size is ", window_size, ", expected at most 30");
  return shape;
}

// x W^T. W may be packed for oneDNN.
Tensor product(const Tensor& x, const Tensor& W) { return W.is_mkldnn() ? onednn_product(x, W) : at::linear(x, W); }

}  // namespace

std::vector<Tensor> word_forward(Tensor cu_seqlens, int64_t window_size, bool sigmoid_first, Tensor pre,
                                 Tensor Ux, Optional Vg, Tensor c, Optional c_g, Optional x) {
  const Shape shape = shape_of(c, window_size, c_g, x);
  Tensor h_new = torch::zeros_like(c), c_new = torch::zeros_like(c);
  dispatch(c, pre, sigmoid_first, [&](auto T, auto P, auto first) {
    word_forward_<first()>(shape, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(pre), P.in(Ux), T.in(Vg),
                           T.in(c), T.in(c_g), T.in(x), T.out(h_new), T.out(c_new));
  });
  return {h_new, c_new};
}

std::vector<Optional> word_backward(Tensor cu_seqlens, int64_t window_size, bool sigmoid_first, Tensor pre,
                                    Tensor Ux, Optional Vg, Tensor c, Optional c_g, Optional x,
                                    Tensor c_new, Tensor dh, Tensor dc, Tensor d_pre, Tensor d_Ux, Optional d_x) {
  const Shape shape = shape_of(c, window_size, c_g, x);
  Tensor d_c = torch::zeros_like(c);
  Optional d_Vg, d_c_g;
  if (c_g) {
    d_Vg = torch::zeros_like(*Vg);
    d_c_g = torch::zeros_like(*c_g);
  }
  dispatch(c, pre, sigmoid_first, [&](auto T, auto P, auto first) {
    word_backward_<first()>(shape, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(pre), P.in(Ux), T.in(Vg),
                            T.in(c), T.in(c_g), T.in(x), T.in(c_new), T.in(dh), T.in(dc), P.out(d_pre), T.out(d_Ux),
                            T.out(d_Vg), T.out(d_c), T.out(d_c_g), T.out(d_x));
  });
  return {d_Vg, d_c, d_c_g};
}

std::vector<Tensor> node_forward(Tensor cu_seqlens, bool sigmoid_first, Tensor Uf, Tensor Wf, Tensor f_g, Tensor o,
                                 Tensor c, Tensor c_g) {
  Tensor g_new = torch::empty_like(c_g), c_g_new = torch::empty_like(c_g), log_total = torch::empty_like(c_g);
  dispatch(c, Uf, sigmoid_first, [&](auto T, auto P, auto first) {
    node_forward_<first()>(c.size(1), kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(Uf), T.in(Wf), T.in(f_g),
                           T.in(o), T.in(c), T.in(c_g), T.out(g_new), T.out(c_g_new), T.out(log_total));
  });
  return {g_new, c_g_new, log_total};
}

std::vector<Tensor> node_backward(Tensor cu_seqlens, bool sigmoid_first, Tensor Uf, Tensor Wf, Tensor f_g, Tensor o,
                                  Tensor c, Tensor c_g, Tensor c_g_new, Tensor log_total, Tensor dg, Tensor dc_g,
                                  Tensor d_Uf, Tensor d_c) {
  Tensor d_Wf = torch::empty_like(c_g), d_f_g = torch::empty_like(c_g),
         d_o = torch::empty_like(c_g), d_c_g = torch::empty_like(c_g);
  dispatch(c, Uf, sigmoid_first, [&](auto T, auto P, auto first) {
    node_backward_<first()>(c.size(1), kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(Uf), T.in(Wf), T.in(f_g),
                            T.in(o), T.in(c), T.in(c_g), T.in(c_g_new), T.in(log_total), T.in(dg), T.in(dc_g),
                            P.out(d_Uf), T.out(d_Wf), T.out(d_f_g), T.out(d_o), T.out(d_c), T.out(d_c_g));
  });
  return {d_Wf, d_f_g, d_o, d_c_g};
}

void windows(Tensor cu_seqlens, int64_t window_size, Tensor states, Tensor result) {
  dispatch(states, result, [&](auto T, auto P) {
    windows_(states.size(1), window_size, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, T.in(states), P.out(result));
  });
}

void windows_backward(Tensor cu_seqlens, int64_t window_size, Tensor d_windows, Tensor d_states) {
  dispatch(d_states, d_windows, [&](auto T, auto P) {
    windows_backward_(d_states.size(1), window_size, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(d_windows),
                      T.out(d_states));
  });
}

// Run all steps without gradients, and return the last h and g. Products have the precision of Ux. `first` is W xi of
// the first step, if all words start from one h. W_node and b_node are those of f, o and f_g, one after the other.
std::vector<Optional> steps(Tensor cu_seqlens, Tensor sentence_of, Tensor counts, int64_t window_size,
                            bool sigmoid_first, int64_t num_steps, bool need_words, bool need_node, Tensor W,
                            Optional V, Optional W_node, Optional b_node, Optional U_f, Optional U_o, Optional U_f_g,
                            Tensor Ux, Optional first, Optional x, Tensor h, Tensor c, Optional g, Optional c_g) {
  const auto T = h.scalar_type(), P = Ux.scalar_type();
  const Tensor xi = at::zeros({h.size(0), (2 * window_size + 1) * h.size(1)}, Ux.options());
  for (int64_t step = 0; step < num_steps; ++step) {
    const bool last = step == num_steps - 1;
    Tensor h_new = h, c_new = c;
    Optional g_new = g, c_g_new = c_g, Vg;
    if (need_words || !last) {
      if (g) Vg = product(g->to(P), *V).to(T).contiguous();
      if (step || !first) windows(cu_seqlens, window_size, h, xi);
      const Tensor pre = step || !first ? product(xi, W) : *first;
      const auto next = word_forward(cu_seqlens, window_size, sigmoid_first, pre, Ux, Vg, c, c_g, x);
      h_new = next[0], c_new = next[1];
    }
    if (g && (need_node || !last)) {
      const Tensor words = h.slice(0, 0, sentence_of.size(0)),
                   h_bar = at::zeros_like(*g).index_add_(0, sentence_of, words) / counts;
      const auto Wg = (product(g->to(P), *W_node).to(T) + *b_node).chunk(3, 1);
      const Tensor Wf = Wg[0].contiguous(), o = Wg[1] + product(h_bar.to(P), *U_o).to(T),
                   f_g = Wg[2] + product(h_bar.to(P), *U_f_g).to(T), Uf = product(h.to(P), *U_f);
      const auto next = node_forward(cu_seqlens, sigmoid_first, Uf, Wf, f_g, o, c, *c_g);
      g_new = next[0], c_g_new = next[1];
    }
    h = h_new, c = c_new, g = g_new, c_g = c_g_new;
  }
  return {h, g};
}

// Hash the bytes of the tensors, to detect a change. Each of 16 lanes takes in 8-byte words, one to one for one word:
// the product carries a changed bit up, the rotation carries it down.
int64_t fingerprint(const std::vector<Tensor>& tensors) {
  constexpr int64_t kLanes = 16, kBytes = kLanes * sizeof(uint64_t);
  uint64_t result = 0;
  const auto mix = [&](uint64_t value) {
    result = (result ^ value) * 0x9e3779b97f4a7c15;
    result ^= result >> 29;
  };
  for (const Tensor& tensor : tensors) {
    TORCH_CHECK(tensor.is_contiguous(), "expected a contiguous tensor");
    const int64_t size = tensor.numel() * tensor.element_size(), whole = size - size % kBytes;
    const char* bytes = static_cast<const char*>(tensor.data_ptr());
    uint64_t lanes[kLanes] = {};
    const auto add = [&](const char* from) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        uint64_t word;
        std::memcpy(&word, from + lane * sizeof word, sizeof word);
        word = (lanes[lane] ^ word) * 0x9e3779b97f4a7c15;
        lanes[lane] = word << 40 | word >> 24;
      }
    };
    for (int64_t at = 0; at < whole; at += kBytes) {
      for (int64_t line = 0; line < kBytes; line += 64) __builtin_prefetch(bytes + at + line + 4096);
      add(bytes + at);
    }
    char rest[kBytes] = {};
    std::memcpy(rest, bytes + whole, size - whole);
    add(rest);
    mix(size);
    for (const uint64_t lane : lanes) mix(lane);
  }
  return static_cast<int64_t>(result);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  using namespace pybind11::literals;
  m.def("word_forward", &word_forward, "cu_seqlens"_a, "window_size"_a, "sigmoid_first"_a, "pre"_a, "Ux"_a, "Vg"_a,
        "c"_a, "c_g"_a, "x"_a);
  m.def("word_backward", &word_backward, "cu_seqlens"_a, "window_size"_a, "sigmoid_first"_a, "pre"_a, "Ux"_a,
        "Vg"_a, "c"_a, "c_g"_a, "x"_a, "c_new"_a, "dh"_a, "dc"_a, "d_pre"_a, "d_Ux"_a, "d_x"_a);
  m.def("node_forward", &node_forward, "cu_seqlens"_a, "sigmoid_first"_a, "Uf"_a, "Wf"_a, "f_g"_a, "o"_a, "c"_a,
        "c_g"_a);
  m.def("node_backward", &node_backward, "cu_seqlens"_a, "sigmoid_first"_a, "Uf"_a, "Wf"_a, "f_g"_a, "o"_a, "c"_a,
        "c_g"_a, "c_g_new"_a, "log_total"_a, "dg"_a, "dc_g"_a, "d_Uf"_a, "d_c"_a);
  m.def("windows", &windows, "cu_seqlens"_a, "window_size"_a, "states"_a, "result"_a);
  m.def("windows_backward", &windows_backward, "cu_seqlens"_a, "window_size"_a, "d_windows"_a, "d_states"_a);
  m.def("steps", &steps, "cu_seqlens"_a, "sentence_of"_a, "counts"_a, "window_size"_a, "sigmoid_first"_a,
        "num_steps"_a, "need_words"_a, "need_node"_a, "W"_a, "V"_a, "W_node"_a, "b_node"_a, "U_f"_a, "U_o"_a,
        "U_f_g"_a, "Ux"_a, "first"_a, "x"_a, "h"_a, "c"_a, "g"_a, "c_g"_a,
        pybind11::call_guard<pybind11::gil_scoped_release>());
  m.def("fingerprint", &fingerprint, "tensors"_a);
}
