torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 \
  --attention-head-type multiquery --structured-logs --structured-logs-dir logs --valid-num-workers 0
