def get_scaler():
    raise NotImplementedError("install nanuGPT to run this")
