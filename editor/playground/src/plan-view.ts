/** The panel beside the editor: what the file comes to, or why that cannot be said. */
import { element } from "./element.ts";
import type { PlanAnswer } from "./messages.ts";
import { stageView } from "./stage-view.ts";

export interface Shown {
  readonly file: string;
  readonly answer: PlanAnswer;
  /** The last plan of this file, for the time while it has errors. */
  readonly before: PlanAnswer | null;
  /** Files of the page that import this one. */
  readonly importers: readonly string[];
  readonly open: (file: string) => void;
}

export function planView({ file, answer, before, importers, open }: Shown): HTMLElement[] {
  const notices = unknowns(answer);
  const count = answer.errors === 1 ? "an error" : `${answer.errors} errors`;
  if (answer.stages.length > 0) {
    const partial =
      answer.errors === 0
        ? []
        : [notice("bad", `${file} has ${count}, told below the text. What can be planned is planned.`)];
    return [...partial, ...notices, ...answer.stages.map(stageView)];
  }
  if (answer.errors > 0) {
    const said = `${file} has ${count}.`;
    if (before === null || before.stages.length === 0)
      return [notice("bad", `${said} The plan is shown when it has none.`), ...notices];
    const stale = element("div", "stale", before.stages.map(stageView));
    return [notice("bad", `${said} This is the plan of the text before.`), ...notices, stale];
  }
  const links = importers.map((name) => {
    const link = element("button", "link", name);
    link.addEventListener("click", () => open(name));
    return link;
  });
  const empty = element("p", "notice", `${file} has no stage to plan.`);
  if (links.length > 0)
    empty.append(" It is part of ", ...links.flatMap((link, i) => (i === 0 ? [link] : [", ", link])), ".");
  else {
    const asks = ["model", "data", "length", "batch", "optimizer"];
    const names = asks.flatMap((name, i) => [
      i === 0 ? "" : i < asks.length - 1 ? ", " : " and ",
      element("code", "", name),
    ]);
    empty.append(" A plan is made of a ", element("code", "", "stage"), " with ", ...names, ".");
  }
  return [...notices, empty];
}

const notice = (look: string, text: string): HTMLElement => element("p", `notice ${look}`, text);

function unknowns({ unknown }: PlanAnswer): HTMLElement[] {
  if (unknown.length === 0) return [];
  const names = unknown.flatMap((name, i) => [...(i === 0 ? [] : [", "]), element("code", "", name)]);
  return [
    element(
      "p",
      "notice",
      "A browser knows no machine and no environment. Unknown here: ",
      ...names,
      ". A default of the file stands in where it gives one.",
    ),
  ];
}
