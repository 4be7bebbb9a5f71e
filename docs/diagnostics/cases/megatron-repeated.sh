#!/bin/bash
torchrun --nproc-per-node=8 pretrain_gpt.py \
  --num-layers 12 --hidden-size 768 --num-attention-heads 12 \
  --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 4 \
  --lr 6e-4 --lr 3e-4
