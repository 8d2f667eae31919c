subroutine spmv(n, first, column, value, x, y)
  integer, intent(in) :: n, first(n + 1), column(*)
  real(8), intent(in) :: value(*), x(n)
  real(8), intent(out) :: y(n)
  integer :: i, k
  do i = 1, n
    y(i) = 0
    do k = first(i), first(i + 1) - 1
      y(i) = y(i) + value(k) * x(column(k))
    end do
  end do
end subroutine
