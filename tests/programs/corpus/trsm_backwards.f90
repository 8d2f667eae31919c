subroutine solve(n, m, u, b)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: u(n, n)
  real(8), intent(inout) :: b(n, m)
  integer :: i, j, k
  do j = 1, m
    do k = n, 1, -1
      b(k, j) = b(k, j) / u(k, k)
      do i = 1, k - 1
        b(i, j) = b(i, j) - b(k, j) * u(i, k)
      end do
    end do
  end do
end subroutine
