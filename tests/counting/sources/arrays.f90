! do, do concurrent, array expressions, allocatable arrays
subroutine arrays(n, a, b)
  integer, intent(in) :: n
  real(8) :: a(n,n), b(n)
  real(8), allocatable :: c(:)
  integer :: i, j
  allocate(c(n))
  do j = 1, n
    do i = j, n, 2
      a(i,j) = a(i,j) + b(i)
    end do
  end do
  c = b * 2.0d0
  do concurrent (i = 1:n)
    b(i) = c(i)
  end do
  deallocate(c)
end subroutine
