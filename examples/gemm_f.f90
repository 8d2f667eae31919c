! SPDX-License-Identifier: BSD-3-Clause
! A ScaLAPACK program as it is: C = A B by pdgemm. It does not know of redblue.
!   mpirun -n 4 gemm_f            linked with redblue in front of ScaLAPACK
!   mpirun -n 4 gemm_scalapack    linked with ScaLAPACK alone, for preload.sh
program gemm
  implicit none
  integer, parameter :: n = 700, block = 64
  integer :: me, ranks, context, info, wrong, i
  integer :: down, across, row, column    ! the grid, and this rank's place in it
  integer :: rows, columns, leading, descriptor(9)
  integer, external :: numroc, indxl2g
  double precision, allocatable :: a(:, :), b(:, :), c(:, :)

  call blacs_pinfo(me, ranks)
  down = int(sqrt(dble(ranks)))
  do while (mod(ranks, down) /= 0)
    down = down - 1
  end do
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', down, ranks / down)
  call blacs_gridinfo(context, down, across, row, column)
  rows = numroc(n, block, row, 0, down)
  columns = numroc(n, block, column, 0, across)
  leading = max(1, rows)
  call descinit(descriptor, n, n, block, block, 0, 0, context, leading, info)
  allocate (a(leading, columns), b(leading, columns), c(leading, columns))

  ! A(i, l) = i, B(l, j) = j: C(i, j) = n i j, exactly.
  do i = 1, rows
    a(i, :) = indxl2g(i, block, row, 0, down)
  end do
  do i = 1, columns
    b(:, i) = indxl2g(i, block, column, 0, across)
  end do
  call pdgemm('N', 'N', n, n, n, 1d0, a, 1, 1, descriptor, b, 1, 1, descriptor, &
              0d0, c, 1, 1, descriptor)

  wrong = count(c(:rows, :) /= dble(n) * a(:rows, :) * b(:rows, :))
  call igsum2d(context, 'All', ' ', 1, 1, wrong, 1, -1, -1)
  if (me == 0) print '(i0, a)', wrong, ' elements of C are wrong'
  call blacs_gridexit(context)
  call blacs_exit(0)
  if (info /= 0 .or. wrong /= 0) stop 1
end program gemm
