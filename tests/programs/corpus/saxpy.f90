subroutine saxpy(n, a, x, y)
  integer :: n, i
  real :: a, x(n), y(n)
  do i = 1, n
    y(i) = y(i) + a * x(i)
  end do
end subroutine
