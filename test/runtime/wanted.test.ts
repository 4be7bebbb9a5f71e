/** Imports bring names, never effects: what runs is what the file declares, and what that reads. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileForRun } from "../../cli/compile-for-run.ts";
import { isRefusal } from "../../runtime/run/refusal.ts";
import { resolveRuns } from "../../runtime/run/resolve.ts";
import { missingCheckpoint, wantedSteps } from "../../runtime/run/wanted.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdr-wanted-"));
  mkdirSync(join(folder, "corpus"));
  writeFileSync(join(folder, "corpus/a.txt"), "a text\n");
  const stage = "length = 4 steps, batch = 2 samples, optimizer = adamw(lr = 1e-3)";
  write(
    "base.cdr",
    `data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
stage pretrain { model = small, data = web, ${stage} }
stage other { model = small, data = web, seed = 3, ${stage} }
sweep search { stage = other, vary { seed in 1..2 }, best = min(loss) }
`,
  );
  write(
    "tune.cdr",
    `import "./base.cdr" { web, small, pretrain, other }
stage tune { model = small, data = web, from = pretrain.last, ${stage} }
job later { command = "echo done" }
`,
  );
  write(
    "one.cdr",
    `data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
stage pretrain { model = small, data = web, ${stage} }
sample text { model = pretrain.last, prompts = ["a"], length = 4 tokens }
sweep search { stage = pretrain, vary { seed in 1..2 }, best = min(loss) }
`,
  );
  write(
    "two.cdr",
    `import "std/clusters" { dgx_h100 }
data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
stage again { model = small, data = web, ${stage.replace("= 2 samples", "= 8 samples")} }
param site: Bool = false
launch a on dgx_h100 { target = slurm(partition = "a") }
launch b on dgx_h100 { target = slurm(partition = "b") }
launch c on dgx_h100 { when = site, target = local }
`,
  );
  write("names.cdr", 'import "./base.cdr" { pretrain }\npretrain.seed = 2\n');
  write("plain.cdr", `import "./base.cdr" { web, small }\nstage again { model = small, data = web, ${stage} }\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

async function compiled(name: string, names: readonly string[]) {
  const choices = { on: undefined, target: undefined, preset: undefined, with: [], set: [], names };
  const found = await compileForRun(join(folder, name), choices);
  if (found === null) throw new Error(`${name} does not compile`);
  return found;
}

async function runsOf(name: string, names: readonly string[] = []) {
  const found = await compiled(name, names);
  const wanted = wantedSteps(found, names);
  if (isRefusal(wanted)) return wanted.message.replaceAll(`${folder}/`, "");
  const runs = resolveRuns(found, { names: wanted, fresh: false, python: "" });
  const missing = await missingCheckpoint(found, runs, names);
  return missing?.message.replaceAll(folder, "") ?? runs.map(({ spec }) => spec.step.name);
}

describe("without a name", () => {
  it("the one step runs that the others lead to, and no sweep", async () => {
    expect(await runsOf("one.cdr")).toEqual(["web", "pretrain", "text"]);
  });
  it("a file that ends in several steps lists them", async () => {
    expect(await runsOf("base.cdr")).toBe("base.cdr ends in 2 steps: pretrain, other");
    expect(await runsOf("tune.cdr")).toBe("tune.cdr ends in 2 steps: tune, later");
  });
  it("one of several launches starts where it is named, or is local", async () => {
    const launched = async (on: string | undefined, set: readonly string[] = []) =>
      (
        await compileForRun(join(folder, "two.cdr"), {
          on,
          target: undefined,
          preset: undefined,
          with: [],
          set,
          names: [],
        })
      )?.launch.name;
    expect(await launched(undefined)).toBeUndefined();
    expect(await launched("b")).toBe("b");
    expect(await launched(undefined, ["site=true"])).toBe("c");
  });
  it("imported data is made, and nothing that is only imported runs", async () => {
    expect(await runsOf("plain.cdr")).toEqual(["web", "again"]);
  });
  it("a file that declares no step lists those it knows", async () => {
    expect(await runsOf("names.cdr")).toContain("it has web, pretrain, other");
  });
});

describe("an imported stage", () => {
  it("is not trained because its weights are read", async () => {
    expect(await runsOf("tune.cdr", ["tune"])).toMatch(
      /^"tune" reads a checkpoint of "pretrain", which .*base\.cdr declares, but .*\/runs\/pretrain\//,
    );
  });
  it("is trained where it is named", async () => {
    expect(await runsOf("tune.cdr", ["pretrain"])).toEqual(["web", "pretrain"]);
    expect(await runsOf("tune.cdr", ["pretrain", "tune"])).toEqual(["web", "pretrain", "tune"]);
  });
});

it("an unknown name is told all names, also of what nothing carries out yet", async () => {
  expect(await runsOf("tune.cdr", ["tun"])).toBe(
    'tune.cdr has no step "tun"; it has tune, later, web, pretrain, other, search',
  );
});

it("asks whether another step was meant only where its name is near", async () => {
  const found = await compiled("one.cdr", []);
  const advice = (name: string) => {
    const refused = wantedSteps(found, [name]);
    return isRefusal(refused) ? refused.advice : refused;
  };
  expect(advice("pretrian")).toBe("did you mean pretrain?");
  expect(advice("nosuch")).toBeNull();
});
