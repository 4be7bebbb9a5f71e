/** Two neighbours that changed places are one message: what follows from them is left out. */
import { expect, it } from "vitest";
import { base, messagesOf } from "../support/broken.ts";

it.each([
  ["web source { from", "source web { from", "property-unknown"],
  ["snippet sample {", "sample snippet {", "kind-unknown"],
  ["assert tinny..layers > width", "assert width >= half", "name-unknown"],
  ["  = optimizer adamw(lr", "  optimizer = adamw(lr", "syntax-unexpected"],
  ["fn warm(:total Steps)", "fn warm(total: Steps)", "syntax-unexpected"],
  ["enum Mode { ,fast slow }", "enum Mode { fast, slow }", "syntax-separator"],
])("%s", (swapped, written, code) => {
  const more = `${base}
stage again extends pretrain { seed = 3 }
overlay short { snippet { length = 10 tokens }, corpus { web.weight = 60% } }
param mode: Mode = slow
let twice = match mode { fast => 1, slow => 2 }
`;
  expect(messagesOf(more)).toEqual([]);
  expect(more).toContain(written);
  expect(messagesOf(more.replace(written, swapped)).map((said) => said.split(" ")[1])).toEqual([`cdr/${code}`]);
});
