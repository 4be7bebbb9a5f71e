/** `1 step`, `3 steps`. */
export const counted = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? "" : "s"}`;
