#!/bin/bash
deepspeed --num_gpus 8 pretrain_gpt.py --deepspeed --deepspeed_config ds.json --tensor-model-parallel-size 2 --num-layers 24
