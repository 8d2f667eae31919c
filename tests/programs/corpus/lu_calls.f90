subroutine factor(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: k
  do k = 1, n - 1
    call scale(n - k, a(k + 1, k), 1 / a(k, k))
    call update(n - k, n, a(k + 1, k), a(k, k + 1), a(k + 1, k + 1))
  end do
contains
  subroutine scale(m, x, alpha)
    integer, intent(in) :: m
    real(8), intent(inout) :: x(m)
    real(8), intent(in) :: alpha
    integer :: i
    do i = 1, m
      x(i) = alpha * x(i)
    end do
  end subroutine
  subroutine update(m, lda, x, y, c)
    integer, intent(in) :: m, lda
    real(8), intent(in) :: x(m), y(lda, m)
    real(8), intent(inout) :: c(lda, m)
    integer :: i, j
    do j = 1, m
      do i = 1, m
        c(i, j) = c(i, j) - x(i) * y(1, j)
      end do
    end do
  end subroutine
end subroutine
