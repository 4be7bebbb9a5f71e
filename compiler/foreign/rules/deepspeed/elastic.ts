/** Elastic training by DeepSpeed's launcher, which 0.19.8 no longer has. */
import { below } from "../../../engines/release.ts";
import { packagesOf } from "../../known/packages.ts";
import { numberIn, toldIn, type Settings } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const options = ["elastic_training", "min_elastic_nodes", "max_elastic_nodes"];
const gone = "0.19.8";
/** What a number of nodes is until somebody says one. */
const unsaid = -1;

const start = (more: string): string => `deepspeed --hostfile hosts --elastic_training ${more} train.py\n`;

export const deepspeedElasticRules: readonly ForeignRule[] = [
  rule({
    name: "deepspeed-elastic-launch",
    source: "deepspeed/launcher/runner.py: main; launcher/launch.py: main (until 0.19.7)",
    why: "Elastic nodes meet at the address of a node that stays, number at least one, and assign ranks themselves. The launcher asserts all three; from 0.19.8 on it has no elastic training, and refuses the options as unknown.",
    fix: "Give --master_addr, node bounds of at least 1, and no --no_local_rank; or start the ranks with torchrun --nnodes=MIN:MAX --max-restarts=N.",
    check: (launch) =>
      launch.runs
        .filter(({ launcher }) => launcher.kind === "deepspeed")
        .flatMap(({ launcher: { settings } }): readonly Found[] => {
          const own = packagesOf(launch).get("deepspeed");
          if (own?.version == null || below(own.version, gone)) return faults(settings);
          return options.flatMap((name) => {
            const told = settings.get(name);
            return told === undefined
              ? []
              : [
                  {
                    span: told.nameSpan,
                    message: `DeepSpeed ${own.version} has no ${told.name}`,
                    ...nearby("the release", own.span),
                  },
                ];
          });
        }),
    fires: { hosts: "node1 slots=8\nnode2 slots=8\n", "run.sh": start("") },
    silent: { hosts: "node1 slots=8\nnode2 slots=8\n", "run.sh": start("--master_addr node1") },
  }),
];

function faults(settings: Settings): readonly Found[] {
  const elastic = toldIn(settings, "elastic_training");
  if (elastic === undefined || elastic.value === false) return [];
  const found: Found[] = [];
  if (!settings.has("master_addr"))
    found.push({ span: elastic.nameSpan, message: `${elastic.name} needs --master_addr` });
  const alone = toldIn(settings, "no_local_rank");
  if (alone !== undefined)
    found.push({
      span: alone.nameSpan,
      message: `${alone.name} cannot be combined with ${elastic.name}`,
      ...nearby("elastic training", elastic.nameSpan),
    });
  for (const name of ["min_elastic_nodes", "max_elastic_nodes"]) {
    const [told, count] = [toldIn(settings, name), numberIn(settings, name)];
    if (told !== undefined && count !== null && count < 1 && count !== unsaid)
      found.push({ span: told.span, message: `${told.name} ${count} is not above 0` });
  }
  return found;
}
