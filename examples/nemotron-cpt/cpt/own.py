def windowed_attention(window: int = 4096):
    raise NotImplementedError("install the project to run this")


def json_lines(path: str = "metrics.jsonl"):
    raise NotImplementedError("install the project to run this")


def boilerplate(longest_list: int = 40):
    raise NotImplementedError("install the project to run this")


def rare_words(floor: float = 0.0):
    raise NotImplementedError("install the project to run this")
