/** `␀` for NUL, `␛` for escape: a control character as one visible sign, so that no terminal obeys it. */
export function controlPicture(char: string): string {
  const code = char.charCodeAt(0);
  if (code === 0x7f) return "␡";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "·";
}
