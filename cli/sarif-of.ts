/** Diagnostics for code scanning, with what the page of each code says of it. */
import { allDefinitions } from "../compiler/diagnostics/index.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { toSarif } from "../dsl/diagnostics/sarif.ts";
import { version } from "./version.ts";

export const sarifOf = (diagnostics: readonly Diagnostic[]): object => toSarif(diagnostics, version, allDefinitions);
