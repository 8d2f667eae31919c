! Loops up to the elements of an array that a loop has filled.
subroutine received(n, m, w)
  integer, intent(in) :: n, m
  real(8) :: w(*)
  integer :: length(100), i, j
  do i = n, 1, -1
    if (n == m) then
      length(i) = 2 * n
    else
      length(i) = m
    end if
  end do
  do i = 1, n
    do j = m, m + length(i) - 1
      w(j) = w(j) + 1
    end do
  end do
end subroutine
