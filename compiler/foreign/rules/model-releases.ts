/** Models that came with a later release of transformers than the one that a list of packages names. */
import { below } from "../../engines/release.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, entryOf, scalarOf } from "../documents/located.ts";
import { modelTypeNamed, modelTypesSince } from "../known/model-types.ts";
import { packagesOf, type Package } from "../known/packages.ts";
import { saidIn } from "../said.ts";
import { toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

type Release = Package & { readonly version: string };

function installed(launch: Launch): Release | null {
  const own = packagesOf(launch).get("transformers");
  return own?.version == null ? null : { ...own, version: own.version };
}

/** The model by the name of its published weights, where nobody hands another configuration in. */
function named(launch: Launch): Told | undefined {
  const told = toldIn(saidIn(launch), "model_name_or_path", "base_model", "model_id", "model_name");
  return told?.known === true && typeof told.value === "string" ? told : undefined;
}

/** With code of its own a model asks nothing of the release. */
const bringsCode = (launch: Launch): boolean =>
  documentsOf(launch, "model").some(({ root }) => entryOf(root, "auto_map") !== undefined);

/** Scaling that an earlier release takes for a mistake: before, `rope_scaling` was `type` and `factor` and no more. */
const scaled = "4.43";
const scaledNames = /(?:^|\/)(?:meta-)?llama-3\.[123]-\d/i;

const wants = (release: Release, since: string, what: string, span: Told["span"]): readonly Found[] =>
  below(release.version, since)
    ? [
        {
          span,
          message: `transformers ${release.version} does not support ${what}, which came with ${since}`,
          valid: [`transformers>=${since}`],
          ...nearby("the release", release.span),
        },
      ]
    : [];

const train = (model: string): string =>
  `torchrun --nproc_per_node 8 train.py --model_name_or_path ${model} --output_dir out --per_device_train_batch_size 1\n`;

export const modelReleaseRules: readonly ForeignRule[] = [
  rule({
    name: "model-type-release",
    source: "transformers/models/auto/configuration_auto.py: AutoConfig.from_pretrained (CONFIG_MAPPING)",
    why: "A model is loaded by its `model_type`, and each release of transformers has classes for certain types. For any other it stops with `The checkpoint you are trying to load has model type … but Transformers does not recognize this architecture`.",
    fix: "Install the release that the message names, or a later one.",
    check: (launch) => {
      const release = installed(launch);
      if (release === null || bringsCode(launch)) return [];
      const files = documentsOf(launch, "model").flatMap(({ root }) => {
        const node = at(root, "model_type");
        const since = modelTypesSince.get(String(scalarOf(node)));
        return node === undefined || since === undefined
          ? []
          : wants(release, since, `the model type ${String(scalarOf(node))}`, node.span);
      });
      const told = named(launch);
      const type = told === undefined ? null : modelTypeNamed(String(told.value));
      const since = type === null ? undefined : modelTypesSince.get(type);
      if (files.length > 0 || told === undefined || since === undefined) return files;
      return wants(release, since, `${String(told.value)} (${String(type)})`, told.span);
    },
    fires: { "run.sh": train("Qwen/Qwen3-8B"), "requirements.txt": "transformers==4.50.3\n" },
    silent: { "run.sh": train("Qwen/Qwen3-8B"), "requirements.txt": "transformers==4.51.3\n" },
  }),
  rule({
    name: "rope-scaling-release",
    source: "transformers/models/llama/configuration_llama.py: _rope_scaling_validation (before 4.43)",
    why: "Before 4.43 `rope_scaling` is a dictionary with only `type` and `factor`: the five values of Llama 3.1 and later are refused when the configuration is read, ``` `rope_scaling` must be a dictionary with two fields ```.",
    fix: "Install transformers 4.43 or later.",
    check: (launch) => {
      const release = installed(launch);
      if (release === null || bringsCode(launch)) return [];
      const files = documentsOf(launch, "model").flatMap(({ root }) => {
        const node = at(root, "rope_scaling", "rope_type");
        return node !== undefined && scalarOf(node) === "llama3" && scalarOf(at(root, "model_type")) === "llama"
          ? wants(release, scaled, "the scaling llama3", node.span)
          : [];
      });
      const told = named(launch);
      if (files.length > 0 || told === undefined || !scaledNames.test(String(told.value))) return files;
      return modelTypeNamed(String(told.value)) === null
        ? wants(release, scaled, `the scaling of ${String(told.value)}`, told.span)
        : [];
    },
    fires: { "run.sh": train("meta-llama/Llama-3.1-8B"), "requirements.txt": "transformers==4.42.4\n" },
    silent: { "run.sh": train("meta-llama/Llama-3.1-8B"), "requirements.txt": "transformers==4.43.0\n" },
  }),
];
