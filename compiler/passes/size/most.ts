/** As much as a file may write of a model, and as a budget may ask for. */
export const most = { layers: 100_000, parameters: 1e14 } as const;
