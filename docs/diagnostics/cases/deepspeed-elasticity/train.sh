torchrun --nproc_per_node 7 train.py --deepspeed ds.json
