/** Completion in the real shells, and what it offers. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Argument, Command, Option } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complete, type Names } from "../../cli/completion/candidates.ts";
import { namesOf } from "../../cli/completion/names.ts";
import { scripts } from "../../cli/completion/scripts.ts";
import { programFolder, root } from "../support/cdrc.ts";

let folder = "";
let path = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-shell-"));
  path = `${programFolder(join(folder, "bin"))}:${process.env["PATH"] ?? ""}`;
  for (const [shell, text] of Object.entries(scripts)) writeFileSync(join(folder, shell), text);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

function words(shell: string, args: readonly string[]): string[] {
  const { stdout, stderr, status } = spawnSync(shell, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, PATH: path },
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout.trim().split("\n");
}

const inBash = (line: string): string[] =>
  words("bash", [
    "-c",
    `source ${folder}/bash; COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _cdrc; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ]);
const inFish = (line: string): string[] =>
  words("fish", ["--no-config", "-c", `source ${folder}/fish; complete -C '${line}'`]).map(
    (w) => w.split("\t")[0] ?? "",
  );
/** The real shell runs the script; only what puts words on the screen is replaced. */
const inZsh = (line: string): string[] => {
  const split = line.split(" ");
  const array = split.map((word) => `'${word}'`).join(" ");
  const shown = `_describe() { local name=$4; print -rl -- "\${(@P)name}" }; compdef() { : }`;
  const run = `${shown}; source ${folder}/zsh; words=(${array}); CURRENT=${split.length}; _cdrc`;
  return words("zsh", ["-fc", run]).map((word) => word.split(/(?<!\\):/)[0] ?? "");
};

const shells = { bash: inBash, fish: inFish, zsh: inZsh };

describe.each(Object.entries(shells))("%s", (shell, offered) => {
  it.skipIf(!has(shell))(
    "completes commands, options, steps, launches and values",
    () => {
      expect(offered("cdrc comp")).toEqual(expect.arrayContaining(["compile", "completion"]));
      expect(offered("cdrc plan --pre")).toEqual(["--preset"]);
      expect(offered("cdrc run examples/finetune.cdr pre")).toEqual(["pretrain"]);
      expect(offered("cdrc plan examples/zero3.cdr --on ")).toEqual(["here", "hpc"]);
      expect(offered("cdrc run x.cdr --target sl")).toEqual(["slurm"]);
      expect(offered("cdrc sweep examples/cdrmix/cdrmix.cdr va")).toEqual(["variants"]);
    },
    60_000,
  );
});

it("bash completes a path of a file that stands behind it, and values", () => {
  const behind = (line: string, rest: string): string[] =>
    words("bash", [
      "-c",
      `source ${folder}/bash; COMP_LINE='${line}${rest}'; COMP_POINT=${line.length}; _cdrc; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]);
  expect(behind("cdrc explain pretrain.opt", " examples/quickstart.cdr")).toContain("pretrain.optimizer.lr");
  expect(behind("cdrc plan examples/cdrmix/cdrmix.cdr --set kind=", "")).toContain("reason");
}, 60_000);

describe("what is offered", () => {
  const names: Names = {
    steps: [{ word: "pretrain", hint: "stage" }],
    presets: [{ word: "quick", hint: "" }],
    overlays: [{ word: "offline", hint: "" }],
    launches: [],
    params: [{ word: "nodes", hint: "" }],
    sweeps: [{ word: "rates", hint: "" }],
    tests: [{ word: "keeps the batch", hint: "" }],
    blocks: [{ word: "pretrain", hint: "" }],
    values: (name) => (name === "nodes" ? [{ word: "many", hint: "" }] : []),
    leaves: (block) => (block === "pretrain" ? [{ word: "optimizer.lr", hint: "" }] : []),
  };
  const sweep = new Command("sweep").argument("<file>", "").argument("[sweep]", "");
  const test = new Command("test").argument("<file>", "").argument("[title...]", "");
  const command = new Command("run")
    .argument("<file>", "")
    .argument("[step...]", "")
    .option("--preset <name>", "")
    .option("--with <overlay>", "")
    .option("--set <name=value>", "")
    .option("-o, --output <dir>", "a folder")
    .option("--json", "")
    .option("--from <run...>", "")
    .addOption(new Option("--target <name>", "").choices(["local", "slurm"]));
  const shell = new Command("completion").addArgument(new Argument("<shell>", "").choices(["bash", "zsh"]));
  const explain = new Command("explain").argument("<what>", "").argument("[file]", "");
  const offer = (line: string) => {
    const [written = "", behind = ""] = line.split("|");
    const parts = written.split(" ");
    const file = (name: string) => (name === "a.cdr" ? names : null);
    const sources = { names: file, runs: () => [{ word: "3fa2c1", hint: "" }], codes: () => [] };
    const found = complete(
      [command, sweep, test, shell, explain],
      parts.slice(0, -1),
      parts.at(-1) ?? "",
      behind.split(" "),
      sources,
    );
    return found.kind === "words" ? found.words.map(({ word }) => word) : found.kind;
  };
  it.each([
    ["", ["run", "sweep", "test", "completion", "explain"]],
    ["nope ", []],
    ["run ", "files"],
    ["run a.cdr ", ["pretrain"]],
    ["run a.cdr --json p", ["pretrain"]],
    ["run --preset x a.cdr ", ["pretrain"]],
    ["run a.cdr --preset ", ["quick"]],
    ["run a.cdr --preset=q", ["--preset=quick"]],
    ["run a.cdr --with ", ["offline"]],
    ["run a.cdr --with ./", "files"],
    ["run a.cdr --set ", ["nodes=", "pretrain."]],
    ["run a.cdr --set pretrain.op", ["pretrain.optimizer.lr="]],
    ["run a.cdr --set nodes=", ["nodes=many"]],
    ["run a.cdr --set=nodes=m", ["--set=nodes=many"]],
    ["explain pre| a.cdr", ["pretrain."]],
    ["explain pretrain.| a.cdr", ["pretrain.optimizer.lr"]],
    ["sweep a.cdr ", ["rates"]],
    ["sweep a.cdr rates ", []],
    ["test a.cdr k", ["keeps the batch"]],
    ["run a.cdr -o ", "folders"],
    ["run b.cdr --preset ", []],
    ["run --target=s", ["--target=slurm"]],
    ["run --from 3", ["3fa2c1"]],
    ["completion z", ["zsh"]],
    ["completion zsh ", []],
  ])("%s", (line, expected) => {
    expect(offer(line)).toEqual(expected);
  });

  it("takes names from a file and from what it imports, mistakes or not", () => {
    const file = join(folder, "a.cdr");
    writeFileSync(join(folder, "b.cdr"), "param m: Int = 1\nlaunch far { target = local }\n");
    writeFileSync(
      file,
      'import "./b.cdr" { far }\nstage s { }\nsweep w { }\ntest "a b" { }\nabstract stage t { }\nparam n: Int = 1\npreset p { x = = 1 }\n',
    );
    expect(namesOf(file)).toMatchObject({
      steps: [{ word: "s" }, { word: "w" }],
      presets: [{ word: "p" }],
      launches: [{ word: "far" }],
      params: [{ word: "n" }, { word: "m" }],
      sweeps: [{ word: "w" }],
      tests: [{ word: "a b" }],
      blocks: ["far", "s", "w", "launch", "stage", "sweep"].map((word) => ({ word })),
    });
    const leaves = namesOf(file)
      ?.leaves("s")
      .map(({ word }) => word);
    expect(leaves).toEqual(expect.arrayContaining(["seed", "layout.micro_batch"]));
    expect(namesOf(file)?.leaves("stage")).toEqual(namesOf(file)?.leaves("s"));
  });

  it("takes arguments of what a block says, and values, from their types", () => {
    const file = join(folder, "c.cdr");
    writeFileSync(
      file,
      "enum Kind { core, reason }\nparam kind: Kind = core\nparam wide: Bool = false\nstage s { optimizer = adamw(lr = 1e-3) }\n",
    );
    const names = namesOf(file);
    const values = (path: string) => names?.values(path).map(({ word }) => word);
    expect(names?.leaves("s").map(({ word }) => word)).toEqual(expect.arrayContaining(["optimizer", "optimizer.lr"]));
    expect(values("kind")).toEqual(["core", "reason"]);
    expect(values("wide")).toEqual(["true", "false"]);
    expect(values("s.optimizer")).toContain("adamw");
    expect(values("s.optimizer.lr")).toEqual([]);
  });
});
