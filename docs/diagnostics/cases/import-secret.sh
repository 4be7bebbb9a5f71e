#!/bin/bash
export HF_TOKEN=hf_aBcDeFgHiJkLmNoPqRsTuVwX
torchrun --nproc_per_node 8 train.py --learning_rate 1e-4 --max_steps 1000
