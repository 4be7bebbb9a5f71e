/** The variables of a shell. A name that `declare -n` makes another's stands for that one wherever it is written or read. */
import type { Variable } from "./state.ts";

/** What the shell sets or reads itself, and Slurm's: files that are sourced leave these alone. */
const kept = /^(?:SLURM_|IFS$|CDPATH$|OPT|HOME$|USER$|PWD$|HOSTNAME$|BASH|RANDOM$|SECONDS$|LINENO$)/;

export class Variables extends Map<string, Variable> {
  #isOpen = false;
  /** What a name stands for; `null` where nobody knows. */
  readonly #references = new Map<string, string | null>();

  static of(variables: ReadonlyMap<string, Variable>): Variables {
    const made = new Variables();
    for (const [name, variable] of variables) made.set(name, variable);
    if (variables instanceof Variables)
      for (const [name, target] of variables.#references) made.#references.set(name, target);
    made.#isOpen = variables instanceof Variables && variables.#isOpen;
    return made;
  }

  get references(): ReadonlyMap<string, string | null> {
    return this.#references;
  }

  refer(name: string, target: string | null): void {
    super.delete(name);
    this.#references.set(name, target !== null && this.#targetOf(target) === name ? null : target);
  }

  /** The name is one of its own again. */
  release(name: string): void {
    this.#references.delete(name);
  }

  override get(name: string): Variable | undefined {
    const target = this.#targetOf(name);
    if (target === null) return { kind: "unknown", span: null };
    const held = super.get(target);
    return held === undefined && this.#isOpen && !kept.test(target) ? { kind: "unknown", span: null } : held;
  }

  override has(name: string): boolean {
    const target = this.#targetOf(name);
    return target === null || super.has(target);
  }

  override set(name: string, variable: Variable): this {
    const target = this.#targetOf(name);
    if (target !== null) return super.set(target, variable);
    this.forget(variable.span);
    return this;
  }

  /** Any of them may have been written. */
  forget(span: Variable["span"]): void {
    for (const [each] of this) super.set(each, { kind: "unknown", span });
  }

  /** What nobody has read may have set any of them, and others besides. */
  open(span: Variable["span"]): void {
    for (const [each] of this) if (!kept.test(each)) super.set(each, { kind: "unknown", span });
    this.#isOpen = true;
  }

  /** What nobody has read was met before: it may have set what no line behind it has. */
  stayOpen(): void {
    this.#isOpen = true;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  override delete(name: string): boolean {
    const target = this.#targetOf(name);
    if (target !== null) return super.delete(target);
    this.set(name, { kind: "unknown", span: null });
    return true;
  }

  #targetOf(name: string): string | null {
    let target: string | null = name;
    for (let step = 0; target !== null && this.#references.has(target); step++)
      target = step > 8 ? null : (this.#references.get(target) ?? null);
    return target;
  }
}
