"""The programs that `cdrc` launches: prepare data, train, evaluate, generate. See docs/run-protocol.md."""
