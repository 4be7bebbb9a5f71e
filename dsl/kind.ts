/**
 * What a block kind, a property and a constructor are. The compiler registers descriptors of these shapes; checking,
 * evaluation, hover, completion and the reference pages come from them.
 */
import type { Instance } from "./eval/blocks/instance.ts";
import type { Dimension } from "./types/units.ts";
import type { Value, Valued } from "./types/value.ts";

export type Type =
  | { readonly kind: "bool" }
  /** With a dimension, or one of several (`length = 20B tokens | 300 steps`); `percent` says what a bare `%` is a share of. */
  | {
      readonly kind: "number";
      readonly dimensions: readonly Dimension[];
      readonly integer?: boolean;
      readonly min?: number;
      /** What it must be more than. */
      readonly above?: number;
      readonly max?: number;
      /** What it must be less than. */
      readonly below?: number;
      readonly percent?: string;
      /** The unit that is meant where none is written, if it is not that of most amounts of its dimension. */
      readonly usual?: string;
      /** A share that is nearly all, as a decay of 0.999 is: `2` means no `2%`. */
      readonly nearlyAll?: true;
    }
  /** With a form where not any text will do: `words` say which, `pattern` knows it. */
  | { readonly kind: "string"; readonly form?: { readonly words: string; readonly pattern: RegExp } }
  /** A path or URI; `store / "x"` is one too. `schemes` are those of URIs that a program can open. */
  | { readonly kind: "path"; readonly schemes?: readonly string[] }
  | {
      readonly kind: "enum";
      readonly name: string;
      readonly values: readonly string[];
      /** Those of them that no program carries out yet, as with `runs: false`. */
      readonly later?: readonly string[];
      /** What they are, where their names do not say it. */
      readonly docs?: Readonly<Record<string, string>>;
      /** What other tools call its words. */
      readonly foreign?: Readonly<Record<string, string>>;
    }
  /** Its name is also the role by which a file may declare more constructors. */
  | {
      readonly kind: "choice";
      readonly name: string;
      readonly constructors: Readonly<Record<string, Constructor>>;
      /** What other tools call its words. */
      readonly foreign?: Readonly<Record<string, string>>;
      /** Why it is another word here, by the words of other tools. */
      readonly reasons?: Readonly<Record<string, string>>;
      /** What a text alone stands for: `"gpt2"` is `tiktoken("gpt2")`. */
      readonly ofText?: (text: string) => string | null;
      /** Something is held against it: a bare word is whatever that constructor makes. */
      readonly compared?: true;
    }
  | {
      readonly kind: "list";
      readonly element: Type;
      readonly length?: number;
      /** The same item may stand in it again: layers or commands, one after another. */
      readonly repeats?: true;
      /** Without an item it would say nothing, as one that is required. */
      readonly filled?: true;
      /** What is written instead of a list of declared blocks, where people write one. */
      readonly ofBlocks?: string;
    }
  | { readonly kind: "range"; readonly element: Type }
  /** A declared block of one of these kinds. */
  /** `group`: a group of settings, which a record gives as well. */
  | { readonly kind: "block"; readonly kinds: readonly string[]; readonly group?: BlockKind }
  /** Something that a step of one of these kinds makes. */
  | {
      readonly kind: "handle";
      readonly kinds: readonly string[];
      readonly which: readonly string[];
      /** What the step made at one point is taken too: `a.at(10_000 steps)`. */
      readonly at?: true;
      /** Where something stands that no step of the file makes. */
      readonly elsewhere?: string;
    }
  | { readonly kind: "secret" }
  | { readonly kind: "none" }
  | { readonly kind: "auto" }
  /** An expression over names that are known only later; it stays a tree, its units checked: `cross_entropy + 0.01 * z_loss`. */
  | {
      readonly kind: "formula";
      /** What it may speak of, perhaps by what the block around it declares; without them it is kept as written. */
      readonly names?: FormulaNames | ((block: Instance | null) => FormulaNames);
      /** Names people bring from elsewhere, and the name that is meant. */
      readonly foreign?: Readonly<Record<string, string>>;
      /** What it gives: true or false, or a number. */
      readonly result?: Type;
      /** Only a name by itself is carried out yet, no arithmetic over several. */
      readonly alone?: true;
      /** Constructors that a file declares for this role may stand in it: `correlation(clamp = 2.0)`. */
      readonly role?: string;
    }
  | { readonly kind: "union"; readonly members: readonly Type[] }
  /** `lost`: nobody knows what it names, which has been told; any word may be one of its own. */
  | { readonly kind: "any"; readonly lost?: true };

/** Something that a formula may speak of: a metric of the run, a field of a row. */
export interface FormulaName {
  /** One sentence, no full stop. */
  readonly doc: string;
  /** A number, true or false, an enum, a text. */
  readonly type: Type;
  /** It is called: `language(en)`. */
  readonly parameters?: Readonly<Record<string, Property>>;
  readonly positional?: readonly string[];
  /** It may be asked at one point: `loss.at(10_000 steps)`. */
  readonly at?: Type;
  /** Said and checked, but no program executes it yet: `cdrc check` accepts it, `cdrc run` refuses it by name. */
  readonly runs?: false;
}

/** By their dotted names: `val.loss`; `row.*` stands for every name behind `row.`. */
export type FormulaNames = Readonly<Record<string, FormulaName>>;

export interface Property {
  readonly type: Type;
  /** One sentence, no full stop. */
  readonly doc: string;
  /** The value when nothing is written; a string is read as an expression. */
  readonly default?: string;
  /** Nothing stands for it: leaving it out is an error. */
  readonly required?: boolean;
  /** What other tools call it, where it is an argument. */
  readonly also?: readonly string[];
  /** Usually a power of two: a decimal scale (`4K`) is worth a question. */
  readonly binary?: boolean;
  /** `<=`, `>=` and `in` may guide the planner here. */
  readonly bounded?: boolean;
  /** A budget: only an upper bound means something. */
  readonly limit?: true;
  /** Where only bounds are said, the least that they allow may be counted on, and is what it reads: `nodes in 2..8`. */
  readonly promised?: true;
  /** Left out, it is what the step behind the property of that name has: a stage `from` another one goes on with its model. */
  readonly follows?: string;
  /** Said and checked, but no program executes it yet: `cdrc check` accepts it, `cdrc run` refuses it by name. */
  readonly runs?: false;
  /** Which programs execute it all the same, in words of the field. */
  readonly runsBy?: string;
  /** Beside which of the block's choices it is written into a bundle all the same, though `cdrc run` refuses it. */
  readonly compiledBeside?: readonly string[];
}

export interface Constructor {
  readonly doc: string;
  /** A block that uses it, for the page of its kind. */
  readonly example?: string;
  /** Said and checked, but no program executes it yet: `cdrc run` refuses it by name, and what is "compiled" is written into a bundle. */
  readonly runs?: false | "compiled";
  readonly parameters: Readonly<Record<string, Property>>;
  /** Parameters that may be given without their name, in order; the last takes all that come, where it takes a list. */
  readonly positional?: readonly string[];
  /** Names that other tools have for what a parameter says in another form, and what to write: `` `to = 10%` ``. */
  readonly foreign?: Readonly<Record<string, string>>;
  /** What such an argument is here, by what was written, where it can be said the same: `warmup_ratio = 0.03` is `warmup = 3%`. */
  readonly rewrites?: Readonly<Record<string, (written: string) => string | null>>;
  /** Set where a file declares the constructor: the value of a parameter that is not given. */
  readonly fallback?: (parameter: string) => Valued | undefined;
}

export interface BlockKind {
  readonly name: string;
  readonly doc: string;
  /** What such blocks are called elsewhere. */
  readonly also?: readonly string[];
  /** What is written for several of them where one is asked, as a sentence. */
  readonly several?: string;
  /** Said and checked, but no program executes it yet: `cdrc check` accepts it, `cdrc run` refuses it by name. */
  readonly runs?: false;
  readonly properties: Readonly<Record<string, Property>>;
  /** Members that a new block begins with beside what is required: one of several ways to say what it needs. */
  readonly begins?: readonly string[];
  /** Groups of settings: `layout { … }`. */
  readonly blocks?: Readonly<Record<string, BlockKind>>;
  /** Blocks that are declared inside with a name, any number: `source web { … }`. */
  readonly nested?: Readonly<Record<string, BlockKind>>;
  /** A group whose defaults hold where it is not written, and these values of it, as they would be written. */
  readonly implied?: Readonly<Record<string, string>>;
  /** Such a group always holds: it cannot be removed. */
  readonly kept?: true;
  /** A group that the block around it may have though nobody wrote it: a family's experts. `derived` says what it holds. */
  readonly held?: (parent: Instance) => boolean;
  /** Any key, any value: `raw deepspeed { … }`, `env { … }`. */
  readonly open?: boolean;
  /** What `block.name` gives beside its properties: `model.parameters`, `stage.tokens`; evaluated when asked for. */
  readonly derived?: Readonly<Record<string, DerivedField & { readonly compute: (block: Instance) => Value }>>;
  /** It makes something when it is run: others may follow it with `after`. */
  readonly step?: boolean;
  /** What the step makes, by the names of handles: `last`, `best`, `val`. */
  readonly handles?: readonly string[];
  /** What it makes on its way is a handle as well, by a point of this type: `a.at(10_000 steps)`. */
  readonly at?: Type;
  /** The property that `block / "x"` is relative to: `at` of a store. */
  readonly path?: string;
  /** The property that names a role: a block of this kind declares a constructor of the choices of that role, by its `param`s. */
  readonly constructs?: string;
  /** What it says beside its own members amends a copy of the declared block around it: a phase of a curriculum. */
  readonly amends?: boolean;
  /** The property beside it whose block its bounds speak of: `vary { optimizer.lr in [1e-4, 3e-4] }`. */
  readonly varies?: string;
  /** Its body amends other blocks and says nothing of itself: `preset`, `overlay`. */
  readonly variant?: boolean;
  /** What an `expect` in it may speak of. */
  readonly watches?: FormulaNames;
  /** Header clauses it takes: `on`, `after`. */
  readonly clauses?: readonly ("on" | "after")[];
  /** Kinds that `on` may name; a cluster where nothing is said. */
  readonly on?: readonly string[];
  /** What other tools call something that it makes: `final` for `last`. */
  readonly foreignHandles?: Readonly<Record<string, string>>;
  /** Names people bring from elsewhere and what to write here instead. */
  readonly foreign?: Readonly<
    Record<string, { readonly instead: string; readonly rewrite?: (written: string) => string }>
  >;
  /** A block of one's own where a name is none of the known ones, its figures left open, and where those come from. */
  readonly own?: { readonly declare: (name: string) => string; readonly figures: string };
}

/** Something to ask a block for, and what stands behind its dot where it is a record. */
export interface DerivedField {
  readonly doc: string;
  readonly fields?: Readonly<Record<string, DerivedField>>;
  /** What in the block it is computed from: `nodes`, `node.gpus`. */
  readonly from?: readonly string[];
}

/** A function of the standard library: `min`, `count`, `env`. */
export interface Builtin {
  readonly doc: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: Type;
    readonly optional?: boolean;
    readonly rest?: boolean;
  }[];
  /** Its value, or what it takes instead: `a number above zero`. */
  readonly call: (arguments_: readonly Valued[]) => Value | { readonly takes: string };
}

/** All that the language needs to be told about training. */
export interface Registry {
  readonly kinds: Readonly<Record<string, BlockKind>>;
  readonly std: StandardLibrary;
}

/** Files of the standard library: `std/clusters`. */
export interface StandardLibrary {
  readonly names: readonly string[];
  readonly read: (path: string) => string | undefined;
}
