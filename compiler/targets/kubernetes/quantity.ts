/** Bytes as Kubernetes writes them, in the largest unit that gives them whole. */
export function byteQuantity(bytes: number): string {
  const whole = Math.ceil(bytes);
  const fits = (["Ti", "Gi", "Mi", "Ki"] as const).find((_, at) => whole > 0 && whole % 1024 ** (4 - at) === 0);
  if (fits === undefined) return String(whole);
  return `${whole / 1024 ** (["Ki", "Mi", "Gi", "Ti"].indexOf(fits) + 1)}${fits}`;
}
