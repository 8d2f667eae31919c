# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of kernels/ for traffic: PolyBench 4.2's LARGE, or such, and the part of it (of every size above 40) at which every
access can be walked through in half a minute. adi has few steps, gramschmidt few long columns and durbin twice as many rows: at
LARGE's own sizes a bound for 1,024 words is not near its leading term."""

LARGE = {
    "2mm": ("NI=800,NJ=900,NK=1100,NL=1200", .33), "3mm": ("NI=800,NJ=900,NK=1000,NL=1100,NM=1200", .29),
    "adi": ("N=1000,T=6", 1), "atax": ("M=1900,N=2100", 1), "bicg": ("M=1900,N=2100", 1), "cholesky": ("N=2000", .36),
    "correlation": ("M=1200,N=1400", .39), "covariance": ("M=1200,N=1400", .39), "deriche": ("W=4096,H=2160", .3),
    "doitgen": ("NQ=140,NR=150,NP=160", .62), "durbin": ("N=4000", 1), "fdtd-2d": ("NX=1000,NY=1200,T=500", .31),
    "floyd-warshall": ("N=2800", .14), "gemm": ("NI=1000,NJ=1100,NK=1200", .37), "gemver": ("N=2000", 1),
    "gesummv": ("N=1300", 1), "gramschmidt": ("M=3000,N=140", 1), "heat-3d": ("N=120,T=500", .45),
    "jacobi-1d": ("N=2000,T=500", 1), "jacobi-2d": ("N=1300,T=500", .33), "lu": ("N=2000", .29), "ludcmp": ("N=2000", .29),
    "mvt": ("N=2000", 1), "nussinov": ("N=2500", .28), "seidel-2d": ("N=2000,T=500", .3), "symm": ("M=1000,N=1200", .38),
    "syr2k": ("M=1000,N=1200", .44), "syrk": ("M=1000,N=1200", .44), "trisolv": ("N=2000", 1),
    "trmm": ("M=1000,N=1200", .46), "convolution": ("N=4,C=64,K=64,H=56,W=56,R=3,Q=3", 1), "softmax": ("N=4096,M=1024", 1),
    "mlp": ("N=512,I=1024,F=1024,G=1024,O=512", .4), "lenet-5": ("C=3,N=64,H=25,W=25", 1),
    "bert-encoder": ("B=1,H=12,L=512,P=64", .5), "lulesh": ("I=60,J=60,K=60", 1),
    "horizontal-diffusion": ("I=256,J=256,K=64", 1), "vertical-advection": ("I=128,J=128,K=180", 1),
}


def scaled(sizes, part):
    pairs = [pair.split("=") for pair in sizes.split(",")]
    return ",".join(f"{name}={int(int(size) * part) if int(size) > 40 else size}" for name, size in pairs)
