/** The parameters of the call that the cursor is in, the one that is being given among them. */
import { type ParameterInformation, type SignatureHelp, SignatureHelpRequest } from "vscode-languageserver";
import { builtins } from "../../eval/expressions/builtins.ts";
import * as t from "../../lexer/vocabulary.ts";
import { describeType } from "../../types/type.ts";
import { cursorAt } from "../completion/context.ts";
import { positionOf } from "../completion/position.ts";
import { describeProperty } from "../describe.ts";
import { feature, viewOf } from "../feature.ts";
import { offsetAt, textOf } from "../positions.ts";
import type { Workspace } from "../workspace.ts";

interface Signature {
  readonly name: string;
  readonly doc: string | null;
  readonly parameters: readonly { readonly name: string; readonly label: string; readonly doc: string }[];
  readonly positional: readonly string[];
}

export const signatureHelp = feature(
  SignatureHelpRequest.type,
  { signatureHelpProvider: { triggerCharacters: ["(", ","], retriggerCharacters: ["="] } },
  (workspace, { textDocument, position }): SignatureHelp | null => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const offset = offsetAt(view.module.file.source, position);
    const cursor = cursorAt(view.module.file.source, offset);
    const call = cursor.open.findLastIndex(({ bracket }) => bracket === "(");
    const opened = cursor.open[call];
    const callee = opened?.head.at(-1);
    if (opened === undefined || callee === undefined || callee.tokenType !== t.Identifier) return null;
    const atStart = { ...cursor, open: cursor.open.slice(0, call + 1), line: [], inString: null };
    const at = positionOf(atStart, view.module, workspace.registry);
    const found =
      at.kind === "argument" ? constructorSignature(at) : functionSignature(callee.image, view.path, workspace);
    if (found === null) return null;
    const isInner = call < cursor.open.length - 1;
    const items = opened.items;
    const line = isInner ? (cursor.open[call + 1]?.head ?? []) : cursor.line;
    const named = line[1]?.tokenType === t.Equal ? line[0]?.image : undefined;
    // With what stands behind the cursor: the name may be there already.
    const word = cursor.word + (/^\w*/.exec(view.module.file.source.text.slice(offset))?.[0] ?? "");
    const given = named ?? found.parameters.find(({ name }) => line.length === 0 && name === word)?.name;
    const count = items.filter((item) => item[1]?.tokenType !== t.Equal).length;
    const active = given ?? found.positional[Math.min(count, found.positional.length - 1)];
    const index = found.parameters.findIndex(({ name }) => name === active);
    return {
      signatures: [
        {
          label: `${found.name}(${found.parameters.map(({ label }) => label).join(", ")})`,
          ...(found.doc === null ? {} : { documentation: found.doc }),
          parameters: found.parameters.map(({ label, doc }): ParameterInformation => ({ label, documentation: doc })),
        },
      ],
      activeSignature: 0,
      activeParameter: index < 0 ? null : index,
    };
  },
);

function constructorSignature(at: Extract<ReturnType<typeof positionOf>, { kind: "argument" }>): Signature {
  const { of, constructor } = at;
  return {
    name: of,
    doc: constructor.doc === "" ? null : constructor.doc,
    parameters: Object.entries(constructor.parameters).map(([name, property]) => {
      const { doc, type } = describeProperty(property);
      const label = property.default === undefined ? name : `${name} = ${property.default}`;
      return { name, label, doc: [doc, type].filter((text) => (text ?? "") !== "").join(": ") };
    }),
    positional: constructor.positional ?? [],
  };
}

function functionSignature(name: string, path: string, workspace: Workspace): Signature | null {
  const own = workspace.module(path)?.names.get(name);
  if (own?.kind === "fn") {
    const parameters = own.node.parameters.map((p) => ({
      name: p.name.text,
      label: `${p.name.text}${p.type === null ? "" : `: ${textOf(p.type.span)}`}${p.default === null ? "" : ` = ${textOf(p.default.span)}`}`,
      doc: "",
    }));
    return { name, doc: own.node.doc, parameters, positional: parameters.map((p) => p.name) };
  }
  const builtin = builtins.get(name);
  if (builtin === undefined) return null;
  const parameters = builtin.parameters.map((p) => ({
    name: p.name,
    label: p.rest === true ? `${p.name}…` : p.name,
    doc: describeType(p.type),
  }));
  return { name, doc: builtin.doc, parameters, positional: parameters.map((p) => p.name) };
}
