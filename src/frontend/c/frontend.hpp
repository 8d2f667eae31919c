// SPDX-License-Identifier: BSD-3-Clause
// C and C++ source -> Program.
#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::frontend::c {

// Reads the `#pragma scop` regions of a function, in order, as one program; a function without
// regions is read whole. `function` may be empty where the file has one function with regions, or
// one function at all. `flags` go to the compiler (-I, -D).
//
// Read: for loops with affine bounds (min, max, strides, both directions), affine if and ?:,
// arrays of any dimension, scalars, assignments and compound assignments, pure math functions.
// Functions of the file are read where they are called; pointers and references are looked through.
// Of C++ (files .cpp, .cc, .cxx): classes with their member functions, the containers of
// containers.hpp, range-for, lambdas, and function templates: with the arguments that a use in the
// file gives them, else with double for types and parameters of the program for numbers.
// Loops whose step is not 1 appear with a counter 0, 1, 2, ... as their dimension; those that go
// down by 1 from where another loop is, with their variable's negative.
//
// Throws Error "FILE:LINE: reason" for anything else.
program::Program parse(const std::string& path, const std::string& function,
                       const std::vector<std::string>& flags);

// The function of a text that stands for the file `path`, and needs no other: own_headers() are all
// it may include. C++ where the name says so; else C, which may come from another language, and
// #line directives say from which lines. Throws Error where it includes a file all the same.
program::Program parse_text(const std::string& path, const std::string& text,
                            const std::string& function);

}  // namespace redblue::frontend::c
