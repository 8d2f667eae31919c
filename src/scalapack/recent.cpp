#include "scalapack/recent.hpp"

namespace redblue::scalapack {

Key key_of(Key numbers, const std::vector<Submatrix>& matrices) {
  constexpr std::size_t of_matrix = 12;
  numbers.reserve(numbers.size() + of_matrix * matrices.size());
  for (const Submatrix& x : matrices) {
    const Descriptor d = descriptor(x.descriptor);
    numbers.insert(numbers.end(),
                   {x.i, x.j, d.type, d.rows, d.columns, d.first_row_block, d.first_column_block,
                    d.row_block, d.column_block, d.row_source, d.column_source, d.leading});
  }
  return numbers;
}

}  // namespace redblue::scalapack
