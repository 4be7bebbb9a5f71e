#!/bin/bash
if [ -n "$RESUME" ]; then
  torchrun --nproc-per-node=8 train.py --resume
