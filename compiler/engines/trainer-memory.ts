/**
 * Half-width of the 80 % interval, on a log scale, of what the training program that torch and DeepSpeed share allocates: ten of
 * twelve runs on a processor came within 10 % (both engines, 0.9M to 52M parameters, one and two ranks, three precisions,
 * recomputation and offload).
 */
export const trainerMemory = Math.log(1.1);
