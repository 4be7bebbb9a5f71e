"""The signatures of nanuGPT's components that `plugins.cdr` names. The components themselves are in nanuGPT."""
