/** `cdrc schema [FILE]`. */
import { Command } from "commander";
import { registry } from "../../compiler/kinds/index.ts";
import { documentOf } from "../../compiler/reference/document.ts";
import { schemaOf } from "../../compiler/reference/schema.ts";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { showDiagnostics } from "../report-diagnostics.ts";
import { withTriedFixes } from "../tried.ts";

export function schemaCommand(): Command {
  const command = new Command("schema")
    .summary("print a file as JSON, or the JSON Schema of .cdr")
    .argument("[file]", ".cdr file (default: print the schema)");
  return frontOptions(command).action((file: string | undefined, flags: FrontFlags) => {
    if (file === undefined) return void print(schemaOf(registry));
    const compiled = compileFile(file, flags);
    if ("misuse" in compiled) return misuse(compiled.misuse, false);
    showDiagnostics(withTriedFixes(compiled), "auto");
    if (errorsIn(compiled.diagnostics) > 0) process.exitCode = 1;
    else print(documentOf(compiled.program));
  });
}

function print(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
