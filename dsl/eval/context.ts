import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Builtin, Registry, Type } from "../kind.ts";
import type { Span } from "../source/source.ts";
import type { BlockSymbol, Module, Symbol } from "../symbols/symbol.ts";
import type { Expression, Function as FunctionNode, Path, Statement } from "../syntax/ast.ts";
import type { Valued } from "../types/value.ts";
import type { Instance, Written } from "./blocks/instance.ts";
import type { AmendedAway } from "./blocks/amended-away.ts";
import type { Expectation } from "./formulas/expectation.ts";
import type { Branches } from "./judgement/not-taken.ts";
import type { Scope } from "./scope.ts";
import type { Replacement } from "./variants/attach.ts";

/** What one compilation knows while it evaluates. The parts of the evaluator call one another through it. */
export interface Context {
  readonly registry: Registry;
  readonly builtins: ReadonlyMap<string, Builtin>;
  readonly modules: ReadonlyMap<string, Module>;
  readonly root: Module;
  readonly report: (diagnostic: Diagnostic) => void;
  /** The value of an environment variable where one compiles. */
  readonly environment: (name: string) => string | undefined;
  /** What is known of this machine: `host.gpus`; `undefined` for an unknown name. */
  readonly host: (name: string) => Valued["value"] | undefined;
  readonly evaluate: (expression: Expression, scope: Scope, expected: Type | null, what: string) => Valued;
  readonly property: (instance: Instance, name: string, at: Span) => Valued;
  readonly instanceOf: (symbol: BlockSymbol) => Instance | null;
  /** Where a block was removed, `text = none`; `null` where it was not. */
  readonly removed: (symbol: BlockSymbol) => Span | null;
  /** What a variant says in place of a declaration. */
  readonly saidInstead: (symbol: Symbol) => Replacement | undefined;
  readonly symbolValue: (symbol: Exclude<Symbol, { kind: "block" | "namespace" }>, at: Span) => Valued;
  /** The declared block that a path names, of one of these kinds where only they will do; an unknown one is reported. */
  readonly resolve: (path: Path, module: Module, kinds?: readonly string[]) => BlockSymbol | null;
  /** Whether a bare name is the kind word of a block around the place. */
  readonly isKindAround: (name: string, scope: Scope) => boolean;
  /** Functions that are being called: one that is called again is recursive. */
  readonly calling: Set<FunctionNode>;
  readonly branches: Branches;
  /** Values that something else was said in place of. */
  readonly away: AmendedAway[];
  /** What blocks expect; anew once there is a plan, of which a condition may speak. */
  readonly expectations: Map<Instance, readonly Expectation[]>;
  /** While what was passed over is judged: which mistakes are heard. */
  readonly hearing: { only: ((found: Diagnostic) => boolean) | null };
  /** A copy of a block with more said: `x with { … }`. */
  readonly derive: (base: Instance, body: readonly Statement[], by: Written, name: string) => Instance;
}
