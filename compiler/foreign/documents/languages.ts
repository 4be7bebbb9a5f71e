/** Which language a text is in, by its name and its first lines. */
import type { Source } from "../../../dsl/source/source.ts";

/** Is it a script? Its name or its first line says so, or a command of a launcher stands in it. */
export function looksLikeShell({ path, text }: Source): boolean {
  if (/\.(?:sh|bash|zsh|ksh|sbatch|slurm)$/.test(path)) return true;
  if (/^#!.*\b(?:ba|z|da|k)?sh\b/.test(text)) return true;
  // No command ends in a colon: a manifest whose containers run a script begins like this.
  if (/^(?:\uFEFF)?(?:[ \t]*(?:#.*)?\r?\n|---.*\n)*["']?[A-Za-z_][\w.-]*["']?:(?:[ \t\r\n]|$)/.test(text))
    return false;
  if (/^#SBATCH\b/m.test(text)) return true;
  return /^\s*(?:[A-Z_][A-Z0-9_]*=\S* +)*(?:srun|torchrun|deepspeed|accelerate|python3?|mpirun|export|source|llamafactory-cli|axolotl|trl|swift|litgpt|tune|colossalai|docker|sbatch)(?=[ \t]+[^\s:=])/m.test(
    text,
  );
}

/**
 * JSON by its first character, behind comments, unless the name says YAML: that takes braces too, with comments and commas as it likes.
 * Under a name that says JSON it may do without braces, as Hjson can.
 */
export const looksLikeJson = ({ path, text }: Source): boolean =>
  /\.h?json$/.test(path) ||
  (/^(?:\s|\/\/[^\n]*\n|\/\*[^*]*\*\/)*[{[]/.test(text.slice(0, 4096)) && !/\.ya?ml$/.test(path));

/** Lines of nothing but a statement of Go's templates, as Helm's charts have them: no YAML before Helm filled it in. */
export const isTemplate = ({ text }: Source): boolean =>
  /^[ \t]*\{\{-?\s*(?:if|else|end|range|with|define|template|include|block|\/\*|\$\w+\s*:=)/m.test(text);

/** A program other than a POSIX shell that the first line, or the name, gives a script to. */
export function otherShell({ path, text }: Source): string | null {
  const named = /\.(fish|csh|tcsh|ps1|nu|xsh|py|ipynb|bat|cmd)$/.exec(path)?.[1];
  const first = /^#!\s*(?:\S*\/env\s+(?:-\S+\s+)*)?(\S+)/.exec(text)?.[1]?.split("/").at(-1);
  if (first !== undefined) return /^(?:ba|z|da|a|k|mk)?sh$/.test(first) ? null : first;
  return named === undefined ? null : (languages[named] ?? named);
}

/** By its name, or a table's head alone on the first line that says something; `[` is no JSON then. */
export function looksLikeToml({ path, text }: Source): boolean {
  if (path.endsWith(".toml")) return true;
  return /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*\[{1,2}[A-Za-z_][\w.-]*\]{1,2}[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*[\w.-]+[ \t]*=/.test(
    text,
  );
}

const languages: Readonly<Record<string, string>> = {
  ps1: "PowerShell",
  nu: "nushell",
  xsh: "xonsh",
  py: "Python",
  ipynb: "Python",
  bat: "Windows",
  cmd: "Windows",
};
