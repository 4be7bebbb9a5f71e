/** How deep expressions may nest without brackets: `if a then if b then …`, `- - - x`. */
export const deepestExpression = 250;

/** How many operands may stand side by side: `a + a + …` is not deep, but what reads its tree still goes down its left side. */
export const longestChain = 2000;
