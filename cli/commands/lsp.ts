/** `cdrc lsp`: the language server, on standard input and output. */
import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { createConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import { registry } from "../../compiler/kinds/index.ts";
import { trainingLanguage } from "../../compiler/lsp/index.ts";
import { serve } from "../../dsl/lsp/server.ts";
import { machine } from "../front.ts";
import { changesSinceRun } from "../lsp/changes.ts";
import { collector } from "../lsp/collect.ts";
import { nodeFiles } from "../lsp/node-files.ts";
import { version } from "../version.ts";

export function lspCommand(): Command {
  return new Command("lsp")
    .summary("start the language server on stdin and stdout")
    .option("--stdio", "accepted for editors that pass it; stdio is always used")
    .option("--foreign", "serve scripts, DeepSpeed JSON, YAML and manifests instead of .cdr files")
    .option("--gpu <name>", "with --foreign: GPU model of the launches: h100, a100, …")
    .action(async ({ foreign, gpu }: { readonly foreign?: true; readonly gpu?: string }) => {
      // A server that waits most of the time need not hold what a busy one would: the heap grows by a third of what lives in
      // it, not by several times that.
      setFlagsFromString("--heap-growing-percent=30");
      const reader = new StreamMessageReader(process.stdin);
      const connection = createConnection(reader, new StreamMessageWriter(process.stdout));
      // An editor that dies says nothing: the protocol knows that as an exit without `shutdown`.
      let isOver = false;
      const over = (): void => {
        isOver = true;
      };
      process.stdin.on("end", () => process.exit(isOver ? 0 : 1));
      if (foreign === true) {
        connection.onShutdown(over);
        const [{ serveForeign }, { diskBeside }] = await Promise.all([
          import("../../compiler/lsp/foreign/server.ts"),
          import("../foreign.ts"),
        ]);
        serveForeign(
          connection,
          { name: "cdrc", version, gpu: gpu ?? null },
          diskBeside(() => undefined),
        );
        return;
      }
      const { heard, behind } = collector();
      const language = trainingLanguage(version, machine, changesSinceRun);
      const { analyze } = language;
      serve(
        connection,
        { ...language, analyze: (...asked) => behind(() => analyze(...asked)) },
        nodeFiles(registry.std, version),
        over,
      );
      process.stdin.on("data", heard);
    });
}
