/** `0 2 * * 1-5`: five fields, each with values, spans, lists and steps, as cron has them. */
import { textOfForm } from "../../dsl/types/type.ts";

const month = "(?:1[0-2]|0?[1-9]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)";
const weekday = "(?:0?[0-6]|SUN|MON|TUE|WED|THU|FRI|SAT)";
const fields = ["[0-5]?\\d", "(?:2[0-3]|[01]?\\d)", "(?:3[01]|[12]\\d|0?[1-9])", month, weekday].map((value) => {
  const part = `(?:\\*|${value}(?:-${value})?)(?:/[1-9]\\d?)?`;
  return `${part}(?:,${part})*`;
});

export const cron = textOfForm(
  'five fields: minute 0-59, hour 0-23, day 1-31, month 1-12, weekday 0-6, such as `"0 2 * * *"`',
  new RegExp(`^\\s*${fields.join("\\s+")}\\s*$`, "i"),
);
