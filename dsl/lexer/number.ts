/**
 * Digits, point, exponent, and whatever is glued to them: a scale (`20B`), `%`, or a newcomer's `80GB`. Read by character codes:
 * every third token is a number.
 */
const [point, underscore, percent, apostrophe] = [46, 95, 37, 39] as const;

/** A Chevrotain pattern. */
export function matchNumber(text: string, offset: number): [string] | null {
  const end = numberEnd(text, offset);
  return end === offset ? null : [text.slice(offset, end)];
}

/** Where the number ends that begins at an offset: there, where none does. A range keeps its points: `1..64` is `1`, `..`, `64`. */
export function numberEnd(text: string, offset: number): number {
  let end = offset;
  if (text.charCodeAt(offset) !== point) {
    end = groupEnd(text, offset);
    if (end === offset) return end;
  } else if (followsOperand(text, offset)) return end;
  if (text.charCodeAt(end) === point) end = partEnd(text, end, 1);
  if (end === offset) return end;
  end = exponentEnd(text, end);
  // `6.e-4` of Python.
  if (text.charCodeAt(end) === point && exponentEnd(text, end + 1) > end + 1) end = exponentEnd(text, end + 1);
  if (text.charCodeAt(end) === point && !isPointOrLetter(text.charCodeAt(end + 1))) end += 1;
  return suffixEnd(text, end);
}

/** Splits the image of a number token. */
export function splitNumber(image: string): { readonly digits: string; readonly suffix: string } {
  let end = 0;
  const isPart = (code: number): boolean => isGrouped(code) || code === point || code === apostrophe;
  while (isPart(image.charCodeAt(end))) end += 1;
  end = exponentEnd(image, end);
  return { digits: image.slice(0, end), suffix: image.slice(end) };
}

/** Whether the digits of a number have a point or an exponent. */
export function isFractional(digits: string): boolean {
  for (let at = 0; at < digits.length; at++) {
    const code = digits.charCodeAt(at);
    if (code === point || isE(code)) return true;
  }
  return false;
}

/** `.5` is a number only where no name and no number stands right before it. */
function followsOperand(text: string, offset: number): boolean {
  return offset > 0 && /[\w)\].]/.test(text[offset - 1] ?? "");
}

/** Where a run of digits ends, which `_` may stand between, and a newcomer's `'`: the offset itself where there is none. */
function groupEnd(text: string, offset: number): number {
  if (!isDigit(text.charCodeAt(offset))) return offset;
  let at = offset + 1;
  while (isGrouped(text.charCodeAt(at))) at += 1;
  while (text.charCodeAt(at) === apostrophe && /^\d{3}(?!\d)/.test(text.slice(at + 1, at + 5))) at += 4;
  return at;
}

/** Where digits end that stand behind signs of their own; without digits the signs are no part of the number. */
function partEnd(text: string, offset: number, signs: number): number {
  const end = groupEnd(text, offset + signs);
  return end === offset + signs ? offset : end;
}

function exponentEnd(text: string, offset: number): number {
  if (!isE(text.charCodeAt(offset))) return offset;
  const sign = text.charCodeAt(offset + 1);
  return partEnd(text, offset, sign === 43 || sign === 45 ? 2 : 1);
}

function suffixEnd(text: string, offset: number): number {
  const code = text.charCodeAt(offset);
  if (code === percent) return offset + 1;
  if (!isLetter(code)) return offset;
  let at = offset + 1;
  while (isLetter(text.charCodeAt(at)) || isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const isGrouped = (code: number): boolean => isDigit(code) || code === underscore;

const isE = (code: number): boolean => code === 101 || code === 69;

const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === underscore;

const isPointOrLetter = (code: number): boolean => code === point || isLetter(code);
