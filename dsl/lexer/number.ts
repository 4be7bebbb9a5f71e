/** Digits, point, exponent, and whatever is glued to them: a scale (`20B`), `%`, or a newcomer's `80GB`. */
const digits = /\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?/y;
const leadingPoint = /\.\d[\d_]*(?:[eE][+-]?\d[\d_]*)?/y;
const suffix = /[A-Za-z_]\w*|%/y;

/** A Chevrotain pattern. */
export function matchNumber(text: string, offset: number): [string] | null {
  const end = numberEnd(text, offset);
  return end === offset ? null : [text.slice(offset, end)];
}

/** Where the number ends that begins at an offset: there, where none does. A range keeps its points: `1..64` is `1`, `..`, `64`. */
export function numberEnd(text: string, offset: number): number {
  const digitsEnd = skipDigits(text, offset);
  if (digitsEnd > offset && !goesOn(text.charCodeAt(digitsEnd))) return digitsEnd;
  let end = text.charCodeAt(offset) === 46 ? behindLeadingPoint(text, offset) : behind(digits, text, offset);
  if (end === offset) return end;
  if (text[end] === "." && text[end + 1] !== "." && !/[A-Za-z_]/.test(text[end + 1] ?? "")) end += 1;
  return behind(suffix, text, end);
}

/** Splits the image of a number token. */
export function splitNumber(image: string): { readonly digits: string; readonly suffix: string } {
  if (isPlain(image)) return { digits: image, suffix: "" };
  const digits = /^[\d_.]*(?:[eE][+-]?\d[\d_]*)?/.exec(image)?.[0] ?? "";
  return { digits, suffix: image.slice(digits.length) };
}

function skipDigits(text: string, offset: number): number {
  let at = offset;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Whether a number goes on with this character behind its first digits: a letter, `_`, `%` or a point. */
function goesOn(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code === 37 || code === 46;
}

/** Digits and a point, as most numbers are. */
function isPlain(image: string): boolean {
  for (let at = 0; at < image.length; at++) {
    const code = image.charCodeAt(at);
    if (!isDigit(code) && code !== 46) return false;
  }
  return true;
}

/** `.5` is a number only where no name and no number stands right before it. */
function behindLeadingPoint(text: string, offset: number): number {
  return offset > 0 && /[\w)\].]/.test(text[offset - 1] ?? "") ? offset : behind(leadingPoint, text, offset);
}

/** Where the match at an offset ends: the offset itself where there is none. */
function behind(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}
