# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of kernels/ for traffic: PolyBench 4.2's LARGE, or such, and the part of it (of every size above 40) at which every
access can be walked through in half a minute. gramschmidt has few long columns, durbin twice as many rows and jacobi-1d a longer
row and more steps: at LARGE's own sizes a bound for 1,024 words is not near its leading term."""

LARGE = {
    "2mm": ("NI=800,NJ=900,NK=1100,NL=1200", .33), "3mm": ("NI=800,NJ=900,NK=1000,NL=1100,NM=1200", .29),
    "adi": ("N=1000,T=500", .2), "atax": ("M=1900,N=2100", 1), "bicg": ("M=1900,N=2100", 1), "cholesky": ("N=2000", .36),
    "correlation": ("M=1200,N=1400", .39), "covariance": ("M=1200,N=1400", .39), "deriche": ("W=4096,H=2160", .3),
    "doitgen": ("NQ=140,NR=150,NP=160", .62), "durbin": ("N=4000", 1), "fdtd-2d": ("NX=1000,NY=1200,T=500", .31),
    "floyd-warshall": ("N=2800", .14), "gemm": ("NI=1000,NJ=1100,NK=1200", .37), "gemver": ("N=2000", 1),
    "gesummv": ("N=1300", 1), "gramschmidt": ("M=3000,N=140", 1), "heat-3d": ("N=120,T=500", .45),
    "jacobi-1d": ("N=20000,T=20000", .25), "jacobi-2d": ("N=1300,T=500", .33), "lu": ("N=2000", .29), "ludcmp": ("N=2000", .29),
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

# PolyBench 4.2's own LARGE where the table above has other sizes, and its EXTRALARGE; of other kernels twice or so the sizes above.
POLYBENCH_LARGE = {name: sizes for name, (sizes, part) in LARGE.items()} | {
    "durbin": "N=2000", "gramschmidt": "M=1000,N=1200", "jacobi-1d": "N=2000,T=500",
}
EXTRALARGE = {
    "2mm": "NI=1600,NJ=1800,NK=2200,NL=2400", "3mm": "NI=1600,NJ=1800,NK=2000,NL=2200,NM=2400", "adi": "N=2000,T=1000",
    "atax": "M=1800,N=2200", "bicg": "M=1800,N=2200", "cholesky": "N=4000", "correlation": "M=2600,N=3000",
    "covariance": "M=2600,N=3000", "deriche": "W=7680,H=4320", "doitgen": "NQ=220,NR=250,NP=270", "durbin": "N=4000",
    "fdtd-2d": "NX=2000,NY=2600,T=1000", "floyd-warshall": "N=5600", "gemm": "NI=2000,NJ=2300,NK=2600", "gemver": "N=4000",
    "gesummv": "N=2800", "gramschmidt": "M=2000,N=2600", "heat-3d": "N=200,T=1000", "jacobi-1d": "N=4000,T=1000",
    "jacobi-2d": "N=2800,T=1000", "lu": "N=4000", "ludcmp": "N=4000", "mvt": "N=4000", "nussinov": "N=5500",
    "seidel-2d": "N=4000,T=1000", "symm": "M=2000,N=2600", "syr2k": "M=2000,N=2600", "syrk": "M=2000,N=2600",
    "trisolv": "N=4000", "trmm": "M=2000,N=2600", "convolution": "N=8,C=128,K=128,H=56,W=56,R=3,Q=3",
    "softmax": "N=8192,M=1024", "mlp": "N=1024,I=2048,F=2048,G=2048,O=1024", "lenet-5": "C=3,N=128,H=25,W=25",
    "bert-encoder": "B=2,H=12,L=512,P=64", "lulesh": "I=90,J=90,K=90", "horizontal-diffusion": "I=512,J=512,K=64",
    "vertical-advection": "I=256,J=256,K=180",
}
