/** Times that a form of cron allows and no calendar has. */
const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const names = {
  month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};

/** Why such a time never comes; `null` where it does. */
export function cronFault(text: string): string | null {
  const [minutes = "", hours = "", days = "", months = "", weekdays = ""] = text.trim().toLowerCase().split(/\s+/);
  const fields = [
    ...[minutes, hours, days].map((field) => spansOf(field, [])),
    ...[spansOf(months, names.month), spansOf(weekdays, names.weekday)],
  ].flat();
  const backward = fields.find(({ from, to }) => from > to);
  if (backward !== undefined) return `\`${backward.written}\` ends before it begins`;
  // Where both are said, either will do.
  if (days.startsWith("*") || !weekdays.startsWith("*")) return null;
  const first = Math.min(...spansOf(days, []).map(({ from }) => from));
  const inYear = spansOf(months, names.month);
  const has = (month: number): boolean =>
    inYear.some(({ from, to, every }) => month >= from && month <= to && (month - from) % every === 0);
  const isEver = lengths.some((length, month) => first <= length && has(month + 1));
  return isEver ? null : `none of its months has a day ${first}`;
}

interface Span {
  readonly written: string;
  readonly from: number;
  readonly to: number;
  readonly every: number;
}

/** `jan-mar`, `1,15`, `* / 2`. Names stand for their numbers; months count from one. */
function spansOf(field: string, words: readonly string[]): Span[] {
  const numberOf = (word: string): number =>
    words.includes(word) ? words.indexOf(word) + (words === names.month ? 1 : 0) : Number(word);
  return field.split(",").map((written) => {
    const [span = "", step = "1"] = written.split("/");
    const [from = "", to = written.includes("/") ? "99" : from] = span.split("-");
    const every = Number(step);
    return span === "*"
      ? { written, from: words === names.weekday ? 0 : 1, to: 99, every }
      : { written, from: numberOf(from), to: numberOf(to), every };
  });
}
