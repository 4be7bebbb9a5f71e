/** `raw deepspeed`: what has no word in the language, in the engine's own. */
import type { Document } from "../../document.ts";
import { block, property, type Block, type Member } from "../draft.ts";
import { document, keyed } from "../literals.ts";
import { isSecretName, isSecretText } from "../secrets.ts";
import { isSection, nested, type Section } from "./deepspeed-document.ts";

export function rawDeepSpeed(found: ReadonlyMap<string, Document>): readonly Block[] {
  const config = nested(found);
  return Object.keys(config).length === 0 ? [] : [block("raw deepspeed", members(config))];
}

function members(section: Section): readonly Member[] {
  return Object.entries(section).map(([key, value]): Member => {
    if (isSection(value) && Object.keys(value).length > 0 && /^[A-Za-z_]\w*$/.test(key)) return block(key, members(value));
    const isSecret = typeof value === "string" && (isSecretName(key) || isSecretText(value));
    return property(keyed(key), isSecret ? '""' : document(value));
  });
}
