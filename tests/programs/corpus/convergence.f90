subroutine relax(n, most, tolerance, u, f)
  implicit none
  integer, intent(in) :: n, most
  real(8), intent(in) :: tolerance, f(n, n)
  real(8), intent(inout) :: u(n, n)
  integer :: i, j, sweep
  real(8) :: change, new
  do sweep = 1, most
    change = 0
    do j = 2, n - 1
      do i = 2, n - 1
        new = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) + f(i, j))
        change = max(change, abs(new - u(i, j)))
        u(i, j) = new
      end do
    end do
    if (change < tolerance) exit
  end do
end subroutine
