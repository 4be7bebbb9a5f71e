import { keysOfConfig } from "../../compiler/engines/deepspeed/sections.ts";
import { models, optimizers, schedulers } from "../../compiler/engines/deepspeed/table.ts";
import { judgeDeepSpeed, readDeepSpeed } from "../truth/deepspeed.ts";
import { walked, type Walk, type Walked } from "./walk.ts";

type Fields = Readonly<
  Record<string, { readonly type: string; readonly alias?: string; readonly model?: string; readonly keys?: Fields }>
>;
type Key = Omit<Fields[string], "keys"> & { readonly path: readonly string[] };

export async function walkDeepSpeed({ count, seed, builds }: Walk): Promise<readonly Walked[]> {
  const python = process.env["CDR_TEST_PYTHON"] ?? "python3";
  const table = {
    keys: keysIn(keysOfConfig as Fields, []),
    optimizers: Object.keys(optimizers),
    schedulers: Object.keys(schedulers),
  };
  const words = [String(seed), String(count), ...(builds ? ["--build"] : [])];
  return walked(python, "walk_deepspeed.py", words, JSON.stringify(table), (line) => {
    const { row, config } = readDeepSpeed(line);
    const { message, verdict } = row as unknown as { readonly message: string; readonly verdict: string };
    if (verdict === "late") {
      process.stderr.write(`${row.id}: ${message}\n`);
      return { id: row.id, engine: "late", said: message, ours: [], row };
    }
    const { codes, engine } = judgeDeepSpeed({ row, config });
    const ours = codes.map((code) => ({ code, message: "", isLater: false }));
    return { id: row.id, engine, said: message, ours, row };
  });
}

/** Every key of a configuration at its path. */
function keysIn(fields: Fields, above: readonly string[]): readonly Key[] {
  return Object.entries(fields).flatMap(([name, { keys, ...field }]): readonly Key[] => {
    const path = [...above, field.alias ?? name];
    const below =
      keys ?? (field.model === undefined ? undefined : (models as Readonly<Record<string, Fields>>)[field.model]);
    return [{ path, ...field }, ...(below === undefined ? [] : keysIn(below, path))];
  });
}
