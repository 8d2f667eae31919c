subroutine cholesky(n, a)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: a(n, n)
  integer :: i, j
  do j = 1, n
    a(j, j) = sqrt(a(j, j) - dot_product(a(j, 1:j-1), a(j, 1:j-1)))
    do i = j + 1, n
      a(i, j) = (a(i, j) - dot_product(a(i, 1:j-1), a(j, 1:j-1))) / a(j, j)
    end do
  end do
end subroutine
