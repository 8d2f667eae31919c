program jacobi
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: n, t, steps, i, j
  real(dp), allocatable :: a(:, :), b(:, :)
  read *, n, steps
  allocate(a(0:n+1, 0:n+1), b(0:n+1, 0:n+1))
  a = 0
  b = 0
  do t = 1, steps
    do j = 1, n
      do i = 1, n
        b(i, j) = 0.2_dp * (a(i, j) + a(i-1, j) + a(i+1, j) + a(i, j-1) + a(i, j+1))
      end do
    end do
    a(1:n, 1:n) = b(1:n, 1:n)
  end do
  print *, a(1,1)
end program
