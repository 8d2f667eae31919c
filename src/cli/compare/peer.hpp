// SPDX-License-Identifier: BSD-3-Clause
// The ScaLAPACK on this machine, loaded at run time to be compared with.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "redblue/gemm.hpp"
#include "redblue/layout.hpp"
#include "redblue/op.hpp"
#include "redblue/symmetric.hpp"

namespace redblue::cli {

class Peer {
 public:
  // Loads `path`, or where it is empty the first library found of those Debian and others install.
  // Throws Error naming what was tried. Makes a process grid of the first rows x columns ranks.
  // Collective over MPI_COMM_WORLD.
  Peer(const std::string& path, int rows, int columns);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const std::string& name() const { return name_; }

  // ScaLAPACK's descriptor of a matrix in this layout, on this grid.
  std::array<int, 9> descriptor(const BlockCyclic& layout) const;

  // C = alpha op(A) op(B) + beta C by its p?gemm.
  template <class T>
  void gemm(const GemmLayouts& layouts, const GemmShape& shape, T alpha, const T* a, const T* b,
            T beta, T* c) const;

  // C = A A^T, lower triangle, by p?syrk.
  template <class T>
  void syrk(const BlockCyclic& at_a, const BlockCyclic& at_c, const T* a, T* c) const;

  // C = A B^T + B A^T, lower triangle, B in A's layout, by p?syr2k.
  template <class T>
  void syr2k(const BlockCyclic& at_a, const BlockCyclic& at_c, const T* a, const T* b, T* c) const;

  // C = A B, A symmetric by its lower triangle, C in B's layout, by p?symm.
  template <class T>
  void symm(const BlockCyclic& at_a, const BlockCyclic& at_b, const T* a, const T* b, T* c) const;

  // A = L L' in the lower triangle, by p?potrf.
  template <class T>
  void cholesky(const BlockCyclic& layout, T* a) const;

  // X = L^-1 B in place of B by p?trsm.
  template <class T>
  void trsm(const BlockCyclic& at_l, const BlockCyclic& at_b, const T* l, T* b) const;

  // x = op(T)^-1 x by p?trsv.
  template <class T>
  void trsv(Triangle triangle, Op op, bool unit, const BlockCyclic& at_t, const BlockCyclic& at_x,
            const T* t, T* x) const;

  // P A = L U by p?getrf; returns its pivots for this process's rows, which count from 1.
  template <class T>
  std::vector<int> lu(const BlockCyclic& layout, T* a) const;

  // A = Q R by p?geqrf; returns its tau, at this process's columns.
  template <class T>
  std::vector<T> qr(const BlockCyclic& layout, T* a) const;

 private:
  void* symbol(const std::string& name) const;

  void* library_ = nullptr;
  std::string name_;
  int context_ = -1;
  bool inside_ = false;
};

}  // namespace redblue::cli
