/** A value that only the run knows is never taken for one that is wrong, nor for one that is not there. */
import { expect, it } from "vitest";
import { foreignRules } from "../../../compiler/foreign/rules/index.ts";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files, ForeignRule } from "../../../compiler/foreign/rules/rule.ts";

const errorsOf = (files: Files, supplied: ForeignRule["supplied"]): readonly string[] =>
  toldOf(files, supplied).flatMap(({ code, severity }) => (severity === "error" ? [code] : []));

/** The files with one of them written by the script among them, or by one of its own. */
function written(files: Files, name: string, text: string): Files {
  const { [name]: _, ...others } = files;
  const script = Object.keys(others).find((path) => path.endsWith(".sh") && !path.includes("/")) ?? "write.sh";
  const lines = others[script] ?? "";
  const first = /^#!.*\n/.exec(lines)?.[0] ?? "";
  return { ...others, [script]: `${first}cat > ${name} <<EOF\n${text.trimEnd()}\nEOF\n${lines.slice(first.length)}` };
}

/** The text once for each value in it, which a parameter of the script takes the place of. */
function* opened(text: string, value: RegExp, by: string): Generator<string> {
  for (const found of text.matchAll(value)) {
    const [whole, before = "", given = ""] = found;
    const quote = given.startsWith('"') ? '"' : "";
    yield `${text.slice(0, found.index)}${before}${quote}${by}${quote}${text.slice(found.index + whole.length)}`;
  }
}

const valueOfDocument = /(:[ \t]*)("(?:[^"\\\n]|\\.)*"|[-\w.+/]+)(?=[ \t]*(?:[,}\n]|$))/g;
const valueOfOption = /(?<=\s)(--?[\w-]+[= ])(?!-)([\w./-]+)(?=\s)/g;

/** Another kind of job is another launch. */
const decides = /^\s*(?:kind|apiVersion)\b/;

const examples = foreignRules.flatMap(({ fires, silent, supplied, diagnostic: { code } }) =>
  [fires, silent].map((files) => ({ code, files, supplied })),
);

it("in a file that a script writes", () => {
  const wrong = examples.flatMap(({ code, files, supplied }) =>
    Object.entries(files)
      .filter(([name, text]) => /\.(?:json|ya?ml)$/.test(name) && !name.includes("/") && !text.includes("$"))
      .flatMap(([name, text]) => {
        const known = new Set(errorsOf(written(files, name, text), supplied));
        return [...opened(text, valueOfDocument, "$1")].flatMap((open) =>
          decides.test(open.split("\n").find((line) => line.includes("$1")) ?? "")
            ? []
            : errorsOf(written(files, name, open), supplied)
                .filter((each) => !known.has(each))
                .map((each) => `${code}: ${each} in\n${open}`),
        );
      }),
  );
  expect(wrong).toEqual([]);
}, 300_000);

it("behind an option", () => {
  const wrong = examples.flatMap(({ code, files, supplied }) =>
    Object.entries(files)
      .filter(([name]) => /\.(?:sh|sbatch)$/.test(name) && !name.includes("/"))
      .flatMap(([name, text]) => {
        const known = new Set(errorsOf(files, supplied));
        return [...opened(text, valueOfOption, "$(cat open)")].flatMap((open) => {
          const line = open.split("\n").find((each) => each.includes("$(cat open)")) ?? "";
          if (line.startsWith("#") || /(?:-m|--config) \$\(cat open\)/.test(line)) return [];
          return errorsOf({ ...files, [name]: open }, supplied)
            .filter((each) => !known.has(each))
            .map((each) => `${code}: ${each} in\n${open}`);
        });
      }),
  );
  expect(wrong).toEqual([]);
}, 300_000);

it("in front of the program", () => {
  const launcher =
    /((?:torchrun|deepspeed|accelerate launch|srun|mpirun|-m torch\.distributed\.run))((?: --?[\w-]+(?:[= ][^\s-]\S*)?)*)(?= (?:\S+\.py|python|bash|-m )|\s+torchrun)/g;
  const wrong = examples.flatMap(({ code, files, supplied }) =>
    Object.entries(files)
      .filter(([name]) => /\.(?:sh|sbatch)$/.test(name) && !name.includes("/"))
      .flatMap(([name, text]) => {
        const known = new Set(errorsOf(files, supplied));
        return [...text.matchAll(launcher)].flatMap(({ 0: { length }, 1: word = "", 2: options = "", index }) =>
          // A shell that is given a text has no words of the script.
          ["$(cat open)", '"${OPEN[@]}"', "$OPTIONS", ...(text.includes("bash -c") ? [] : ['"$@"'])].flatMap((open) =>
            [` ${open}`, `${options} ${open}`, ` ${open}${options}`].flatMap((by) => {
              const whole = `${text.slice(0, index)}${word}${by}${text.slice(index + length)}`;
              const found = errorsOf({ ...files, [name]: whole }, supplied);
              return found.filter((each) => !known.has(each)).map((each) => `${code}: ${each} in\n${whole}`);
            }),
          ),
        );
      }),
  );
  expect(wrong).toEqual([]);
}, 300_000);
