import { noValues } from "./no-value.ts";

/** What people write for `true`, `false` and `none` elsewhere. */
export const elsewhere: Readonly<Record<string, string>> = {
  True: "true",
  yes: "true",
  on: "true",
  False: "false",
  no: "false",
  off: "false",
  ...Object.fromEntries(noValues.map((word) => [word, "none"])),
};
