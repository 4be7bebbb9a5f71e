/** `24h`, `1d12h`, `90 min` and `24:00:00h` in Slurm's words; `null` where nobody can tell what was meant. */
export function slurmTimeOf(text: string): string | null {
  const clock = /^(\d+(?:[:-]\d+){1,3})(?:h|hrs?|hours?)$/i.exec(text)?.[1];
  if (clock !== undefined) return clock;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)[ ,]*/gi)];
  if (parts.length === 0 || parts.map(([all]) => all).join("") !== text) return null;
  let seconds = 0;
  for (const [, number, unit] of parts) {
    const size = units.find(([pattern]) => pattern.test(unit ?? ""))?.[1];
    if (size === undefined) return null;
    seconds += Number(number) * size;
  }
  const whole = Math.ceil(seconds);
  const days = Math.floor(whole / 86_400);
  const two = (value: number): string => String(value).padStart(2, "0");
  const rest = [Math.floor((whole % 86_400) / 3600), Math.floor((whole % 3600) / 60), whole % 60].map(two).join(":");
  return days === 0 ? rest : days === 1 && rest === "00:00:00" ? "24:00:00" : `${days}-${rest}`;
}

const units: readonly (readonly [RegExp, number])[] = [
  [/^d(?:ays?)?$/i, 86_400],
  [/^h(?:(?:ou)?rs?)?$/i, 3600],
  [/^m(?:in(?:ute)?s?)?$/i, 60],
  [/^s(?:ec(?:ond)?s?)?$/i, 1],
];
