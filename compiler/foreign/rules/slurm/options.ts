/** Options of sbatch and srun, by the grammar of Slurm's own parsers. */
import { distance } from "fastest-levenshtein";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { sbatchSettings } from "../../slurm/directives.ts";
import type { Launch } from "../../launch.ts";
import { ofSteps, sbatchFlags, sbatchOptions, sbatchValued, startingWith } from "../../slurm/options.ts";
import { bare, type Settings, type Told } from "../../settings.ts";
import { slurmGrammar } from "../../slurm/grammar.ts";
import type { ShellWord } from "../../shell/state.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { inTable } from "../../../../dsl/in-table.ts";

const head = "#!/bin/bash\n#SBATCH --nodes=2\n";
const run = "srun python train.py\n";

const dashed = (key: string): string => `--${key.replaceAll("_", "-")}`;

/** Options that sites' plugins and pyxis add up, and those that say nothing of the job. */
const gathered: ReadonlySet<string> = new Set(["container_mounts", "container_env", "comment", "verbose", "quiet"]);

/** A text of a template, which something fills in before Slurm sees it. */
const isTemplate = (text: string): boolean => /\{\{|\{%|<%|@@|^<.*>$|^\{\w+\}$|%\(\w+\)s/.test(text);

/** Directives, steps, and sbatch and salloc on a command line. */
function asked(launch: Launch): readonly { readonly settings: Settings; readonly program: string }[] {
  const seen = new Set<Settings>();
  const steps = launch.runs.flatMap(({ step }) => (step === null ? [] : [step.settings]));
  const submitted = launch.scripts.flatMap(({ commands }) =>
    commands
      .filter(({ words }) => /^(?:sbatch|salloc)$/.test(words[0]?.text ?? ""))
      .map(({ words }) => sbatchSettings(words.slice(1))),
  );
  return [
    ...launch.scripts.map(({ directives }) => ({ settings: directives, program: "sbatch" })),
    ...steps.map((settings) => ({ settings, program: "srun" })),
    ...submitted.map((settings) => ({ settings, program: "sbatch" })),
  ].filter(({ settings }) => !seen.has(settings) && seen.add(settings));
}

function refusedValue(key: string, told: Told, program: string): readonly Found[] {
  const grammar = slurmGrammar.get(key);
  if (!told.known || typeof told.value === "boolean") return [];
  const text = String(told.value);
  if (isTemplate(text) || grammar === undefined || grammar.takes(text)) return [];
  const expands = /\$\{?\w/.test(text) ? ": variables are not expanded here" : "";
  const meant = grammar.meant?.(text) ?? null;
  const { source, start, end } = told.span;
  const at = source.text.slice(start, end).lastIndexOf(text);
  const span = at < 0 || text === "" ? told.span : { source, start: start + at, end: start + at + text.length };
  return [
    {
      span,
      message: `${program} refuses ${told.name}${text === "" ? " without a value" : ` ${text}`}: it takes ${grammar.wanted}${expands}`,
      valid: grammar.valid,
      ...(meant === null || at < 0 ? {} : { fixes: [replacement(span, meant)] }),
    },
  ];
}

export const slurmOptionRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-value",
    source: "sbatch(1), srun(1); slurm/src/common: slurm_opt.c, parse_time.c, gres.c",
    why: "Slurm has its own grammar for each option, and refuses the whole job if one value does not fit: `24h`, `64Gi` and variables do not work in a directive.",
    fix: "Write the value in one of the forms that Slurm accepts.",
    check: (launch) => [
      ...asked(launch).flatMap(({ settings, program }) =>
        [...settings].flatMap(([key, told]) => refusedValue(key, told, program)),
      ),
      ...launch.scripts.flatMap(({ replaced }) =>
        replaced.flatMap(({ key, told }) => refusedValue(key, told, "sbatch")),
      ),
    ],
    fires: { "job.sbatch": `${head}#SBATCH --time=24h\n${run}` },
    silent: { "job.sbatch": `${head}#SBATCH --time=24:00:00\n${run}` },
  }),
  rule({
    name: "slurm-repeated",
    severity: "warning",
    source: "sbatch(1); slurm/src/sbatch/opt.c: _opt_batch_script",
    why: "sbatch reads its directives from first to last, and each replaces an earlier one of the same name, which has no effect.",
    fix: "Keep one of the two lines.",
    check: ({ scripts }) =>
      scripts.flatMap(({ directives, replaced }) =>
        replaced.flatMap(({ key, told }): readonly Found[] => {
          const last = directives.get(key);
          return last === undefined || last.value === told.value || gathered.has(key)
            ? []
            : [
                {
                  span: told.span,
                  message: `${dashed(key)} is given here and again below: ${last.value === true ? "the last" : String(last.value)} counts`,
                  ...nearby("this one counts", last.span),
                },
              ];
        }),
      ),
    fires: { "job.sbatch": `${head}#SBATCH --nodes=4\n${run}` },
    silent: { "job.sbatch": `${head}#SBATCH --nodes=2\n${run}` },
  }),
  rule({
    name: "slurm-argument",
    source: "sbatch(1); getopt_long(3): required_argument, no_argument",
    why: "An option that takes a value needs one, and a switch takes none: `--requeue=1` stops sbatch, as `--nodes` without a value does. A word in a directive that belongs to no option, such as a part after a space, stops it too.",
    fix: "Give the option its value after `=`, without spaces; write a switch without a value.",
    check: ({ scripts }) =>
      scripts.flatMap(({ directives, strays }): readonly Found[] => [
        ...[...directives].flatMap(([key, told]): readonly Found[] => {
          if (told.value === true && sbatchValued.has(key))
            return [{ span: told.nameSpan, message: `${told.name} needs a value` }];
          if (typeof told.value !== "string" || !sbatchFlags.has(key) || isTemplate(told.value)) return [];
          const fixes = [replacement(told.nameSpan, told.name)];
          return [{ span: told.nameSpan, message: `${told.name} is a switch and takes no value`, fixes }];
        }),
        ...strays.map((span) => ({
          span,
          message: `\`${span.source.text.slice(span.start, span.end)}\` belongs to no option: sbatch refuses the script`,
        })),
      ]),
    fires: { "job.sbatch": `${head}#SBATCH --requeue=1\n#SBATCH --mem=64 G\n${run}` },
    silent: { "job.sbatch": `${head}#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --mem=64G # all\n${run}` },
  }),
  rule({
    name: "slurm-option",
    source: "sbatch(1); getopt_long(3): names may be shortened as long as one option alone begins with them",
    why: "sbatch stops with `unrecognized option`, or says that an abbreviated name is ambiguous. sbatch does not have options of srun such as `--cpu-bind`.",
    fix: "Write the option's name as sbatch spells it.",
    check: ({ scripts }) => [
      ...scripts.flatMap(({ commands }) => commands.flatMap(({ words }) => behindExport(words))),
      ...scripts.flatMap(({ directives }) =>
        [...directives].flatMap(([key, told]): readonly Found[] => {
          const written = told.name.replace(/^--/, "");
          // A plugin of the site may bring options of its own: only what looks like one of sbatch's is taken for it.
          if (!told.name.startsWith("--") || isTemplate(written) || written.startsWith("container-")) return [];
          const isPlain = !written.includes("_");
          if (sbatchOptions.has(key) && isPlain) return [];
          const { source, start } = told.nameSpan;
          const span = { source, start, end: start + told.name.length };
          const hits = startingWith(bare(written)).map(dashed);
          if (hits.length > 1 && isPlain)
            return [
              {
                span,
                message: `${told.name} is ambiguous: it matches ${hits.length} options`,
                valid: hits.toSorted(),
              },
            ];
          if (ofSteps.has(key))
            return [{ span, message: `${told.name} is an option of srun, which sbatch does not have` }];
          const meant =
            inTable(others, key) ??
            (sbatchOptions.has(key) ? dashed(key) : nearest(told.name, [...sbatchOptions].map(dashed)));
          if (meant === null || !isSlip(written, meant)) return [];
          return [
            {
              span,
              message: `sbatch has no option ${told.name}; did you mean ${meant}?`,
              valid: [meant],
              fixes: [replacement(span, meant)],
            },
          ];
        }),
      ),
    ],
    fires: { "job.sbatch": `#!/bin/bash\n#SBATCH --nnodes=2\n${run}` },
    silent: { "job.sbatch": `#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --container-image=./a.sqsh\n${run}` },
  }),
];

/** What other schedulers, and common sense, call options of sbatch. */
const others: Readonly<Record<string, string>> = {
  walltime: "--time",
  time_limit: "--time",
  memory: "--mem",
  name: "--job-name",
  jobname: "--job-name",
  queue: "--partition",
  nnodes: "--nodes",
  num_nodes: "--nodes",
  ntask: "--ntasks",
  stdout: "--output",
  stderr: "--error",
  log: "--output",
  workdir: "--chdir",
  email: "--mail-user",
};

/** A few letters apart, or known to be said so: another name may be one of a plugin. */
function isSlip(written: string, meant: string): boolean {
  return others[bare(written)] === meant || distance(bare(written), bare(meant)) <= 2;
}

/** `sbatch --export=ALL,A=1 --B=2 job.sh`: variables that a blank divides are options, and those of sbatch hold no `_`. */
function behindExport(words: readonly ShellWord[]): readonly Found[] {
  if (!/^(?:.*\/)?(?:sbatch|srun)$/.test(words[0]?.text ?? "")) return [];
  return words.flatMap((word, at): readonly Found[] => {
    const name = /^--?(\w*_\w*)=/.exec(word.text ?? "")?.[1];
    if (name === undefined || words[at - 1]?.text?.startsWith("--export=") !== true || sbatchOptions.has(name))
      return [];
    return [
      {
        span: word.span,
        message: `${words[0]?.text} has no option --${name}: variables after --export are separated by commas, without spaces or dashes`,
      },
    ];
  });
}
