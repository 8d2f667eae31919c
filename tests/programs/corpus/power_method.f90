program power_method
  implicit none
  integer, parameter :: n = 2000, steps = 50
  real(8) :: a(n, n), x(n), y(n), norm
  integer :: i, j, t
  call fill(a, x)
  do t = 1, steps
    y = 0
    do j = 1, n
      y = y + a(:, j) * x(j)
    end do
    norm = sqrt(sum(y * y))
    x = y / norm
  end do
  print *, norm
contains
  subroutine fill(b, z)
    real(8), intent(out) :: b(n, n), z(n)
    integer :: p, q
    do q = 1, n
      do p = 1, n
        b(p, q) = 1d0 / (p + q)
      end do
      z(q) = 1
    end do
  end subroutine
end program
