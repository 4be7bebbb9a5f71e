/** A time as Slurm writes it (`[days-]hours:minutes:seconds`, `minutes:seconds`) with a unit, or `null`. */
export function clockTime(text: string): string | null {
  const [, days, a, b, c] = /^(?:(\d+)-)?(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (a === undefined || b === undefined) return null;
  const [unit, amount] = clockDuration(days, a, b, c);
  return `${amount} ${unit}`;
}

/** The unit that makes the figure whole, and the figure. */
export function clockDuration(
  days: string | undefined,
  a: string,
  b: string,
  c: string | undefined,
): [string, number] {
  const short = c === undefined && days === undefined;
  const clock = short ? Number(a) * 60 + Number(b) : Number(a) * 3600 + Number(b) * 60 + Number(c ?? 0);
  const seconds = clock + Number(days ?? 0) * 86_400;
  if (seconds > 0 && seconds % 3600 === 0) {
    return seconds % 86_400 === 0 && seconds > 172_800 ? ["d", seconds / 86_400] : ["h", seconds / 3600];
  }
  return seconds % 60 === 0 ? ["min", seconds / 60] : ["s", seconds];
}

/** `2d12h`, `1h30m`: the unit that makes the figure whole, and the figure. */
export function compoundTime(text: string): [string, number] | null {
  const [, days, hours, minutes, seconds] = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?:in)?)?(?:(\d+)s)?$/i.exec(text) ?? [];
  const said = [days, hours, minutes, seconds].filter((each) => each !== undefined);
  return said.length < 2 ? null : clockDuration(days, hours ?? "0", minutes ?? "0", seconds ?? "0");
}
