import type { Constructor } from "../../../dsl/kind.ts";
import { choice, integer, list, path, union } from "../../../dsl/types/type.ts";
import { host, word } from "../forms.ts";

export const ssh: Constructor = {
  doc: "hosts without a scheduler: one torchrun each, over ssh",
  runs: false,
  parameters: {
    hosts: {
      type: union(
        list(host),
        choice("hosts", {
          file: {
            doc: "one host a line",
            parameters: { path: { type: path, doc: "the file", required: true } },
            positional: ["path"],
          },
        }),
      ),
      doc: "the machines; the first is the meeting point of the others",
      required: true,
    },
    user: { type: word, doc: "login user; you by default" },
    port: { type: integer({ min: 1, max: 65_535 }), doc: "where processes meet", default: "29_500" },
  },
};
