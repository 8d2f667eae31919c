subroutine zgemm_like(n, a, b, c)
  integer :: n, i, j, k
  complex(8) :: a(n, n), b(n, n), c(n, n)
  do j = 1, n
    do i = 1, n
      do k = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine
