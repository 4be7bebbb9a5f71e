/** Letters whose names begin with a vowel: an H100, an L40S, an RTX 4090, but a B200. */
const spelt = /^[AEFHILMNORSX](?=[A-Z\d]|$)/;
const sounded = /^(?:[aeioAEIO](?!ne\b)|[uU](?!ni|se|s[ae]|ti))[a-z]*/;

/** `an eval`, `a stage`, `an H100`. */
export function article(noun: string): string {
  const word = noun.replace(/^`/, "");
  const isVowel = /^[A-Z][A-Z\d]/.test(word) ? spelt.test(word) : sounded.test(word);
  return `${isVowel ? "an" : "a"} ${noun}`;
}
