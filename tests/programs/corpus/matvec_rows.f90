subroutine matvec(m, n, a, x, y)
  integer, intent(in) :: m, n
  real, intent(in) :: a(m, n), x(n)
  real, intent(out) :: y(m)
  integer :: i, j
  real :: s
  do i = 1, m
    s = 0
    do j = 1, n
      s = s + a(i, j) * x(j)
    end do
    y(i) = s
  end do
end subroutine
