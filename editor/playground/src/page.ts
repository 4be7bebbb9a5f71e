/** The page: text on one side, what it comes to on the other. */
import "monaco-editor/features/register.all";
import { editor, KeyCode, KeyMod } from "monaco-editor/editor";
import examples from "virtual:examples";
import editorWorker from "virtual:worker/editor";
import version from "virtual:version";
import { element } from "./element.ts";
import { registerLanguage } from "./language.ts";
import { type PlanAnswer, planRequest } from "./messages.ts";
import { planView } from "./plan-view.ts";
import { type Problem, problemsView } from "./problems-view.ts";
import { startServer } from "./server.ts";
import { fragmentOf, type Shared, sharedIn } from "./share.ts";
import { startWorker } from "./start-worker.ts";
import { startTheme } from "./theme.ts";
import { createPageWorkspace } from "./workspace.ts";
import "./page.css";

/** How long after a keystroke the plan is asked for. */
const quiet = 60;

function part<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as T;
}

globalThis.MonacoEnvironment = { getWorker: () => startWorker(editorWorker) };
registerLanguage();
part("version").textContent = version;
startTheme(part("theme"));
const view = editor.create(part("editor"), {
  model: null,
  automaticLayout: true,
  ariaLabel: "the .cdr file",
  fontSize: 13.5,
  lineHeight: 1.55,
  fontFamily:
    'ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  renderLineHighlight: "none",
  overviewRulerBorder: false,
  scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
  hideCursorInOverviewRuler: true,
  padding: { top: 14, bottom: 14 },
  tabSize: 2,
  formatOnType: true,
  wordBasedSuggestions: "off",
  fixedOverflowWidgets: true,
  stickyScroll: { enabled: false },
  wordWrap: "on",
  wrappingIndent: "indent",
  "semanticHighlighting.enabled": true,
});
// After the editor: what it is created with is laid over every model that there is.
const workspace = createPageWorkspace();
const request = startServer();
const plans = new WeakMap<editor.ITextModel, PlanAnswer>();

// ---- what is shown ----

function show(model: editor.ITextModel): void {
  view.setModel(model);
  view.updateOptions({ readOnly: workspace.isStandard(model) });
  showTabs();
  showProblems();
  replan(0);
}

function open(name: string): void {
  const model = workspace.model(name);
  if (model !== null) show(model);
  view.focus();
}

function begin(shared: Shared): void {
  workspace.put(shared);
  open(shared.main);
  nameExample();
}

/** The list says which example the text is, or that it is one's own. */
function nameExample(): void {
  const texts = Object.entries(workspace.shared("").files);
  const isShown = (files: Shared["files"] = {}) =>
    texts.length === Object.keys(files).length && texts.every(([name, text]) => files[name] === text);
  const list = part<HTMLSelectElement>("examples");
  // Two examples of a folder may be the same files: the one that was chosen stays.
  if (isShown(examples[Number(list.value || -1)]?.files)) return;
  const index = examples.findIndex(({ files }) => isShown(files));
  list.value = index < 0 ? "" : String(index);
}

function showTabs(): void {
  const shown = view.getModel();
  const names = workspace.names();
  const isElsewhere = shown !== null && workspace.isStandard(shown);
  const tab = (name: string, isShown: boolean, go: () => void) => {
    const button = element("button", "tab", name);
    button.setAttribute("role", "tab");
    button.setAttribute("aria-selected", String(isShown));
    button.addEventListener("click", go);
    return button;
  };
  part("tabs").replaceChildren(
    ...names.map((name) => tab(name, workspace.model(name) === shown, () => open(name))),
    ...(isElsewhere ? [tab(`${workspace.nameOf(shown)} (read only)`, true, () => view.focus())] : []),
  );
  part("tabs").hidden = names.length < 2 && !isElsewhere;
}

function showProblems(): void {
  const shown = view.getModel();
  const problems = editor.getModelMarkers({}).flatMap((marker): Problem[] => {
    const model = editor.getModel(marker.resource);
    if (model === null || (workspace.isStandard(model) && model !== shown)) return [];
    return [{ ...marker, elsewhere: model === shown ? null : workspace.nameOf(model) }];
  });
  const lines = problemsView(problems, ({ elsewhere, startLineNumber, startColumn }) => {
    if (elsewhere !== null) open(elsewhere);
    view.setPosition({ lineNumber: startLineNumber, column: startColumn });
    view.revealLineInCenterIfOutsideViewport(startLineNumber);
    view.focus();
  });
  part("problems").replaceChildren(...lines);
  part("problems").hidden = lines.length === 0;
}

// ---- the plan ----

let waiting: ReturnType<typeof setTimeout> | undefined;
let asked = 0;

function replan(delay: number): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => void plan(), delay);
}

async function plan(): Promise<void> {
  const model = view.getModel();
  if (model === null || workspace.isStandard(model)) return;
  asked += 1;
  const ticket = asked;
  const start = performance.now();
  const answer = await request<PlanAnswer | null>(planRequest, { uri: model.uri.toString(true) });
  if (ticket !== asked || model.isDisposed()) return;
  // The server has not been told of the file yet.
  if (answer === null) return replan(quiet);
  const file = workspace.nameOf(model);
  const before = plans.get(model) ?? null;
  if (answer.errors === 0) plans.set(model, answer);
  part("plan").replaceChildren(...planView({ file, answer, before, importers: workspace.importers(file), open }));
  const done = answer.stages.length > 0 ? "planned" : "read";
  part("took").textContent = `${done} in ${(performance.now() - start).toFixed(0)} ms`;
}

// ---- what one can do ----

function fillExamples(): void {
  const list = part<HTMLSelectElement>("examples");
  const option = (name: string, index: number) => {
    const made = element("option", "", name) as HTMLOptionElement;
    made.value = String(index);
    return made;
  };
  for (const group of new Set(examples.map((example) => example.group))) {
    const into = group === "" ? list : element("optgroup", "");
    if (into !== list) {
      into.setAttribute("label", group);
      list.append(into);
    }
    examples.forEach((example, index) => {
      if (example.group === group) into.append(option(example.main, index));
    });
  }
  list.addEventListener("change", () => {
    const example = examples[Number(list.value)];
    if (example === undefined) return;
    history.replaceState(null, "", location.pathname + location.search);
    say("");
    begin(example);
  });
}

async function share(): Promise<void> {
  const model = view.getModel();
  if (model === null) return;
  const main = workspace.isStandard(model) ? (workspace.names()[0] ?? "") : workspace.nameOf(model);
  history.replaceState(null, "", await fragmentOf(workspace.shared(main)));
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is in the clipboard.");
  } catch {
    say("The link is in the address bar.");
  }
}

let said: ReturnType<typeof setTimeout> | undefined;
function say(text: string, stays = false): void {
  part("said").textContent = text;
  clearTimeout(said);
  if (!stays) said = setTimeout(() => (part("said").textContent = ""), 4000);
}

async function readAddress(): Promise<boolean> {
  if (location.hash === "") return false;
  const shared = await sharedIn(location.hash);
  if (shared === null) {
    say("The link is damaged: part of it is missing.", true);
    return false;
  }
  begin(shared);
  return true;
}

view.onDidChangeModelContent(() => {
  replan(quiet);
  nameExample();
});
editor.onDidChangeMarkers(showProblems);
editor.registerEditorOpener({
  openCodeEditor: (_, resource, place) => {
    const model = editor.getModel(resource);
    if (model === null) return false;
    show(model);
    if (place !== undefined) {
      const at =
        "startLineNumber" in place ? { lineNumber: place.startLineNumber, column: place.startColumn } : place;
      view.setPosition(at);
      view.revealLineInCenter(at.lineNumber);
    }
    view.focus();
    return true;
  },
});
view.addCommand(KeyMod.CtrlCmd | KeyCode.KeyS, () => void share());
part("share").addEventListener("click", () => void share());
part("format").addEventListener("click", () => {
  view.focus();
  view.trigger("page", "editor.action.formatDocument", null);
});
addEventListener("hashchange", () => void readAddress());
fillExamples();
const [first] = examples;
void readAddress().then((isShared) => {
  if (!isShared && first !== undefined) begin(first);
});
