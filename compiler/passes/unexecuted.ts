/**
 * What a file says and nothing carries out yet. It is checked and planned like everything else; whoever would run it is refused, by
 * the name of the step. Descriptors say it (`runs: false`), so that no step can forget to.
 */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { describeInstance, type Instance } from "../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import type { Span } from "../../dsl/source/source.ts";
import { compiledOnly, kindNotExecuted, nothingToRun, notExecuted } from "../diagnostics/run.ts";
import type { LaunchSpec } from "../pipeline.ts";
import { isMounted } from "../targets/kubernetes/mounted.ts";
import { type CarriedOut, type View, viewOf } from "./unexecuted/view.ts";

export interface Unexecuted {
  /** Why these steps, what they read and the launch cannot run, or not even be compiled; nothing where they can. All steps when none is named. */
  readonly of: (names: readonly string[], purpose?: Purpose) => readonly Diagnostic[];
  /** Steps that a bundle cannot hold, or that read what one of them makes. */
  readonly steps: ReadonlySet<string>;
  /** Steps that no other step reads from or waits for, sweeps aside: what the file is for. */
  readonly ends: () => ReadonlySet<string>;
  /** Where it is said, and where what nobody carries out is used. */
  readonly places: () => readonly Span[];
}

/** A bundle may be for a place where `cdrc run` starts nothing yet. */
export type Purpose = "run" | "compile";

export function unexecuted(
  program: Program,
  launch: LaunchSpec,
  carriedOut: (stage: string) => CarriedOut = () => "none",
): Unexecuted {
  const views = new Map<Instance, View>();
  const view = (block: Instance): View => {
    const found =
      views.get(block) ??
      viewOf(block, block.kind.name === "stage" ? carriedOut(nameOf(block)) : "none", (path) =>
        isMounted(path, launch),
      );
    views.set(block, found);
    return found;
  };
  const reach = (roots: readonly Instance[]): Set<Instance> => {
    const seen = new Set<Instance>(roots);
    for (const block of seen) for (const { other } of view(block).reads) seen.add(other);
    return seen;
  };
  const judge = (from: readonly Instance[], purpose: Purpose): Diagnostic[] =>
    [...reach(from)].flatMap((block) => {
      const who = describeInstance(block);
      if (block.kind.runs === false) return [kindNotExecuted(block.span, { who, kind: block.kind.name })];
      const { findings } = view(block);
      const lost = findings.filter(({ isCompiled }) => !isCompiled);
      if (lost.length > 0) return [notExecuted(block.span, { who, what: listed(lost) })];
      if (findings.length === 0 || purpose === "compile") return [];
      // A path of a mount is told with the launch that mounts it.
      return block.kind.name === "launch" ? [compiledOnly(block.span, { who })] : [];
    });
  const steps = program.blocks.filter((b) => b.kind.step === true && !b.abstract && isPresent(b));
  const usual = steps.filter(({ kind }) => kind.name !== "sweep");
  const launches = program.blocks.filter((b) => b.kind.name === "launch" && b.span === launch.span);
  return {
    // Whoever only checks a file does not ask.
    get steps() {
      return new Set(steps.filter((step) => judge([step], "compile").length > 0).map(nameOf));
    },
    places: () =>
      program.blocks
        .filter((block) => block.kind.runs === false || (!block.abstract && isPresent(block)))
        .flatMap((block) =>
          block.kind.runs === false && block.symbol !== null ? [block.symbol.node.span] : placesIn(view(block)),
        ),
    ends: () => {
      const readBy = (step: Instance) => [...reach([step])].filter((block) => block !== step);
      const read = new Set(usual.flatMap(readBy));
      return new Set(usual.filter((step) => !read.has(step)).map(nameOf));
    },
    of: (names, purpose = "run") => {
      if (steps.length === 0) return [nothingToRun({ source: program.root.file.source, start: 0, end: 0 }, {})];
      const wanted = names.length === 0 ? usual : steps.filter((step) => names.includes(nameOf(step)));
      return judge([...wanted, ...launches], purpose);
    },
  };
}

const placesIn = ({ findings, reads }: View): Span[] => [
  ...findings.map(({ span }) => span),
  ...reads.flatMap(({ other, span }) => (other.kind.runs === false ? [span] : [])),
];

const nameOf = (block: Instance): string => block.name ?? block.kind.name;

const listed = (findings: View["findings"]): string => [...new Set(findings.map(({ what }) => what))].join(", ");
