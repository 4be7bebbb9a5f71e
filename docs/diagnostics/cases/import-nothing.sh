#!/bin/bash
python tools/preprocess_data.py --input corpus.jsonl --workers 8
