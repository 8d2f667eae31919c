subroutine heat(nx, ny, nz, steps, u, v)
  implicit none
  integer, intent(in) :: nx, ny, nz, steps
  real(8), intent(inout) :: u(0:nx+1, 0:ny+1, 0:nz+1), v(0:nx+1, 0:ny+1, 0:nz+1)
  integer :: i, j, k, t
  do t = 1, steps
    do concurrent (k = 1:nz, j = 1:ny, i = 1:nx)
      v(i, j, k) = u(i, j, k) + 0.1d0 * (u(i-1, j, k) + u(i+1, j, k) + u(i, j-1, k) + u(i, j+1, k) &
                   + u(i, j, k-1) + u(i, j, k+1) - 6 * u(i, j, k))
    end do
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          u(i, j, k) = v(i, j, k)
        end do
      end do
    end do
  end do
end subroutine
