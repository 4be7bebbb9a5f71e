/** A Python for which no release of PyTorch that its environment takes was built. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { pythonOld, pythonRelease } from "../../diagnostics/packages.ts";
import { textAt, textOf, valued } from "../resolve/read.ts";
import type { Pin } from "./packages.ts";
import { meets } from "./requirement.ts";
import { torchReleases } from "./torch-releases.ts";

const newest = torchReleases.findLast(() => true);
const unknown = Number.MAX_SAFE_INTEGER;

/** Releases that nobody knows yet: they may come for later Pythons, and for no earlier ones. */
const later = [[newest?.version[0] ?? 0, unknown], [unknown]].map((version) => ({
  version,
  python: [newest?.python[0] ?? 0, unknown] as const,
}));

export function pythonsOf(python: Instance, pins: readonly Pin[]): Diagnostic[] {
  const version = textAt(python, "version") ?? "";
  const [, major = "", written = ""] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (written === "" || hasOwnBuilds(python)) return [];
  // Whatever comes before Python 3 is older than its first.
  const minor = major === "3" ? Number(written) : Number(major) < 3 ? -1 : Number.POSITIVE_INFINITY;
  const wanted = pins.filter(({ name }) => name === "torch");
  const [torch] = wanted;
  const clauses = wanted.flatMap((pin) => pin.clauses);
  if (torch === undefined) return old(python, `${major}.${written}`, minor);
  const taken = [...torchReleases, ...later].filter(({ version: release }) => meets(release, { clauses }));
  const pythons = taken.map((release) => release.python);
  if (taken.length === 0 || pythons.some(([from, to]) => from <= minor && minor <= to)) return [];
  const from = Math.min(...pythons.map(([first]) => first));
  const to = Math.max(...pythons.map(([, last]) => (last === unknown ? (newest?.python[1] ?? from) : last)));
  const { span, origin } = valued(python, "version");
  const isWritten = origin.kind !== "default";
  const near = `"3.${minor < from ? from : to}"`;
  return [
    pythonRelease(
      isWritten ? span : torch.span,
      { torch: torch.written, version: `${major}.${written}`, told: isWritten },
      {
        valid: versions(from, to),
        related: isWritten ? [{ message: "the package to install", span: torch.span }] : [],
        fixes: isWritten ? [{ title: `write ${near}`, edits: [{ span, newText: near }] }] : [],
      },
    ),
  ];
}

/** Without a word of PyTorch, a Python for which none of its second releases was built. */
function old(python: Instance, version: string, minor: number): Diagnostic[] {
  const pythons = torchReleases.filter((release) => release.version[0] === 2).map((release) => release.python);
  const [from, to] = [Math.min(...pythons.map(([first]) => first)), Math.max(...pythons.map(([, last]) => last))];
  if (minor >= from && Number.isFinite(minor)) return [];
  const { span } = valued(python, "version");
  return [pythonOld(span, { version, first: `3.${from}` }, { valid: versions(from, to) })];
}

const versions = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `"3.${from + i}"`);

/** How PyTorch lays its own index out, and whoever mirrors it: `…/whl/cu121`, `…/whl/nightly/cpu`. */
const layoutOfTorch = /\/whl(\/(test|nightly))?\/(cpu|cu\d+|rocm[\d.]+|xpu)\/?$/;

/** Other places than PyPI and PyTorch's own have builds that nobody here knows of. */
function hasOwnBuilds(python: Instance): boolean {
  const { value } = valued(python, "index");
  return value.kind === "list" && value.items.some(({ value: at }) => !layoutOfTorch.test(textOf(at) ?? ""));
}
