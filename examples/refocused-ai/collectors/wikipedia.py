"""Articles of an encyclopedia, one record each: the text, its section and its source."""


def collect(languages: list[str]):
    raise NotImplementedError("the collector itself is the project's own")
