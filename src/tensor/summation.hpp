// SPDX-License-Identifier: BSD-3-Clause
// The execution of a decomposition: what is exchanged, computed and added up, round by round.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/transfer.hpp"
#include "redblue/einsum_plan.hpp"
#include "tensor/boxes.hpp"
#include "tensor/fetching.hpp"
#include "tensor/local.hpp"

namespace redblue::tensor {

template <class T>
class Summation {
 public:
  // An operand that is the result of an earlier step: how it gets from there into boxes, one way
  // per round. Empty: it lies as the cells say.
  using Ways = std::vector<Fetching<T>>;

  // `cells` must outlive it. `from_elsewhere`: of every operand. Collective, O(ranks * cells).
  Summation(const comm::Communicator& communicator, const EinsumShape& shape,
            const EinsumDecomposition& decomposition,
            const std::vector<std::vector<einsum::TensorCell>>& cells,
            std::vector<Ways> from_elsewhere);

  std::int64_t workspace() const { return workspace_; }

  void execute(const comm::Communicator& communicator, T alpha,
               const std::vector<const T*>& operands, T beta, T* result, T* workspace,
               EinsumTraffic& traffic);

 private:
  // A tensor in one round.
  struct Visit {
    NeededBox box;
    std::optional<comm::Transfer<T>> transfer;
    std::optional<Fetching<T>> fetching;
    std::int64_t buffer() const { return transfer ? transfer->buffer() : fetching->buffer(); }
  };
  struct Side {
    std::vector<Visit> visits;  // one, or one per round
    std::int64_t box = 0;       // places in the workspace
    std::int64_t cells = 0;     // where a box consists of several
    std::int64_t buffer = 0;    // of the transfer

    Visit& visit(std::size_t round) { return visits[visits.size() == 1 ? 0 : round]; }
    const Visit& visit(std::size_t round) const { return visits[visits.size() == 1 ? 0 : round]; }
  };

  void lay_out(Side& side);
  Side side_of(const comm::Communicator& communicator, const EinsumShape& shape,
               const EinsumDecomposition& decomposition, std::size_t tensor,
               const std::vector<einsum::TensorCell>& cells, Ways ways);
  void add_local(const EinsumShape& shape, const EinsumDecomposition& decomposition, Rank rank);
  void fetch(const comm::Communicator& communicator, std::size_t round,
             const std::vector<const T*>& operands, T* workspace, EinsumTraffic& traffic);
  void compute(std::size_t round, T alpha, T beta, T* result, T* workspace);
  void reduce(const comm::Communicator& communicator, std::size_t round, T alpha, T beta, T* result,
              T* workspace, EinsumTraffic& traffic);

  bool works_ = false;
  bool adds_in_rounds_ = false;  // ranks add to elements of the result in different rounds
  std::int64_t owned_result_ = 0;
  std::size_t rounds_ = 1;
  std::vector<Side> operands_;
  Side result_;
  std::vector<LocalSummation<T>> local_;
  std::vector<std::size_t> local_of_round_;
  std::int64_t local_workspace_ = 0;
  std::int64_t workspace_ = 0;
  std::vector<const T*> boxes_;  // of the operands in this round
};

}  // namespace redblue::tensor
