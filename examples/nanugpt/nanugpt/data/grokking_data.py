def get_data(operation: str = "x/y", prime: int = 223):
    raise NotImplementedError("install nanuGPT to run this")
