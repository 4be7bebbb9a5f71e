/** What ctrl-c means while a run is watched: once, save and stop; twice, stop at once. A closed terminal means nothing. */

export type Wish = "save" | "kill";

export interface Interrupts {
  readonly wish: () => Wish | null;
  readonly close: () => void;
}

/** Milliseconds in which a second SIGINT is the same keystroke: npm and its like pass on what the terminal sent to all. */
const echoTime = 200;

export function interruptsOf(onWish: (wish: Wish) => void): Interrupts {
  let wish: Wish | null = null;
  let asked = 0;
  const want = (next: Wish): void => {
    if (wish === next || wish === "kill") return;
    wish = next;
    onWish(next);
  };
  const onInt = (): void => {
    const echo = Date.now() - asked < echoTime;
    asked = Date.now();
    if (!echo) want(wish === null ? "save" : "kill");
  };
  const onTerm = (): void => want(wish ?? "save");
  process.on("SIGINT", onInt);
  process.on("SIGTERM", onTerm);
  process.on("SIGHUP", ignore);
  const close = (): void => {
    process.off("SIGINT", onInt);
    process.off("SIGTERM", onTerm);
    process.off("SIGHUP", ignore);
  };
  return { wish: () => wish, close };
}

function ignore(): void {}
