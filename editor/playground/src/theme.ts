/** Light or dark: as the system has it, until somebody says otherwise. */
import { editor } from "monaco-editor/editor";

type Theme = "light" | "dark";

const kept = "cdr-theme";

export function startTheme(button: HTMLElement): void {
  defineThemes();
  const system = matchMedia("(prefers-color-scheme: dark)");
  const own = (): Theme => (system.matches ? "dark" : "light");
  let chosen = remembered();
  const now = (): Theme => chosen ?? own();
  const show = (): void => {
    document.documentElement.dataset["theme"] = now();
    editor.setTheme(`cdr-${now()}`);
    button.textContent = now() === "dark" ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    const next = now() === "dark" ? "light" : "dark";
    chosen = next === own() ? null : next;
    remember(chosen);
    show();
  });
  system.addEventListener("change", show);
  show();
}

// A page opened from a folder may have no storage.
function remembered(): Theme | null {
  try {
    const found = localStorage.getItem(kept);
    return found === "dark" || found === "light" ? found : null;
  } catch {
    return null;
  }
}

function remember(theme: Theme | null): void {
  try {
    if (theme === null) localStorage.removeItem(kept);
    else localStorage.setItem(kept, theme);
  } catch {
    // It lasts as long as the page, then.
  }
}

/** Colours of tokens, of the grammar and of the server alike. */
function rules(colours: Readonly<Record<string, string>>): editor.ITokenThemeRule[] {
  return Object.entries(colours).flatMap(([names, foreground]) =>
    names.split(" ").map((token) => ({
      token,
      foreground,
      ...(token === "comment" ? { fontStyle: "italic" } : {}),
    })),
  );
}

function defineThemes(): void {
  editor.defineTheme("cdr-light", {
    base: "vs",
    inherit: true,
    rules: rules({
      comment: "7a828c",
      keyword: "8a3ea8",
      "class type namespace enum unit": "1f6f8b",
      "property variable parameter": "24292f",
      "function method": "2f5fbf",
      "number enumMember": "b0500f",
      string: "3a7a3a",
      operator: "69707a",
    }),
    colors: {
      "editor.background": "#ffffff",
      "editorLineNumber.foreground": "#b6bcc4",
      "editorInlayHint.background": "#f2f4f7",
      "editorInlayHint.foreground": "#7a828c",
      "editorCodeLens.foreground": "#8a929c",
    },
  });
  editor.defineTheme("cdr-dark", {
    base: "vs-dark",
    inherit: true,
    rules: rules({
      comment: "7d8792",
      keyword: "c792ea",
      "class type namespace enum unit": "7fd1d9",
      "property variable parameter": "dfe3e8",
      "function method": "82aaff",
      "number enumMember": "f0a868",
      string: "a5d68f",
      operator: "98a2ad",
    }),
    colors: {
      "editor.background": "#1a1e23",
      "editorLineNumber.foreground": "#4a525c",
      "editorInlayHint.background": "#232931",
      "editorInlayHint.foreground": "#8f98a3",
      "editorCodeLens.foreground": "#7d8792",
    },
  });
}
