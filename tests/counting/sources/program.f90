program main_program
  integer :: i, n
  double precision :: x(100), s
  common /c/ x
  n = 17
  do i = 1, n
    x(i) = i
  end do
  !$omp parallel do
  do i = 1, 40
    x(i) = x(i) + 1
  end do
  s = 0
  do i = 1, n+3
    s = s + x(i)
  end do
  print *, s
end program
