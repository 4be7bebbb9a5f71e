/** A Python for which no release of PyTorch that its environment takes was built. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { pythonRelease } from "../../diagnostics/operations.ts";
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
  const minor = Number(/^v?3\.(\d+)/.exec(version)?.[1] ?? Number.NaN);
  const wanted = pins.filter(({ name }) => name === "torch");
  const [torch] = wanted;
  const clauses = wanted.flatMap((pin) => pin.clauses);
  if (torch === undefined || Number.isNaN(minor) || hasOwnBuilds(python)) return [];
  const taken = [...torchReleases, ...later].filter(({ version: release }) => meets(release, { clauses }));
  const pythons = taken.map((release) => release.python);
  if (taken.length === 0 || pythons.some(([from, to]) => from <= minor && minor <= to)) return [];
  const from = Math.min(...pythons.map(([first]) => first));
  const to = Math.max(...pythons.map(([, last]) => (last === unknown ? (newest?.python[1] ?? from) : last)));
  const valid = Array.from({ length: to - from + 1 }, (_, i) => `"3.${from + i}"`);
  const { span, origin } = valued(python, "version");
  const isWritten = origin.kind !== "default";
  const near = `"3.${minor < from ? from : to}"`;
  return [
    pythonRelease(
      isWritten ? span : torch.span,
      { torch: torch.written, version: `3.${minor}`, told: isWritten },
      {
        valid,
        related: isWritten ? [{ message: "what is to be installed", span: torch.span }] : [],
        fixes: isWritten ? [{ title: `write ${near}`, edits: [{ span, newText: near }] }] : [],
      },
    ),
  ];
}

/** How PyTorch lays its own index out, and whoever mirrors it: `…/whl/cu121`, `…/whl/nightly/cpu`. */
const layoutOfTorch = /\/whl(\/(test|nightly))?\/(cpu|cu\d+|rocm[\d.]+|xpu)\/?$/;

/** Other places than PyPI and PyTorch's own have builds that nobody here knows of. */
function hasOwnBuilds(python: Instance): boolean {
  const { value } = valued(python, "index");
  return value.kind === "list" && value.items.some(({ value: at }) => !layoutOfTorch.test(textOf(at) ?? ""));
}
