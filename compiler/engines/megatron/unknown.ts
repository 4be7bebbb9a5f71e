/** The value of an argument that isn't known before the start. */
export const unknown: unique symbol = Symbol("unknown");
