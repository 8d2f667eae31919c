subroutine mttkrp(x, b, c, a)
  real(8), intent(in) :: x(:, :, :), b(:, :), c(:, :)
  real(8), intent(inout) :: a(:, :)
  integer :: i, j, k, r
  do r = 1, size(a, 2)
    do k = 1, size(x, 3)
      do j = 1, size(x, 2)
        do i = 1, size(x, 1)
          a(i, r) = a(i, r) + x(i, j, k) * b(j, r) * c(k, r)
        end do
      end do
    end do
  end do
end subroutine
