subroutine lu(a)
  real(8), intent(inout) :: a(:, :)
  integer :: i, j, k, n
  real(8) :: p
  n = size(a, 1)
  do k = 1, n
    p = 1d0 / a(k, k)
    do i = k + 1, n
      a(i, k) = a(i, k) * p
    end do
    do j = k + 1, n
      do i = k + 1, n
        a(i, j) = a(i, j) - a(i, k) * a(k, j)
      end do
    end do
  end do
end subroutine
