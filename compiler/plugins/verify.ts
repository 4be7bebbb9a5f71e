/** Holds every plugin of a program against the Python source of its factory. */
import type { Details, Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import { replacement, suggest } from "../../dsl/diagnostics/suggest.ts";
import { constructorOf } from "../../dsl/eval/expressions/constructors.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Program } from "../../dsl/eval/program.ts";
import type { Type } from "../../dsl/kind.ts";
import { alternatives, describeType } from "../../dsl/types/type.ts";
import {
  pluginCallable,
  pluginFactory,
  pluginName,
  pluginParameter,
  pluginParameterMissing,
  pluginParameterType,
  pluginSource,
  pluginUnread,
} from "../diagnostics/plugin.ts";
import type { PythonParameter, ReadSignatures, Signature } from "./signature.ts";

/**
 * What the run itself hands to a factory before the parameters: an optimizer gets weights, a schedule an optimizer, a model its
 * vocabulary and loss.
 */
const handed: Readonly<Record<string, number>> = { model: 2, optimizer: 1, schedule: 1 };

export function verifyPlugins(program: Program, read: ReadSignatures | undefined): Diagnostic[] {
  const plugins = program.blocks.filter((b) => b.kind.name === "plugin" && !b.abstract);
  const named = plugins.flatMap((block) => {
    const factory = block.context.property(block, "factory", block.span);
    return factory.value.kind === "string" ? [{ block, factory: factory.value.value, span: factory.span }] : [];
  });
  const wrong = named.filter(({ factory }) => !isFactory(factory));
  const good = named.filter((n) => !wrong.includes(n));
  const found = wrong.map(({ factory, span }) => pluginFactory(span, { factory }, dotted(factory, span)));
  if (good.length === 0) return found;
  const isWrong: IsWrong = ({ source, start, end }) =>
    program.diagnostics.some(
      ({ severity, span: { source: other, start: at } }) =>
        severity === "error" && other === source && start <= at && at < end,
    );
  const answers = read?.(good.map(({ block, factory }) => ({ factory, roots: rootsOf(block) }))) ?? null;
  return [
    ...found,
    ...good.flatMap(({ block, factory, span }, index) => {
      const answer = answers?.[index];
      return answer === undefined
        ? [pluginUnread(span, { name: block.name ?? "", why: "there is no Python here" })]
        : judge(block, factory, span, answer, isWrong);
    }),
  ];
}

/** The files that plugins come from, where they can be found. */
export function pluginSources(program: Program, read: ReadSignatures): string[] {
  const requests = program.blocks.flatMap((block) => {
    if (block.kind.name !== "plugin" || block.abstract) return [];
    const { value } = block.context.property(block, "factory", block.span);
    return value.kind === "string" && isFactory(value.value) ? [{ factory: value.value, roots: rootsOf(block) }] : [];
  });
  const answers = requests.length === 0 ? [] : (read(requests) ?? []);
  return [...new Set(answers.flatMap((answer) => ("path" in answer ? [answer.path] : [])))];
}

const isFactory = (text: string): boolean => /^[\w.]+:\w+$/.test(text);

/** `pkg.mod.name`, as other tools write it. */
function dotted(factory: string, span: Diagnostic["span"]): Details {
  const at = factory.lastIndexOf(".");
  if (at <= 0 || !/^[\w.]+$/.test(factory)) return {};
  return { fixes: [replacement(span, JSON.stringify(`${factory.slice(0, at)}:${factory.slice(at + 1)}`))] };
}

function rootsOf(block: Instance): string[] {
  const path = block.span.source.path;
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
  return [...new Set([folder, `${folder}/src`, ".", "./src"])];
}

/** Whether something in a stretch is reported already. */
type IsWrong = (span: Diagnostic["span"]) => boolean;

function judge(
  block: Instance,
  factory: string,
  span: Diagnostic["span"],
  answer: Signature,
  isWrong: IsWrong,
): Diagnostic[] {
  const name = factory.slice(factory.indexOf(":") + 1);
  switch (answer.status) {
    case "module": {
      const why = `no file of \`${factory.slice(0, factory.indexOf(":"))}\` is beside it`;
      return [pluginUnread(span, { name: block.name ?? "", why })];
    }
    case "unread":
      return [pluginUnread(span, { name: block.name ?? "", why: answer.why })];
    case "value":
      return [pluginCallable(span, { name, path: answer.path, line: answer.line, isAsync: answer.async })];
    case "source":
      return [pluginSource(span, { path: answer.path, line: answer.line })];
    case "name":
      return [
        pluginName(span, { name, path: answer.path }, { valid: suggest(span, name, answer.names).valid ?? [] }),
      ];
    case "found":
      return judgeParameters(block, name, span, answer, isWrong);
  }
}

function judgeParameters(
  block: Instance,
  factory: string,
  span: Diagnostic["span"],
  { parameters, any }: Extract<Signature, { status: "found" }>,
  isWrong: IsWrong,
): Diagnostic[] {
  const types = constructorOf(block).parameters;
  const given = [...block.params].flatMap(([name, { node }]) => {
    const type = types[name]?.type ?? null;
    const alone = node.aliases.length <= 1;
    const names = node.aliases.length === 0 ? [node.name] : node.aliases;
    return names.map((python) => ({
      name: python.text,
      span: python.span,
      type: alone ? type : null,
      whole: node.span,
    }));
  });
  const names = parameters.map((p) => p.name);
  const { value: role } = block.context.property(block, "role", block.span);
  const own = role.kind === "member" ? (handed[role.name] ?? 0) : 0;
  const left = parameters.filter((p) => !given.some(({ name }) => name === p.name));
  const needed = left.filter((p) => p.required).slice(own);
  // What Python does not know is what it misses, under another name: one mistake.
  const strange = given.filter(({ name }) => !any && !names.includes(name));
  const absent = needed.map(({ name }) => name);
  const only = strange.length === 1 && absent.length === 1 ? (absent[0] ?? null) : null;
  const open = left.filter((p) => !p.required || needed.includes(p)).map(({ name }) => name);
  const unknown = strange.map(({ name, span: at }) => {
    const meant = nearest(name, absent) ?? nearest(name, open) ?? only;
    if (meant === null) return pluginParameter(at, { name, factory }, suggest(at, name, names));
    if (absent.includes(meant)) absent.splice(absent.indexOf(meant), 1);
    // Beside others that have defaults it may be any of them.
    const fixes =
      meant === only && open.length > 1 && nearest(name, [meant]) === null ? [] : [replacement(at, meant)];
    return pluginParameter(at, { name, factory }, { valid: names.toSorted(), fixes });
  });
  const unnamed = given.flatMap(({ name, span: at }) =>
    parameters.some((p) => p.name === name && !p.named)
      ? [
          pluginParameter(
            at,
            { name, factory, isUnnamed: true },
            { fix: `Remove the \`/\` from \`def ${factory}(…)\`.` },
          ),
        ]
      : [],
  );
  const missing = absent.map((name) => pluginParameterMissing(span, { name, factory }));
  const mistyped = given.flatMap(({ name, span: at, type, whole }) => {
    const python = parameters.find((p) => p.name === name);
    return python === undefined || type === null || agrees(python, type) || isWrong(whole)
      ? []
      : [pluginParameterType(at, { name, python: python.annotation ?? "", declared: describeType(type) })];
  });
  return [...unknown, ...unnamed, ...missing, ...mistyped];
}

/** False only where an annotation leaves no doubt. */
function agrees({ annotation }: PythonParameter, type: Type): boolean {
  const types = alternatives(type);
  switch (annotation) {
    case "bool":
      return types.some((t) => t.kind === "bool" || t.kind === "any");
    case "str":
      return types.every((t) => !["bool", "number", "list"].includes(t.kind));
    case "int":
      return types.some((t) => (t.kind === "number" && t.integer === true) || t.kind === "any");
    case "float":
      return types.some((t) => t.kind === "number" || t.kind === "any");
    default:
      return true;
  }
}
