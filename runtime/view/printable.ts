import { controlPicture } from "../../dsl/diagnostics/control-picture.ts";

/** Colours are what a program may say to a terminal; line breaks and tabs are text. */
// oxlint-disable-next-line no-control-regex
const obeyed = /\u001B\[[0-9;]*m|[^\P{Cc}\n\t]/gu;

/** What a process or a model wrote, as a terminal may show it: an untrained model writes any byte, also those that lock or clear a screen. */
export const printable = (text: string): string =>
  text.replace(obeyed, (found) => (found.length > 1 ? found : controlPicture(found)));
