def get_optim(model, learning_rate: float, weight_decay: float, beta1: float, beta2: float, eps: float, enable_fused: bool, zero_stage: int = 0):
    raise NotImplementedError("install nanuGPT to run this")
