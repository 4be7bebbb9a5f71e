def get_model(vocab_size, get_loss, n_layer: int, n_embd: int, n_head: int, context_length: int, n_kv_heads: int):
    raise NotImplementedError("install nanuGPT to run this")
