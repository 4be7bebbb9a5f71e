def get_tokenizer_factory(prime: int):
    raise NotImplementedError("install nanuGPT to run this")
