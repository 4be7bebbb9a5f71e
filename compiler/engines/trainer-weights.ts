/**
 * Bytes of a weight as the trainer builds it on the host and gathers it there again: 32 bits, whatever `precision` is
 * (trainer/cdr_trainer/models.py: build, load; sharding.py: whole_weights).
 */
export const weightOnHost = 4;
