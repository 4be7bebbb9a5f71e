/** Programs whose defaults are known, by what they are told. */
import { documentsOf, type Launch } from "../../foreign/launch.ts";
import type { Settings } from "../../foreign/settings.ts";

export const isLlamaFactory = (launch: Launch, settings: Settings): boolean =>
  documentsOf(launch, "llama-factory").length > 0 || settings.has("finetuning_type");
