/** `1 step`, `3 steps`, `2 processes`, `2 epochs`, `4 repositories`. */
export const counted = (number: number, noun: string): string => `${number} ${number === 1 ? noun : many(noun)}`;

function many(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return `${noun}${/(?:s|x|[^o]ch|sh)$/.test(noun) ? "es" : "s"}`;
}
