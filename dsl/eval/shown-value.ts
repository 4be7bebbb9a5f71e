/** `= 4` of a value, `<= 4` of a bound: what stands behind the path of either. */
export const shownValue = (value: string): string => (/^(?:[<>]=?|in) /.test(value) ? value : `= ${value}`);
