/** What ctrl-c means while a run is watched: once, save and stop; twice, stop at once. A closed terminal means nothing. */

export type Wish = "save" | "kill";

export interface Interrupts {
  readonly wish: () => Wish | null;
  readonly close: () => void;
}

export function interruptsOf(onWish: (wish: Wish) => void): Interrupts {
  let wish: Wish | null = null;
  const want = (next: Wish): void => {
    if (wish === next || wish === "kill") return;
    wish = next;
    onWish(next);
  };
  const onInt = (): void => want(wish === null ? "save" : "kill");
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
