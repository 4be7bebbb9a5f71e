import { isPromised } from "../../symbols/is-promised.ts";
import type { Scope } from "../scope.ts";

/** Whether a name is one that an import was to bring and did not: what is wrong with the import has been told. */
export const isLost = (name: string, { locals, module }: Pick<Scope, "locals" | "module">): boolean =>
  !locals.has(name) && !module.names.has(name) && isPromised(name, module.file);
