// The elementwise part of an S-LSTM step on the CPU. Each function reads and writes its tensors once.
//
// The rows are a packed sequence: the words of all sentences, without padding. `cu_seqlens` has the first row of
// each sentence, and the number of rows. Threads divide the words among them. Where a sum runs over words, they
// divide whole sentences or the h dimensions instead, so sums need no lock and their order is deterministic.
// naive.py has the equations; eager.py has the same functions in PyTorch and documents the shapes. T is the type of
// the states and of all computation. P is the type of the inputs and results of matrix products: T, or bfloat16.

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
        e[i] = exp_of_share(s[i]);
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
                   const P* Ux, const T* Vg, const T* c, const T* cg, const T* x, T* h_out, T* c_out) {
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
      const T *v = cg + s * h + j, *e = g.e[shape.neighbors()];
      for (int64_t i = 0; i < n; ++i) sum[i] += e[i] * v[i];
    }
    T *hr = h_out + row * h + j, *cr = c_out + row * h + j;
    for (int64_t i = 0; i < n; ++i) {
      cr[i] = sum[i] / g.total[i];
      hr[i] = g.o[i] * tanh_(cr[i]);
    }
  });
}

// Recompute the new h from the new c. `gate` is the index of o.
template <typename T, typename P>
void word_state_(int64_t h, int64_t gates, int64_t gate, const int64_t* cu_seqlens, int64_t sentences, const P* pre,
                 const P* Ux, const T* Vg, const T* c_new, T* h_out) {
  over_words(h, cu_seqlens, sentences, [&](int64_t s, int64_t row, int64_t j, int64_t n) {
    const P *p = pre + (row * gates + gate) * h + j, *a = Ux + (row * gates + gate) * h + j;
    const T *b = Vg ? Vg + (s * gates + gate) * h + j : kZeros<T>, *cr = c_new + row * h + j;
    T* hr = h_out + row * h + j;
    for (int64_t i = 0; i < n; ++i) hr[i] = sigmoid(load(p[i]) + load(a[i]) + b[i]) * tanh_(cr[i]);
  });
}

// dh and dc are the gradients of the word's new state and cell. d_pre is overwritten; the others are added to.
template <bool sigmoid_first, typename T, typename P>
void word_backward_(const Shape& shape, const int64_t* cu_seqlens, int64_t sentences, const P* pre,
                    const P* Ux, const T* Vg, const T* c, const T* cg, const T* x,
                    const T* c_new, const T* dh, const T* dc, P* d_pre, T* d_Ux, T* d_Vg, T* d_c, T* d_cg,
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
      for (int64_t i = 0; i < n; ++i) {
        const T t = tanh_(cn[i]);
        store(dp[K * h + i], dhr[i] * t * g.o[i] * (T(1) - g.o[i]));
        flow[i] = (dcr[i] + dhr[i] * g.o[i] * (T(1) - t * t)) / g.total[i];
      }
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
          v = cg + s * h + j;
          d_v = d_cg + s * h + j;
        }
        P* out = dp + q * h;
        for (int64_t i = 0; i < n; ++i) weight[i] = flow[i] * e[i];
        for (int64_t i = 0; i < n; ++i) d[i] = weight[i] * (v[i] - cn[i]);
        if (sigmoid_first) {
          const T* sg = g.s[q];
          for (int64_t i = 0; i < n; ++i) d[i] *= sg[i] * (T(1) - sg[i]);
        }
        for (int64_t i = 0; i < n; ++i) store(out[i], d[i]);
        if (d_v) {
          for (int64_t i = 0; i < n; ++i) d_v[i] += weight[i];
        }
      }
      // `weight` is now that of the candidate.
      if (shape.has_candidate) {
        P* out = dp + (K + 1) * h;
        for (int64_t i = 0; i < n; ++i) store(out[i], weight[i] * (T(1) - g.u[i] * g.u[i]));
      } else {
        T* out = d_x + row * h + j;
        for (int64_t i = 0; i < n; ++i) out[i] += weight[i];
      }
      for (int64_t q = 0; q < G; ++q) {
        for (int64_t i = 0; i < n; ++i) du[q * h + i] += load(dp[q * h + i]);
        if (dv) {
          for (int64_t i = 0; i < n; ++i) dv[q * h + i] += load(dp[q * h + i]);
        }
      }
    }
  });
}

template <bool sigmoid_first, typename T, typename P>
void node_forward_(int64_t h, const int64_t* cu_seqlens, int64_t sentences, const P* Uf,
                   const T* Wf, const T* fg, const T* o, const T* c, const T* cg, T* g_out, T* cg_out,
                   T* log_total) {
  over_sentences(h, cu_seqlens, sentences, [&](int64_t s, int64_t j, int64_t n) {
    T total[kBlock], sum[kBlock], highest[kBlock], value[kBlock];
    const int64_t at = s * h + j;
    for (int64_t i = 0; i < n; ++i) {
      const T f = sigmoid_first ? sigmoid(fg[at + i]) : fg[at + i];
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
      total[i] = sigmoid_first ? exp_of_share(value[i]) : exp_(value[i] - highest[i]);
      sum[i] = total[i] * cg[at + i];
    }
    for (int64_t row = cu_seqlens[s]; row < cu_seqlens[s + 1]; ++row) {
      const P* u = Uf + row * h + j;
      const T* cr = c + row * h + j;
      for (int64_t i = 0; i < n; ++i) {
        const T f = load(u[i]) + Wf[at + i];
        const T e = sigmoid_first ? exp_of_share(sigmoid(f)) : exp_(f - highest[i]);
        total[i] += e;
        sum[i] += e * cr[i];
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      const T cell = sum[i] / total[i];
      cg_out[at + i] = cell;
      g_out[at + i] = sigmoid(o[at + i]) * tanh_(cell);
      log_total[at + i] = std::log(total[i]) + highest[i];
    }
  });
}

// d_c is added to; the other gradients are overwritten.
template <bool sigmoid_first, typename T, typename P>
void node_backward_(int64_t h, const int64_t* cu_seqlens, int64_t sentences, const P* Uf,
                    const T* Wf, const T* fg, const T* o, const T* c, const T* cg, const T* cg_new,
                    const T* log_total, const T* dg, const T* dcg, P* d_Uf, T* d_Wf, T* d_fg, T* d_o, T* d_c,
                    T* d_cg) {
  over_sentences(h, cu_seqlens, sentences, [&](int64_t s, int64_t j, int64_t n) {
    T flow[kBlock], cell[kBlock], log_sum[kBlock], Wf_[kBlock], d_sum[kBlock];
    const int64_t at = s * h + j;
    for (int64_t i = 0; i < n; ++i) {
      const T t = tanh_(cg_new[at + i]), gate = sigmoid(o[at + i]);
      d_o[at + i] = dg[at + i] * t * gate * (T(1) - gate);
      flow[i] = dcg[at + i] + dg[at + i] * gate * (T(1) - t * t);
      const T f = sigmoid_first ? sigmoid(fg[at + i]) : fg[at + i];
      const T weight = flow[i] * exp_(f - log_total[at + i]);
      d_cg[at + i] = weight;
      d_fg[at + i] = weight * (cg[at + i] - cg_new[at + i]) * (sigmoid_first ? f * (T(1) - f) : T(1));
      cell[i] = cg_new[at + i];
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

Shape shape_of(const Tensor& c, int64_t window, const Optional& cg, const Optional& x) {
  const Shape shape{c.size(1), window, cg.has_value(), !x.has_value()};
  TORCH_CHECK(shape.normalized() <= kMaxGates, "window_size is ", window, ", expected at most 30");
  return shape;
}

// A weight W of x Wᵀ, from `Weight.laid_out` in product_weights.py: the tensor in memory, and whether it is Wᵀ.
using Weight = std::pair<Tensor, bool>;

// Compute x Wᵀ. For oneDNN, x is padded with zeros to `rows` rows.
Tensor product(const Tensor& x, const Weight& W, int64_t rows) {
  const auto& [laid_out, is_turned] = W;
  if (is_turned) return at::mm(x, laid_out);
  const Tensor padded = rows == x.size(0) ? x : at::constant_pad_nd(x, {0, 0, 0, rows - x.size(0)});
  const Tensor result = laid_out.is_mkldnn() ? onednn_product(padded, laid_out) : at::linear(padded, laid_out);
  return result.narrow(0, 0, x.size(0));
}

// If all words share one h, their ξ differ only in which neighbours exist. Return a word of each such neighbourhood,
// and the number of each word's neighbourhood.
std::pair<Tensor, Tensor> neighborhoods(const Tensor& cu_seqlens, int64_t words, int64_t window) {
  Tensor examples = torch::empty({words}, cu_seqlens.options()), like = torch::empty_like(examples);
  const int64_t* starts = kPlaces.in(cu_seqlens);
  std::vector<int64_t> number_of((window + 1) * (window + 1), -1);
  int64_t found = 0;
  for (int64_t s = 0; s + 1 < cu_seqlens.size(0); ++s) {
    for (int64_t row = starts[s]; row < starts[s + 1]; ++row) {
      const int64_t left = std::min(row - starts[s], window), right = std::min(starts[s + 1] - 1 - row, window);
      int64_t& number = number_of[left * (window + 1) + right];
      if (number < 0) {
        number = found++;
        kPlaces.out(examples)[number] = row;
      }
      kPlaces.out(like)[row] = number;
    }
  }
  return {examples.narrow(0, 0, found), like};
}

// Compute the mean of each sentence's words.
template <typename T>
void means_(int64_t h, const int64_t* cu_seqlens, int64_t sentences, const T* states, T* out) {
  over_sentences(h, cu_seqlens, sentences, [&](int64_t s, int64_t j, int64_t n) {
    T sum[kBlock] = {};
    for (int64_t row = cu_seqlens[s]; row < cu_seqlens[s + 1]; ++row) {
      for (int64_t i = 0; i < n; ++i) sum[i] += states[row * h + j + i];
    }
    const T words = std::max<int64_t>(1, cu_seqlens[s + 1] - cu_seqlens[s]);
    for (int64_t i = 0; i < n; ++i) out[s * h + j + i] = sum[i] / words;
  });
}

}  // namespace

std::vector<Tensor> word_forward(Tensor cu_seqlens, int64_t window, bool sigmoid_first, Tensor pre,
                                 Tensor Ux, Optional Vg, Tensor c, Optional cg, Optional x) {
  const Shape shape = shape_of(c, window, cg, x);
  Tensor h_new = torch::empty_like(c), c_new = torch::empty_like(c);
  dispatch(c, pre, sigmoid_first, [&](auto T, auto P, auto first) {
    word_forward_<first()>(shape, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(pre), P.in(Ux), T.in(Vg),
                           T.in(c), T.in(cg), T.in(x), T.out(h_new), T.out(c_new));
  });
  return {h_new, c_new};
}

Tensor word_state(Tensor cu_seqlens, Tensor pre, Tensor Ux, Optional Vg, Tensor c_new,
                  bool has_candidate) {
  Tensor h_new = torch::empty_like(c_new);
  const int64_t h = c_new.size(1), gates = h ? pre.size(1) / h : 0, gate = gates - (has_candidate ? 2 : 1);
  dispatch(c_new, pre, [&](auto T, auto P) {
    word_state_(h, gates, gate, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(pre), P.in(Ux), T.in(Vg),
                T.in(c_new), T.out(h_new));
  });
  return h_new;
}

std::vector<Optional> word_backward(Tensor cu_seqlens, int64_t window, bool sigmoid_first, Tensor pre,
                                    Tensor Ux, Optional Vg, Tensor c, Optional cg, Optional x,
                                    Tensor c_new, Tensor dh, Tensor dc, Tensor d_pre, Tensor d_Ux, Optional d_x) {
  const Shape shape = shape_of(c, window, cg, x);
  Tensor d_c = torch::zeros_like(c);
  Optional d_Vg, d_cg;
  if (cg) {
    d_Vg = torch::zeros_like(*Vg);
    d_cg = torch::zeros_like(*cg);
  }
  dispatch(c, pre, sigmoid_first, [&](auto T, auto P, auto first) {
    word_backward_<first()>(shape, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(pre), P.in(Ux), T.in(Vg),
                            T.in(c), T.in(cg), T.in(x), T.in(c_new), T.in(dh), T.in(dc), P.out(d_pre), T.out(d_Ux),
                            T.out(d_Vg), T.out(d_c), T.out(d_cg), T.out(d_x));
  });
  return {d_Vg, d_c, d_cg};
}

std::vector<Tensor> node_forward(Tensor cu_seqlens, bool sigmoid_first, Tensor Uf, Tensor Wf, Tensor fg, Tensor o,
                                 Tensor c, Tensor cg) {
  Tensor g_new = torch::empty_like(cg), cg_new = torch::empty_like(cg), log_total = torch::empty_like(cg);
  dispatch(c, Uf, sigmoid_first, [&](auto T, auto P, auto first) {
    node_forward_<first()>(c.size(1), kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(Uf), T.in(Wf), T.in(fg),
                           T.in(o), T.in(c), T.in(cg), T.out(g_new), T.out(cg_new), T.out(log_total));
  });
  return {g_new, cg_new, log_total};
}

std::vector<Tensor> node_backward(Tensor cu_seqlens, bool sigmoid_first, Tensor Uf, Tensor Wf, Tensor fg, Tensor o,
                                  Tensor c, Tensor cg, Tensor cg_new, Tensor log_total, Tensor dg, Tensor dcg,
                                  Tensor d_Uf, Tensor d_c) {
  Tensor d_Wf = torch::empty_like(cg), d_fg = torch::empty_like(cg),
         d_o = torch::empty_like(cg), d_cg = torch::empty_like(cg);
  dispatch(c, Uf, sigmoid_first, [&](auto T, auto P, auto first) {
    node_backward_<first()>(c.size(1), kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(Uf), T.in(Wf), T.in(fg),
                            T.in(o), T.in(c), T.in(cg), T.in(cg_new), T.in(log_total), T.in(dg), T.in(dcg),
                            P.out(d_Uf), T.out(d_Wf), T.out(d_fg), T.out(d_o), T.out(d_c), T.out(d_cg));
  });
  return {d_Wf, d_fg, d_o, d_cg};
}

void windows(Tensor cu_seqlens, int64_t window, Tensor states, Tensor result) {
  dispatch(states, result, [&](auto T, auto P) {
    windows_(states.size(1), window, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, T.in(states), P.out(result));
  });
}

void windows_backward(Tensor cu_seqlens, int64_t window, Tensor d_windows, Tensor d_states) {
  dispatch(d_states, d_windows, [&](auto T, auto P) {
    windows_backward_(d_states.size(1), window, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, P.in(d_windows),
                      T.out(d_states));
  });
}

// Run `number` steps without gradients, and return the last h and g. `one` says that all words start from one h.
// Products are padded to `rows` rows of words and `nodes` rows of sentences, and have the precision of Ux. `weights`
// are W and, with a sentence node, those that multiply g, the words' h for the node, and the mean of h.
std::vector<Optional> steps(Tensor cu_seqlens, int64_t window, bool sigmoid_first, bool shared_forget, int64_t number,
                            bool one, bool need_words, bool need_node, int64_t rows, int64_t nodes,
                            const std::vector<Weight>& weights, Optional sentence_b, Tensor Ux, Optional x, Tensor h,
                            Tensor c, Optional g, Optional cg) {
  const int64_t words = h.size(0), size = h.size(1), gates = Ux.size(1);
  const auto T = h.scalar_type(), P = Ux.scalar_type();
  const Tensor xi = at::zeros({rows, (2 * window + 1) * size}, Ux.options());
  for (int64_t step = 0; step < number; ++step) {
    const bool last = step == number - 1, has_node = g && (need_node || !last), same = one && step == 0 && words > 0;
    Tensor h_new = h, c_new = c, Wg;
    Optional Vg;
    if (g) {
      const Tensor of_g = product(g->to(P), weights[1], nodes).to(T);
      Vg = of_g.narrow(1, 0, gates).contiguous();
      Wg = of_g.narrow(1, gates, of_g.size(1) - gates) + *sentence_b;
    }
    if (need_words || !last) {
      windows(cu_seqlens, window, h, xi.narrow(0, 0, words));
      Tensor pre;
      if (same) {
        const auto [examples, like] = neighborhoods(cu_seqlens, words, window);
        pre = product(xi.index_select(0, examples), weights[0], examples.size(0)).index_select(0, like);
      } else {
        pre = product(xi, weights[0], rows).narrow(0, 0, words);
      }
      const auto next = word_forward(cu_seqlens, window, sigmoid_first, pre, Ux, Vg, c, cg, x);
      h_new = next[0], c_new = next[1];
    }
    if (has_node) {
      Tensor mean = torch::empty_like(*g);
      dispatch(h, h, [&](auto T, auto) {
        means_(size, kPlaces.in(cu_seqlens), cu_seqlens.size(0) - 1, T.in(h), T.out(mean));
      });
      const Tensor own = Wg.narrow(1, Wg.size(1) - 2 * size, 2 * size) + product(mean.to(P), weights[3], nodes).to(T);
      const Tensor first = own.narrow(1, 0, size).contiguous(), second = own.narrow(1, size, size).contiguous();
      const Tensor Uf = same ? product(h.narrow(0, 0, 1).to(P), weights[2], 1).expand({words, size}).contiguous()
                             : product(h.to(P), weights[2], rows);
      const auto next = node_forward(cu_seqlens, sigmoid_first, Uf, Wg.narrow(1, 0, size).contiguous(),
                                     shared_forget ? first : second, shared_forget ? second : first, c, *cg);
      g = next[0], cg = next[1];
    }
    h = h_new, c = c_new;
  }
  return {h, g};
}

// Hash the bytes of the tensors, to detect a change. Each of 32 lanes sums its 8-byte words, and these running sums,
// so the hash depends on the order of the words.
int64_t fingerprint(const std::vector<Tensor>& tensors) {
  constexpr int64_t kLanes = 32, kBytes = kLanes * sizeof(uint64_t);
  uint64_t result = 0;
  const auto mix = [&](uint64_t value) {
    result = (result ^ value) * 0x9e3779b97f4a7c15;
    result ^= result >> 29;
  };
  for (const Tensor& tensor : tensors) {
    TORCH_CHECK(tensor.is_contiguous(), "expected a contiguous tensor");
    const int64_t size = tensor.numel() * tensor.element_size(), whole = size - size % kBytes;
    const char* bytes = static_cast<const char*>(tensor.data_ptr());
    uint64_t sums[kLanes] = {}, sums_of_sums[kLanes] = {};
    const auto add = [&](const char* from) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        uint64_t word;
        std::memcpy(&word, from + lane * sizeof word, sizeof word);
        sums[lane] += word;
        sums_of_sums[lane] += sums[lane];
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
    for (int64_t lane = 0; lane < kLanes; ++lane) mix(sums[lane]), mix(sums_of_sums[lane]);
  }
  return static_cast<int64_t>(result);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("word_forward", &word_forward);
  m.def("word_state", &word_state);
  m.def("word_backward", &word_backward);
  m.def("node_forward", &node_forward);
  m.def("node_backward", &node_backward);
  m.def("windows", &windows);
  m.def("windows_backward", &windows_backward);
  m.def("steps", &steps, pybind11::call_guard<pybind11::gil_scoped_release>());
  m.def("fingerprint", &fingerprint);
}
