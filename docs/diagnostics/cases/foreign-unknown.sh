#!/bin/bash
torchrun --nnodes=$NODES --nproc-per-node=8 train.py
