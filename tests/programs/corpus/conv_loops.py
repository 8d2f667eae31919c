def conv(inp, w, out):
    for k in range(w.shape[0]):
        for y in range(out.shape[1]):
            for x in range(out.shape[2]):
                for c in range(w.shape[1]):
                    out[k, y, x] += inp[c, y, x] * w[k, c]
