import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRun, namesFrom } from "../../runtime/state/find.ts";
import { stateHome } from "../../runtime/state/home.ts";
import { pointers, register, type Pointer } from "../../runtime/state/registry.ts";

function run(home: string, step: string, id: string, created: number): Pointer {
  const directory = join(home, "runs-of-user", step, id);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "run.json"), "{}");
  return { step, id, directory, project: home, created };
}

test("newest first; stale, broken and half-written pointers are passed over", async () => {
  const home = mkdtempSync(join(tmpdir(), "cdr-home-"));
  const old = run(home, "pretrain", "aaaa1111", 1);
  const recent = run(home, "pretrain", "aaaa2222", 2);
  const gone = run(home, "pretrain", "aaaa3333", 3);
  for (const entry of [old, recent, gone]) await register(entry, home);
  rmSync(gone.directory, { recursive: true });
  writeFileSync(join(home, "runs", "bbbb.json"), '{"id": "bb');
  writeFileSync(join(home, "runs", "cccc.json.123"), "");
  expect(pointers(home).map((entry) => entry.id)).toEqual(["aaaa2222", "aaaa1111"]);
});

test("what may be meant from a folder: steps once, then runs of its project, then those of others", () => {
  const home = mkdtempSync(join(tmpdir(), "cdr-home-"));
  const [here, there] = [join(home, "here"), join(home, "there")];
  const runs = [
    { ...run(there, "corpus", "cccc1111", 3), project: there },
    { ...run(here, "pretrain", "aaaa2222", 2), project: here },
    { ...run(here, "pretrain", "aaaa1111", 1), project: here },
  ];
  const named = namesFrom(here, runs);
  expect(named.map(({ word }) => word)).toEqual(["pretrain", "aaaa2222", "aaaa1111", "cccc1111"]);
  expect(named[0]?.run.id).toBe("aaaa2222");
});

test("the same id in two projects is two runs", async () => {
  const home = mkdtempSync(join(tmpdir(), "cdr-home-"));
  await register(run(join(home, "a"), "pretrain", "aaaa1111", 1), home);
  await register(run(join(home, "b"), "pretrain", "aaaa1111", 2), home);
  expect(pointers(home)).toHaveLength(2);
});

test("names: step, id, prefix, nothing near", () => {
  const home = mkdtempSync(join(tmpdir(), "cdr-home-"));
  const runs = [
    run(home, "pretrain", "bbbb1111", 3),
    run(home, "pretrain", "aaaa2222", 2),
    run(home, "corpus", "aaaa1111", 1),
  ];
  const find = (name: string) => findRun(name, runs, home);
  expect(find("pretrain")).toMatchObject({ kind: "found", run: { id: "bbbb1111" } });
  expect(find("aaaa1111")).toMatchObject({ kind: "found", run: { step: "corpus" } });
  expect(find("bb")).toMatchObject({ kind: "found", run: { id: "bbbb1111" } });
  expect(find("corpus/a")).toMatchObject({ kind: "found", run: { id: "aaaa1111" } });
  expect(find("aaaa")).toMatchObject({ kind: "ambiguous" });
  expect(find("pretrian")).toMatchObject({ kind: "unknown", nearest: ["pretrain"] });
  expect(find("zz")).toMatchObject({ kind: "unknown", nearest: [] });
  expect(find("")).toMatchObject({ kind: "unknown" });
});

test("a step is one of this folder's project, an id one of anywhere; two that are both meant are shown", () => {
  const home = mkdtempSync(join(tmpdir(), "cdr-home-"));
  const at = (project: string, step: string, id: string, created: number): Pointer => {
    mkdirSync(join(home, project), { recursive: true });
    return { ...run(join(home, project), step, id, created), project: join(home, project) };
  };
  const runs = [
    at("other", "pretrain", "cccc1111", 9),
    at("work/b", "pretrain", "aaaa1111", 4),
    at("work/a", "pretrain", "bbbb2222", 3),
    at("work/a", "pretrain", "aaaa1111", 2),
    at("other", "alone", "dddd1111", 1),
  ];
  const find = (name: string, folder: string) => findRun(name, runs, join(home, folder));
  expect(find("pretrain", "work/a")).toMatchObject({ run: { id: "bbbb2222" } });
  expect(find("pretrain", "work/a/deep/er")).toMatchObject({ run: { id: "bbbb2222" } });
  expect(find("pretrain", "work")).toMatchObject({
    kind: "ambiguous",
    runs: [{ id: "aaaa1111" }, { id: "bbbb2222" }],
  });
  expect(find("pretrain", "work/c")).toMatchObject({ kind: "unknown", elsewhere: { length: 3 } });
  expect(find("aaaa1111", "work/b")).toMatchObject({ run: { project: join(home, "work/b") } });
  expect(find("aaaa1111", "other")).toMatchObject({ kind: "ambiguous" });
  expect(find("cccc1111", "work/a")).toMatchObject({ run: { project: join(home, "other") } });
  expect(find("dddd", "work/a")).toMatchObject({ run: { step: "alone" } });
});

test("a relative XDG_STATE_HOME is ignored", () => {
  expect(stateHome({ XDG_STATE_HOME: "/x" })).toBe("/x/cdr");
  expect(stateHome({ XDG_STATE_HOME: "x" })).toMatch(/\.local\/state\/cdr$/);
});
