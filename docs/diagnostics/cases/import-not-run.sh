#!/bin/bash
torchrun --nproc_per_node 8 train.py --model_name_or_path gpt2 --dataset_name wikitext --max_steps 100 \
  --per_device_train_batch_size 8 --block_size 1024 --learning_rate 5e-5 --attn_implementation flash_attention_3
