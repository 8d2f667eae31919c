!mod$ v1 sum:0b20f83ded8c6a1b
module blas_like
integer(4),parameter::dp=8_4
intrinsic::selected_real_kind
type::problem
integer(4)::n
integer(4)::k
real(8),allocatable::a(:,:)
real(8),allocatable::c(:,:)
end type
contains
subroutine update(p)
type(problem),intent(inout)::p
end
end
