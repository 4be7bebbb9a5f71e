/** Starts `cdrc lsp` and carries out what its lenses offer. Everything about the language is the server's. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;
let foreign: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const command = (name: string, work: (...words: never[]) => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, work));
  command("cdr.plan", (uri?: string) => inTerminal("plan", fileOf(uri)));
  command("cdr.run", (uri?: string, step?: string) => inTerminal("run", fileOf(uri), ...named(step)));
  command("cdr.report", (_: string, run: string) => inTerminal("report", run));
  command("cdr.restart", restart);
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("cdr.command") || change.affectsConfiguration("cdr.foreign")) void restart();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await Promise.all([client?.stop(), foreign?.stop()]);
}

async function start(): Promise<void> {
  const run = { command: cdrc(), args: ["lsp"] };
  // What a comparison shows of the past is nobody's to mend.
  const documentSelector = ["file", "untitled"].map((scheme) => ({ language: "cdr", scheme }));
  client = new LanguageClient("cdr", "cdr", { run, debug: run }, { documentSelector });
  try {
    await client.start();
  } catch {
    const settings = "Open settings";
    const chosen = await vscode.window.showErrorMessage(
      `\`${run.command} lsp\` does not start. Install cdrc in the workspace or say where it is: cdr.command.`,
      settings,
    );
    if (chosen === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "cdr.command");
  }
  await startForeign();
}

/** Scripts, JSON and YAML of launches, where the settings ask for them: a server of its own. */
async function startForeign(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("cdr.foreign");
  const patterns = settings.get<readonly string[]>("files", []);
  foreign = undefined;
  if (patterns.length === 0) return;
  const gpu = settings.get<string>("gpu", "");
  const run = { command: cdrc(), args: ["lsp", "--foreign", ...(gpu === "" ? [] : ["--gpu", gpu])] };
  const documentSelector = patterns.map((pattern) => ({ scheme: "file", pattern }));
  foreign = new LanguageClient("cdr-foreign", "cdr: files of launches", { run, debug: run }, { documentSelector });
  await foreign.start().catch(() => undefined);
}

async function restart(): Promise<void> {
  await Promise.all([client?.stop(), foreign?.stop()].map((each) => each?.catch(() => undefined)));
  await start();
}

/** What the settings say, else the workspace's own, else the one on the PATH. */
function cdrc(): string {
  const said = vscode.workspace.getConfiguration("cdr").get<string>("command", "");
  if (said !== "") return said;
  const name = process.platform === "win32" ? "cdrc.cmd" : "cdrc";
  const own = (vscode.workspace.workspaceFolders ?? [])
    .map(({ uri }) => join(uri.fsPath, "node_modules", ".bin", name))
    .find((path) => existsSync(path));
  return own ?? "cdrc";
}

/** From a lens its file, from a command the one that is looked at. */
function fileOf(uri?: string | vscode.Uri): string {
  if (uri instanceof vscode.Uri) return uri.fsPath;
  if (typeof uri === "string") return vscode.Uri.parse(uri).fsPath;
  return vscode.window.activeTextEditor?.document.uri.fsPath ?? "";
}

/** A menu gives what it stands on, not the name of a step. */
const named = (step: unknown): string[] => (typeof step === "string" ? [step] : []);

async function inTerminal(...words: readonly string[]): Promise<void> {
  await vscode.workspace.saveAll();
  const terminal = vscode.window.terminals.find(({ name }) => name === "cdr") ?? vscode.window.createTerminal("cdr");
  terminal.show(true);
  terminal.sendText([cdrc(), ...words].map(quoted).join(" "));
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
