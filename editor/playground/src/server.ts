/** Starts the worker that holds the language server, and Monaco's own client of it. */
import {
  MonacoLspClient,
  createTransportToWorker,
} from "../node_modules/monaco-editor/esm/external/monaco-lsp-client/out/index.js";
import program from "virtual:worker/worker";
import { startWorker } from "./start-worker.ts";
import { type Wire, wire } from "./wire.ts";

export function startServer(): Wire["request"] {
  const { client, request } = wire(startWorker(program));
  // It talks for as long as it is referred to by the providers that it registers.
  void new MonacoLspClient(createTransportToWorker(client));
  return request;
}
