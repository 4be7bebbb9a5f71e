import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { filesUnreadable } from "../../diagnostics/data.ts";
import { textsOf, textOf, valued } from "./read.ts";

/** Endings of files that hold no text; `trainer/cdr_trainer/reading.py` reads text, compressed or not, rows and tables. */
const binary =
  /\.(pkl|pickle|joblib|pt|pth|ckpt|safetensors|npy|npz|h5|hdf5|arrow|docx?|xlsx?|pptx?|pdf|epub|zip|7z|rar|tar|tar\.\w+|tgz|tbz2|txz|lz4|sqlite|db|png|jpe?g|mp3|mp4|wav)$/i;

/** A file or a glob on this machine whose name says that no text can be read from it. */
export function checkFiles(block: Instance, report: (diagnostic: Diagnostic) => void): void {
  const says = [block, ...[...block.blocks.values()].filter(({ kind }) => kind.name === "source")];
  if (valued(block, "format").value.kind !== "auto") return;
  for (const each of says) {
    const { value, span } = valued(each, "from");
    const written = value.kind === "list" ? textsOf(value) : [textOf(value) ?? ""];
    const found = written.find((text) => binary.test(text) && !text.includes("://"));
    const ending = found === undefined ? undefined : binary.exec(found)?.[0];
    if (ending !== undefined) report(filesUnreadable(span, { ending }));
  }
}
