/** What Slurm's own parsers take for the values of options. Held against the real sbatch by a test. */
import { slurmTimeOf } from "./time.ts";

export interface Grammar {
  readonly takes: (text: string) => boolean;
  /** What is taken, in words. */
  readonly wanted: string;
  readonly valid: readonly string[];
  /** What was most likely meant. */
  readonly meant?: (text: string) => string | null;
}

const matches =
  (pattern: RegExp): Grammar["takes"] =>
  (text) =>
    pattern.test(text);

const time: Grammar = {
  takes: matches(/^(?:\d+|\d+:\d+|\d+:\d+:\d+|\d+-\d*(?::\d+){0,2}|-1|infinite|unlimited)$/i),
  wanted: "minutes, or hours, minutes and seconds separated by colons",
  valid: ["MINUTES", "MINUTES:SECONDS", "HOURS:MINUTES:SECONDS", "DAYS-HOURS", "DAYS-HOURS:MINUTES:SECONDS"],
  meant: slurmTimeOf,
};

const memory: Grammar = {
  takes: matches(/^\d+(?:[KMGT]B?)?$/i),
  wanted: "a whole number followed by K, M, G or T (megabytes without a letter)",
  valid: ["512M", "64G", "1T", "0"],
  meant: (text) => {
    const [, number, unit] = /^(\d+(?:\.\d+)?) ?([KMGT])(?:i?B?|B)$/i.exec(text) ?? [];
    if (number === undefined || unit === undefined) return null;
    return number.includes(".") ? finer(Number(number), unit.toUpperCase()) : `${number}${unit.toUpperCase()}`;
  },
};

function finer(number: number, unit: string): string | null {
  const smaller = { T: "G", G: "M", M: "K" }[unit];
  return smaller === undefined ? null : `${Math.round(number * 1024)}${smaller}`;
}

const range = String.raw`\d+(?:-\d+(?::\d+)?)?`;
const nodes: Grammar = {
  takes: (text) => {
    const [, least, most] = /^(\d+)[km]?-(\d+)[km]?$/i.exec(text) ?? [];
    if (least !== undefined && Number(most) < Number(least) && !/[km]/i.test(text)) return false;
    return (
      /^-?\d+[km]?$/i.test(text) || least !== undefined || new RegExp(String.raw`^${range}(?:,${range})*$`).test(text)
    );
  },
  wanted: "a number of nodes, or the smallest and the largest",
  valid: ["N", "MIN-MAX"],
};

const positive: Grammar = { takes: matches(/^\+?0*[1-9]\d*$/), wanted: "a whole number of at least 1", valid: ["N"] };

const number: Grammar = { takes: matches(/^\d+$/), wanted: "a whole number", valid: ["N"] };

/** A count with K, M, … behind it; a type may begin with a digit, as `1g.5gb`, only where a count follows. */
const count = String.raw`\d+[kmgtp]?`;
const kind = String.raw`[^:,\s]+`;
const word = String.raw`[^:,\s\d][^:,\s]*`;

const gres: Grammar = {
  takes: (text) =>
    /^none$/i.test(text) ||
    text
      .split(",")
      .every((each) =>
        new RegExp(
          String.raw`^(?:gres[:/])?(?:${named})(?::(?:${count}|${word}|${kind}:${count}))?(?:\(.*\))?$`,
          "i",
        ).test(each),
      ),
  wanted: "names separated by commas, each followed by a type and a count",
  valid: ["gpu:N", "gpu:TYPE:N"],
  meant: (text) => {
    const turned = /^gpus?:(\d+):([A-Za-z]\w*)$/.exec(text);
    if (turned !== null) return `gpu:${turned[2]}:${turned[1]}`;
    const alone = /^(?:gpus?=)?(\d+)$/.exec(text);
    return alone === null ? null : `gpu:${alone[1]}`;
  },
};
const named = String.raw`[A-Za-z_][^:,=\s]*`;

const gpus: Grammar = {
  takes: (text) =>
    text.split(",").every((each) => new RegExp(`^(?:${count}|${word}|${kind}:${count})$`, "i").test(each)),
  wanted: "a number of GPUs, or a type and a number",
  valid: ["N", "TYPE:N"],
  meant: (text) => /^gpus?:((?:[^:]+:)?\d+)$/.exec(text)?.[1] ?? null,
};

const signals = "HUP INT QUIT ABRT KILL ALRM TERM USR1 USR2 URG CONT STOP TSTP TTIN TTOU XCPU".split(" ");

const signal: Grammar = {
  takes: (text) => {
    const [, name, lead] = /^(?:[RB]{1,2}:)?(\w+)(?:@(\d*))?$/i.exec(text) ?? [];
    if (name === undefined || Number(lead ?? 0) > 65_535) return false;
    return /^\d+$/.test(name) ? Number(name) > 0 : signals.includes(name.toUpperCase().replace(/^SIG/, ""));
  },
  wanted: "a signal, seconds after @ (at most 65535), and B: before it for the batch script only",
  valid: ["B:USR1@300", "USR1@300"],
  meant: (text) => {
    const [, head, lead, unit] = /^((?:[RB]{1,2}:)?\w+)[@:](\d+)(s|m|min)?$/i.exec(text) ?? [];
    if (head === undefined || lead === undefined) return null;
    const seconds = Number(lead) * (/^m/i.test(unit ?? "") ? 60 : 1);
    const meant = `${head}@${seconds}`;
    return signal.takes(meant) ? meant : null;
  },
};

const array: Grammar = {
  takes: (text) =>
    text
      .replace(/^\[(.*)\]$/, "$1")
      .replace(/%.*$/, "")
      .split(",")
      .every((each) => {
        const [, from, to, step] = /^(\d+)(?:-(\d*)(?::(\d+))?)?$/.exec(each) ?? [];
        if (from === undefined) return false;
        return (to ?? "") === "" || (Number(to) >= Number(from) && step !== "0");
      }),
  wanted: "numbers and ranges separated by commas, then %N for the maximum at a time",
  valid: ["0-9", "0-15:4", "1,3,5", "0-99%8"],
  meant: (text) => {
    const [, from, to, rest] = /^(\d+)(?:\.\.|:)(\d+)(%\d+)?$/.exec(text) ?? [];
    return from === undefined ? null : `${from}-${to}${rest ?? ""}`;
  },
};

const mails = [
  ...["NONE", "BEGIN", "END", "FAIL", "REQUEUE", "ALL", "INVALID_DEPEND", "STAGE_OUT", "ARRAY_TASKS"],
  ...["TIME_LIMIT", "TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50"],
];

/** Words of which each may stand in the value, between commas. */
function words(valid: readonly string[]): Grammar {
  const known = new Set(valid);
  return {
    takes: (text) => text.split(",").every((each) => each === "" || known.has(each.toUpperCase())),
    wanted: "words from its list, separated by commas",
    valid,
  };
}

const oneOf = (pattern: RegExp, valid: readonly string[]): Grammar => ({
  takes: matches(pattern),
  wanted: "one of its words",
  valid,
});

const modes: Grammar = oneOf(/^[at]/i, ["append", "truncate"]);
const sharing: Grammar = oneOf(/^(?:none|oversubscribe|user|mcs|topo)$/i, ["user", "mcs", "topo"]);
const yesOrNo: Grammar = oneOf(/^(?:yes|no)$/i, ["yes", "no"]);

const dependencies = "after afterany afterburstbuffer afternotok afterok aftercorr".split(" ");
const dependency: Grammar = {
  takes: (text) =>
    text
      .split(/[,?]/)
      .every((each) => each === "singleton" || dependencies.some((name) => each.startsWith(`${name}:`))),
  wanted: "a kind of dependency and job ids",
  valid: ["singleton", ...dependencies.map((name) => `${name}:JOB`)],
};

const clock = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:[ap]m?)?`;
const month = String.raw`(?:0?[1-9]|1[0-2])`;
const day = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
const date = String.raw`(?:\d{4}-${month}-${day}|${month}[/.]${day}(?:[/.]\d{2})?|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{2})?)`;
const moment: Grammar = {
  takes: matches(
    new RegExp(
      String.raw`^(?:now(?:[+-]\d+\s*(?:s(?:econds?)?|m(?:inutes?)?|h(?:ours?)?|d(?:ays?)?|w(?:eeks?)?)?)?|(?:today|tomorrow|midnight|noon|elevenses|fika|teatime|${date}|${clock})(?:[T\s]+(?:today|tomorrow|${date}|${clock}))?)$`,
      "i",
    ),
  ),
  wanted: "a time of day, a date, or now followed by a number and a unit",
  valid: ["now+1hour", "16:00", "tomorrow", "YYYY-MM-DDTHH:MM:SS"],
};

const hints = ["compute_bound", "memory_bound", "multithread", "nomultithread"];
const hint: Grammar = {
  takes: (text) => text.split(",").every((each) => hints.includes(each.toLowerCase())),
  wanted: "words from its list, separated by commas",
  valid: hints,
};

const distribution: Grammar = {
  takes: matches(
    /^(?:plane=\d+|arbitrary|(?:\*|block|cyclic)(?::(?:\*|block|cyclic|fcyclic)){0,2}(?:,(?:no)?pack)?|(?:no)?pack)$/i,
  ),
  wanted: "how tasks are distributed to nodes, sockets and cores, separated by colons",
  valid: ["block", "cyclic", "block:cyclic", "plane=SIZE", "arbitrary"],
};

const gpuBind: Grammar = {
  takes: matches(/^(?:verbose,)?(?:clos.*|none|(?:map_gpu|mask_gpu|single|per_task):.+)$/i),
  wanted: "closest, none, single:N, per_task:N, map_gpu:LIST or mask_gpu:LIST",
  valid: ["closest", "none", "single:N", "per_task:N", "map_gpu:LIST", "mask_gpu:LIST"],
};

const all = (names: string, grammar: Grammar): readonly (readonly [string, Grammar])[] =>
  names.split(" ").map((name) => [name, grammar]);

/** By the long name of the option, with `_`. What is not here has no grammar that is known, or takes any text. */
export const slurmGrammar: ReadonlyMap<string, Grammar> = new Map([
  ...all("time time_min", time),
  ...all("mem mem_per_cpu mem_per_gpu tmp", memory),
  ...all("nodes", nodes),
  ...all("ntasks ntasks_per_node tasks_per_node ntasks_per_core ntasks_per_socket ntasks_per_gpu", positive),
  ...all(
    "cpus_per_task cpus_per_gpu mincpus cores_per_socket sockets_per_node threads_per_core thread_spec",
    positive,
  ),
  ...all("core_spec", number),
  ...all("gres", gres),
  ...all("gpus gpus_per_node gpus_per_task gpus_per_socket", gpus),
  ...all("signal", signal),
  ...all("array", array),
  ...all("mail_type", words(mails)),
  ...all("open_mode", modes),
  ...all("exclusive", sharing),
  ...all("kill_on_invalid_dep", yesOrNo),
  ...all("dependency", dependency),
  ...all("begin deadline", moment),
  ...all("hint", hint),
  ...all("distribution", distribution),
  ...all("gpu_bind", gpuBind),
]);
