subroutine smooth(n, steps, u)
  implicit none
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: u(0:n)
  integer :: i, t
  do t = 1, steps
    do i = 1, n - 1, 2
      u(i) = 0.5d0 * (u(i - 1) + u(i + 1))
    end do
    do i = 2, n - 1, 2
      u(i) = 0.5d0 * (u(i - 1) + u(i + 1))
    end do
  end do
end subroutine
