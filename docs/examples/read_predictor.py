import base64, json
import numpy as np

np.seterr(divide="ignore")  # the warp of 0 and of 1 goes by way of infinity

def decoded(own):
    return np.frombuffer(base64.b64decode(own["float64"])).reshape(own["shape"]) if "float64" in own else own

def kernel(name, R):
    s = np.sqrt(5 * R)
    return {"rbf": np.exp(-R / 2), "matern52": (1 + s + s**2 / 3) * np.exp(-s), "constant": 1.0}[name]

def draws(p, U):  # weight, mean and variance of every draw of a process at unit-cube points U
    points, n = np.vstack([p["X"], U]), len(p["X"])
    groups = np.append(p["groups"], np.full(len(U), p["group"])).astype(int)
    levels = {c["column"]: c for c in p["categories"]}
    for k, weight in enumerate(p["weights"]):
        squares, K = [], 0.0
        for i, u in enumerate(points.T):
            a, b = p["warps"][k, :, i]
            inside = -np.expm1(b * np.log(-np.expm1(a * np.log(np.clip(u, 0.0, 1.0)))))
            z = np.where((u > 0) & (u < 1), inside, u)[:, None]
            if i in levels:
                own = np.hstack([levels[i]["positions"][k], np.diag(levels[i]["apart"][k] ** 0.5)])
                z = own[np.rint(u * (len(own) - 1)).astype(int)]
            squares.append(((z[:, None] - z) ** 2).sum(2))
        for name, load, widths in zip(p["kernels"], p["loadings"][k], p["lengthscales"][k]):
            R = sum(square / width**2 for square, width in zip(squares, widths))
            K = K + np.outer(load[groups], load[groups]) * kernel(name, R)
        L = np.linalg.cholesky(K[:n, :n] + np.diag(p["noise"] + p["noises"][k, groups[:n]]))
        v, r = (np.linalg.solve(L, B) for B in (K[:n, n:], p["y"] - p["means"][k, groups[:n]]))
        mean, variance = r @ v + p["means"][k, p["group"]], K.diagonal()[n:] - (v**2).sum(0)
        variance = np.maximum(variance, 1e-13 * K.diagonal()[n:])
        yield weight, p["y_mean"] + p["y_scale"] * mean, p["y_scale"] ** 2 * variance
