/** The files of the page: Monaco's models, one of which is shown. */
import { editor, Uri } from "monaco-editor/editor";
import standard from "virtual:package-files";
import { languageId } from "./language.ts";
import type { Shared } from "./share.ts";
import { standardUri } from "./standard-uri.ts";

const folder = "file:///";

export interface PageWorkspace {
  /** Replaces every file. */
  readonly put: (shared: Shared) => void;
  readonly names: () => readonly string[];
  readonly model: (name: string) => editor.ITextModel | null;
  readonly nameOf: (model: editor.ITextModel) => string;
  readonly isStandard: (model: editor.ITextModel) => boolean;
  readonly shared: (main: string) => Shared;
  /** Files that import the one of that name. */
  readonly importers: (name: string) => readonly string[];
}

// The language client speaks of files in lower case, whatever their names.
const uriOf = (name: string): Uri => Uri.parse(`${folder}${name.toLowerCase()}`);

function modelOf(text: string, uri: Uri): editor.ITextModel {
  const model = editor.createModel(text, languageId, uri);
  // Colours say what a word is; brackets have one.
  model.updateOptions({ bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false } });
  return model;
}

export function createPageWorkspace(): PageWorkspace {
  let files: ReadonlyMap<string, editor.ITextModel> = new Map();
  // Definitions lead into the standard library.
  const library = new Set<editor.ITextModel>();
  for (const [path, text] of Object.entries(standard)) {
    const name = /std\/\w+(?=\.cdr$)/.exec(path)?.[0];
    if (name !== undefined) library.add(modelOf(text, Uri.parse(standardUri(name))));
  }
  const nameOf = (model: editor.ITextModel): string =>
    [...files].find(([, own]) => own === model)?.[0] ?? model.uri.path.slice(1);
  return {
    put: ({ files: texts }) => {
      for (const model of files.values()) model.dispose();
      const names = Object.keys(texts);
      // What is imported is there before what imports it.
      const models = new Map(names.toReversed().map((name) => [name, modelOf(texts[name] ?? "", uriOf(name))]));
      files = new Map([...models].toReversed());
    },
    names: () => [...files.keys()],
    model: (name) => files.get(name) ?? null,
    nameOf,
    isStandard: (model) => library.has(model),
    shared: (main) => ({
      main,
      files: Object.fromEntries([...files].map(([name, model]) => [name, model.getValue()])),
    }),
    importers: (name) =>
      [...files].flatMap(([other, model]) => (importsOf(model.getValue()).includes(name) ? [other] : [])),
  };
}

const importsOf = (text: string): string[] =>
  [...text.matchAll(/^\s*import\s+"([^"]+)"/gm)].map(([, path = ""]) => path.replace(/^\.\//, ""));
