export const tooLarge = "too large for a number";

export const whyNoNumber = (result: number): string => (Number.isNaN(result) ? "not a number" : tooLarge);
