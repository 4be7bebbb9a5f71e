/** As much as a file may write of a model, and as a budget may ask for: twice the deepest Transformer (arXiv 2203.00555). */
export const most = { layers: 2000, parameters: 1e14 } as const;
