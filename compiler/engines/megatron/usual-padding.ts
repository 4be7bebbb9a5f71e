/**
 * What each tensor rank's rows of the vocabulary are a multiple of where nobody says otherwise: Megatron's own default
 * (`--make-vocab-size-divisible-by`), for products in whole tiles (NVIDIA, "Matrix Multiplication Background User's Guide", section 4).
 */
export const usualPadding = 128;
