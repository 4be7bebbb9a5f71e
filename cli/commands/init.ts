/** `cdrc init [DIR]`. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import { compose } from "../init/compose.ts";
import { type InitTemplate, initTemplates } from "../init/templates.ts";
import { misuse } from "../misuse.ts";
import { unwritable } from "../unreadable.ts";
import { makeFolder } from "../../compiler/make-folder.ts";

interface Flags {
  readonly template?: string;
  readonly answer: readonly string[];
  readonly yes?: true;
  readonly json?: true;
}

export function initCommand(): Command {
  const list = initTemplates.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join("\n");
  return new Command("init")
    .summary("start a project from a template")
    .argument("[dir]", "folder to write to", ".")
    .addOption(
      new Option("--template <name>", "template to use").choices(initTemplates.map((template) => template.name)),
    )
    .option(
      "--answer <name=value>",
      "answer to a question of the template (repeatable)",
      (word: string, before: readonly string[]) => [...before, word],
      [],
    )
    .option("-y, --yes", "ask nothing; unanswered questions take their defaults")
    .option("--json", "print one JSON document to stdout; implies --yes")
    .addHelpText("after", `\nTemplates:\n${list}\n\nQuestions:\n${questions()}`)
    .action(init);
}

function questions(): string {
  return initTemplates
    .map(({ name, questions: all }) => `  ${name.padEnd(10)} ${all.map((q) => `${q.name}=${q.default}`).join("  ")}`)
    .join("\n");
}

async function init(folder: string, flags: Flags): Promise<void> {
  const json = flags.json === true;
  const template = initTemplates.find((each) => each.name === flags.template) ?? null;
  const answers = read(flags.answer);
  if ("misuse" in answers) return misuse(answers.misuse, json);
  const asks = flags.yes !== true && !json;
  if (asks && !(process.stdin.isTTY && process.stdout.isTTY))
    return misuse("questions cannot be asked here: add --yes, and --template NAME (--help lists them)", json);
  const { ask } = asks ? await import("../init/ask.ts") : { ask: null };
  const asked =
    ask === null
      ? { template: template ?? initTemplates[0], answers: answers.answers }
      : await ask(template, answers.answers);
  if (asked?.template === undefined) return;
  const refused = wrong(asked.template, asked.answers);
  if (refused !== null) return misuse(refused, json);
  write(folder, asked.template, asked.answers, json);
}

function write(
  folder: string,
  template: InitTemplate,
  answers: Readonly<Record<string, string>>,
  json: boolean,
): void {
  const files = compose(template, answers);
  const source = files[0]?.path ?? "";
  if (existsSync(join(folder, source)))
    return misuse(`${join(folder, source)} exists already; name another folder`, json);
  const written = files.filter((file) => !existsSync(join(folder, file.path)));
  try {
    makeFolder(folder);
    for (const { path, text } of written) writeFileSync(join(folder, path), text, { flag: "wx" });
  } catch (error) {
    return misuse(`cannot write to ${folder}: ${unwritable(error)}`, json);
  }
  const paths = written.map(({ path }) => join(folder, path));
  if (json) process.stdout.write(`${JSON.stringify({ template: template.name, files: paths }, null, 2)}\n`);
  else {
    const file = join(folder, source);
    process.stdout.write(`${paths.join("\n")}\n`);
    process.stderr.write(`Next: cdrc plan ${file}, then cdrc run ${file}\n`);
  }
}

function read(
  words: readonly string[],
): { readonly answers: Readonly<Record<string, string>> } | { readonly misuse: string } {
  const answers: Record<string, string> = {};
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1) return { misuse: `--answer ${word}: write NAME=VALUE` };
    answers[word.slice(0, at)] = word.slice(at + 1);
  }
  return { answers };
}

/** What is wrong with the answers: a question that the template does not ask, or an answer that it cannot take. */
function wrong(template: InitTemplate, answers: Readonly<Record<string, string>>): string | null {
  for (const [name, answer] of Object.entries(answers)) {
    const question = template.questions.find((each) => each.name === name);
    if (question === undefined) {
      const names = template.questions.map((each) => each.name);
      const best = nearest(name, names);
      return `template ${template.name} asks no \`${name}\`${best === null ? `: ${names.join(", ")}` : `; did you mean \`${best}\`?`}`;
    }
    const refused = question.refuse(answer);
    if (refused !== undefined) return `${name} is ${refused}`;
  }
  return null;
}
