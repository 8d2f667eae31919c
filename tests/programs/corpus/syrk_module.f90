module blas_like
  implicit none
  integer, parameter :: dp = selected_real_kind(15)
  type :: problem
    integer :: n, k
    real(dp), allocatable :: a(:, :), c(:, :)
  end type
contains
  subroutine update(p)
    type(problem), intent(inout) :: p
    integer :: i, j, l
    do j = 1, p%n
      do l = 1, p%k
        do i = j, p%n
          p%c(i, j) = p%c(i, j) + p%a(i, l) * p%a(j, l)
        end do
      end do
    end do
  end subroutine
end module
