/** What Monaco knows of `.cdr` by itself: words, brackets, indentation. The rest is the server's. */
import { languages } from "monaco-editor/editor";
import vocabulary from "virtual:vocabulary";
import configuration from "../../language-configuration.json";
import { monarch } from "./monarch.ts";

export const languageId = "cdr";

export function registerLanguage(): void {
  languages.register({ id: languageId, extensions: [".cdr"] });
  languages.setMonarchTokensProvider(languageId, monarch(vocabulary));
  const { indentationRules, onEnterRules, folding, wordPattern, ...rest } = configuration;
  const pairs = (list: readonly (readonly string[])[]) =>
    list.map(([open, close]) => ({ open: open ?? "", close: close ?? "" }));
  languages.setLanguageConfiguration(languageId, {
    comments: rest.comments,
    brackets: rest.brackets.map(([open, close]): [string, string] => [open ?? "", close ?? ""]),
    autoClosingPairs: rest.autoClosingPairs.map((pair) =>
      "open" in pair ? pair : { open: pair[0] ?? "", close: pair[1] ?? "" },
    ),
    surroundingPairs: pairs(rest.surroundingPairs),
    wordPattern: new RegExp(wordPattern),
    indentationRules: {
      increaseIndentPattern: new RegExp(indentationRules.increaseIndentPattern),
      decreaseIndentPattern: new RegExp(indentationRules.decreaseIndentPattern),
    },
    onEnterRules: onEnterRules.map(({ beforeText, action: { appendText } }) => ({
      beforeText: new RegExp(beforeText),
      action: { indentAction: languages.IndentAction.None, appendText },
    })),
    folding: { markers: { start: new RegExp(folding.markers.start), end: new RegExp(folding.markers.end) } },
  });
}
