import { inTable } from "../../../dsl/in-table.ts";
/** Programs that hand text, or their words joined, to a shell. */
export interface Shelling {
  /** Words that must follow the program, of which one phrase. */
  readonly phrases?: readonly string[];
  /** Options that take a value. */
  readonly valued: string;
  /** Words before the command: the host. */
  readonly words?: number;
  /** Options whose value is the text. */
  readonly text?: readonly string[];
  /** Without such an option, or `--`, nothing is handed over: other words are the program's own. */
  readonly isOnly?: boolean;
  /** Words at the end that are keys, and no part of it. */
  readonly keys?: RegExp;
  /** What ends the command. */
  readonly until?: RegExp;
  /** What stands for a word that is known when it runs; such words stand at the end where no mark does. */
  readonly marks?: RegExp;
  /** On this machine, with this shell's environment. */
  readonly isHere?: boolean;
}

const cloud = "zone project worker node internal_ip ssh_flag tunnel_through_iap batch_size output_directory";
const sky = "c cluster gpus num_nodes env workdir cloud name n infra";
const places = ["", "alpha ", "beta "];

/**
 * Sources: ssh(1), pdsh(1), clush(1), dsh(1), pssh(1), tmux(1), parallel(1), sbatch(1), sg(1), bsub(1), nix-shell(1), env(1), and
 * the references of gcloud, SkyPilot and Ansible.
 */
const shelling: Readonly<Record<string, Shelling>> = {
  ssh: { valued: "B b c D E e F I i J L l m O o P p Q R S W w", words: 1 },
  rsh: { valued: "l", words: 1 },
  mosh: { valued: "p", words: 1 },
  pdsh: { valued: "w x l t u f R g M" },
  clush: { valued: "w x g X f l o t u R O m worker fanout user options hostfile machinefile group exclude mode" },
  dsh: { valued: "m machine g group f file F forklimit n r remoteshell o remoteshellopt" },
  pssh: { valued: "h hosts H host l user p par o outdir e errdir t timeout O option x extra_args" },
  tmux: {
    phrases: ["new", "new-session", "neww", "new-window", "splitw", "split-window", "respawn-pane"],
    valued: "t n c s x y e F f l",
  },
  "tmux send": { phrases: ["send"], valued: "t", keys: /^(?:C-m|Enter|KPEnter)$/ },
  "tmux send-keys": { phrases: ["send-keys"], valued: "t", keys: /^(?:C-m|Enter|KPEnter)$/ },
  gcloud: {
    phrases: places.flatMap((place) => [`${place}compute ssh`, `${place}compute tpus tpu-vm ssh`]),
    valued: cloud,
    words: 1,
    text: ["command"],
    isOnly: true,
  },
  "sky exec": { phrases: ["exec"], valued: sky, words: 1 },
  "sky launch": { phrases: ["launch"], valued: sky },
  az: { phrases: ["vm run-command invoke"], valued: "", text: ["scripts"], isOnly: true },
  dsub: { valued: "", text: ["command"], isOnly: true },
  ansible: { valued: "m module_name i inventory u f l", words: 1, text: ["a", "args"], isOnly: true },
  sbatch: { valued: "", text: ["wrap"], isOnly: true, isHere: true },
  bsub: { valued: "n q W J o e oo eo gpu R P M m x_ G g sp w app env cwd", isHere: true },
  parallel: {
    valued:
      "j jobs P S sshlogin sshloginfile slf workdir wd a arg_file delay joblog timeout retries results tmpdir N n max_args I env halt colsep C d",
    until: /^:::[:+]*$/,
    marks: /\{[^{}\s]*\}/,
    isHere: true,
  },
  sg: { valued: "", words: 1, text: ["c"], isHere: true },
  "nix-shell": { valued: "p A attr E expr I", text: ["run", "command"], isOnly: true, isHere: true },
  env: { valued: "u unset C chdir", text: ["S", "split_string"], isOnly: true, isHere: true },
};

const others: Readonly<Record<string, string>> = { "parallel-ssh": "pssh", slogin: "ssh" };

/** By the program, and its verb where that decides. */
export function shellingOf(name: string, verb: string): Shelling | undefined {
  return inTable(shelling, `${name} ${verb}`) ?? inTable(shelling, inTable(others, name) ?? name);
}

export const shellingNames: ReadonlySet<string> = new Set(
  [...Object.keys(shelling), ...Object.keys(others)].map((key) => key.split(" ")[0] ?? key),
);
