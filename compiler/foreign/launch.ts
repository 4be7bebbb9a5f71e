import type { Source, Span } from "../../dsl/source/source.ts";
import type { Beside } from "./beside.ts";
import type { Replaced } from "./slurm/directives.ts";
import type { Line } from "./documents/listing.ts";
import type { Located } from "./documents/located.ts";
import type { DocumentKind } from "./documents/kinds.ts";
import type { Settings, Told } from "./settings.ts";
import type { Skipped } from "./shell/reading.ts";
import type { ShellCommand, ShellWord } from "./shell/state.ts";
import type { Text } from "./shell/text.ts";
import type { WrittenText } from "./shell/written.ts";

/** A JSON or YAML of the launch. */
export interface Document {
  readonly kind: DocumentKind;
  readonly source: Source;
  /** The name it was given under, or that a script writes it to. */
  readonly path: string;
  readonly root: Located;
  /** The command or the document that it stands in, where it is no file of its own; its path is empty then. */
  readonly inside?: ShellCommand | Document;
}

/** A file of lines: hosts of a launch, or packages to install. */
export interface Listing {
  readonly kind: "hostfile" | "requirements";
  readonly source: Source;
  /** What it lists, where that is not what its lines say. */
  readonly lines?: readonly Line[];
}

export interface ScriptFile {
  readonly source: Source;
  /** `#SBATCH` lines, by their long names. */
  readonly directives: Settings;
  /** Directives behind the first command, which sbatch no longer reads. */
  readonly late: readonly Span[];
  /** Words of directives that belong to no option. */
  readonly strays: readonly Span[];
  /** Directives that a later one replaces. */
  readonly replaced: readonly Replaced[];
  readonly written: ReadonlyMap<string, WrittenText>;
  readonly repeated: ReadonlyMap<string, Text>;
  readonly commands: readonly ShellCommand[];
  /** What the shell would do itself and nothing here follows. */
  readonly skipped: readonly Skipped[];
  /** Of the command of a manifest's containers, the pods that run it. */
  readonly pods: Pods | null;
}

/** How many pods run a command, and GPUs of each; `null` where the manifest does not say. */
export interface Pods {
  readonly nodes: number | null;
  readonly perNode: number | null;
  /** Those that run this very command. */
  readonly alike?: number | null;
}

export type LauncherKind = "torchrun" | "deepspeed" | "accelerate" | "mpirun" | "python" | "other";

/** One command that starts training, taken apart. */
export interface Run {
  readonly script: ScriptFile;
  readonly command: ShellCommand;
  /** The Slurm step around it, with its own options. */
  readonly step: { readonly settings: Settings; readonly span: Span } | null;
  /** A container around it; its image where one is made from it. */
  readonly docker: { readonly settings: Settings; readonly span: Span; readonly image: ShellWord | null } | null;
  readonly launcher: {
    readonly kind: LauncherKind;
    readonly settings: Settings;
    readonly word: ShellWord;
    /** A word of its command line that nobody knows. */
    readonly open: ShellWord | null;
  };
  readonly program: ShellWord | null;
  readonly args: readonly ShellWord[];
  /** The program's arguments as names and values. */
  readonly options: Settings;
  /** An argument that isn't known may be any option. */
  readonly open: boolean;
}

/** What the command line of `cdrc check` says besides. */
export interface Supplied {
  readonly world: number | null;
  readonly gpusPerNode: number | null;
  readonly gpu: string | null;
  /** Releases of engines, by their names. */
  readonly engines?: ReadonlyMap<string, string>;
}

/** All files of one launch. */
export interface Launch {
  readonly documents: readonly Document[];
  readonly listings: readonly Listing[];
  readonly scripts: readonly ScriptFile[];
  readonly runs: readonly Run[];
  readonly supplied: Supplied;
  /** Options of the transformers Trainer, from files and command lines; `null` where nothing speaks of it. */
  readonly trainer: Settings | null;
  /** Options of accelerate, from its file and its command. */
  readonly accelerate: Settings | null;
  /** Settings that are neither, such as the program's own. */
  readonly world: World;
  /** As the programs that run see it. */
  readonly beside: Beside;
  /** As whoever submits the job sees it. */
  readonly submitted: Beside;
}

/** Ranks of the launch as far as files say, with what says so. */
export interface World {
  readonly size: number | null;
  readonly nodes: number | null;
  readonly perNode: number | null;
  readonly said: readonly Told[];
  /** One rank, since nothing here says that there are others. */
  readonly isAssumed?: boolean;
}

export function documentsOf(launch: Launch, kind: DocumentKind): readonly Document[] {
  return launch.documents.filter((document) => document.kind === kind);
}
