/** The language server and the planner, in a worker: the functions of `cdrc lsp`, without a machine around them. */
import { BrowserMessageReader, BrowserMessageWriter, createConnection } from "vscode-languageserver/browser";
import version from "virtual:version";
import type { Compilation } from "../../../compiler/compile.ts";
import { registry } from "../../../compiler/kinds/index.ts";
import { analyzer } from "../../../compiler/lsp/analyze.ts";
import { trainingLanguage } from "../../../compiler/lsp/index.ts";
import { noFiles } from "../../../dsl/lsp/files.ts";
import { serve } from "../../../dsl/lsp/server.ts";
import { pathOf } from "../../../dsl/lsp/uri.ts";
import { unknown } from "../../../dsl/types/value.ts";
import { type PlanAnswer, type PlanParams, planRequest } from "./messages.ts";
import { standardUri } from "./standard-uri.ts";

/** What a file may ask of a machine by the name of `host`. */
const hostNames = new Set(["cores", "memory", "gpus", "gpu_memory"]);

const asked = new WeakMap<Compilation["program"], ReadonlySet<string>>();

const language = trainingLanguage(
  version,
  { environment: () => undefined, host: () => undefined },
  // Nothing ever ran here.
  () => null,
);
const inBrowser: typeof language = {
  ...language,
  // The lenses run things, and the page shows the plan anyway.
  features: language.features.filter(({ method }) => !/codeLens/i.test(method)),
  analyze: (source, read) => {
    const names = new Set<string>();
    const compilation = analyzer({
      environment: (name) => {
        names.add(`env("${name}")`);
        return undefined;
      },
      host: (name) => {
        if (!hostNames.has(name)) return undefined;
        names.add(`host.${name}`);
        return unknown;
      },
    })(source, read);
    asked.set(compilation.program, names);
    return compilation;
  },
};

const port = globalThis as unknown as ConstructorParameters<typeof BrowserMessageReader>[0];
const connection = createConnection(new BrowserMessageReader(port), new BrowserMessageWriter(port));
connection.onRequest(planRequest, ({ uri }: PlanParams): PlanAnswer | null => {
  const compilation = workspace.analysis(pathOf(uri));
  if (compilation === null) return null;
  const count = (severity: string) => compilation.diagnostics.filter((each) => each.severity === severity).length;
  return {
    stages: compilation.plan.stages.map(({ origins: _, ...stage }) => stage),
    errors: count("error"),
    warnings: count("warning"),
    unknown: [...(asked.get(compilation.program) ?? [])],
  };
});
const workspace = serve(connection, inBrowser, {
  ...noFiles,
  standardUri: (path) => (registry.std.names.includes(path) ? standardUri(path) : null),
});
