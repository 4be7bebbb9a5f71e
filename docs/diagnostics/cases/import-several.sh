#!/bin/bash
torchrun --nproc_per_node 8 train.py --learning_rate 1e-4 --max_steps 1000
torchrun --nproc_per_node 8 tune.py --learning_rate 1e-5 --max_steps 100
