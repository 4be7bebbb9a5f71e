/** The files of a new project, from a template and answers. */
import { templateOf } from "../../compiler/templates.ts";
import { format } from "../../dsl/format/format.ts";
import { derived } from "./derived.ts";
import type { InitTemplate } from "./templates.ts";

export interface NewFile {
  readonly path: string;
  readonly text: string;
}

export function compose(template: InitTemplate, answers: Readonly<Record<string, string>>): readonly NewFile[] {
  const values = Object.fromEntries(template.questions.map((q) => [q.name, answers[q.name] ?? q.default]));
  const written = templateOf(`init/${template.name}.cdr.hbs`)({ ...values, ...derived(template, values) });
  return [
    { path: "train.cdr", text: format({ path: "train.cdr", text: written }).text },
    { path: ".gitignore", text: "runs/\n" },
  ];
}
