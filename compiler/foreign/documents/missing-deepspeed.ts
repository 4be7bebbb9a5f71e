import { documentsOf, type Launch } from "../launch.ts";
import { given } from "../said.ts";
import type { Told } from "../settings.ts";

const names = ["deepspeed", "deepspeed_config", "deepspeed_config_file"];

/** The DeepSpeed configuration that something names and that is not among the files: its stage, batch and precision are unknown. */
export function missingDeepSpeed(launch: Launch): Told | null {
  if (documentsOf(launch, "deepspeed").length > 0) return null;
  const settings = [
    ...(launch.trainer === null ? [] : [launch.trainer]),
    ...(launch.accelerate === null ? [] : [launch.accelerate]),
    ...launch.runs.flatMap(({ options, launcher }) => [options, launcher.settings]),
  ];
  for (const each of settings)
    for (const name of names) {
      const told = given(each, name);
      // accelerate writes its own section under the same name.
      if (typeof told?.value === "string" && /\.(?:json|ya?ml)$/.test(told.value)) return told;
    }
  return null;
}
