import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { registry } from "../../../compiler/kinds/index.ts";
import { readSignatures } from "../../../compiler/plugins/python.ts";
import { verifyPlugins } from "../../../compiler/plugins/verify.ts";
import { createProgram } from "../../../dsl/eval/program.ts";

const folder = mkdtempSync(join(tmpdir(), "cdr-plugins-"));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
write(
  "lab/losses.py",
  `raise RuntimeError("a module that must not be imported")
from dataclasses import dataclass
from .inner import hidden as shown

def clipped(clamp: float, *, floor: int = 0): ...
def open_(clamp, **rest): ...
def placed(clamp, /, floor=0): ...
async def later(clamp): ...

class Wide:
    def __init__(self, width: int, bias: bool = True): ...

@dataclass
class Small:
    width: int
    depth: int = 2

class Narrow(Wide):
    def narrow(self): ...

@dataclass
class Smaller(Small):
    depth: int = 1
    height: int = 3

class Foreign(nn.Module):
    def forward(self, x): ...

VAL = 3
TABLE = {"clipped": clipped}
short = lambda clamp, floor=0: clamp
alias = clipped
made = partial(clipped, floor=1)
try:
    from fast import quick
except ImportError:
    def quick(clamp: float): ...
`,
);
write("lab/inner.py", "def hidden(alpha, beta=1): ...\n");
write("hops/one.py", "from .two import far\nfrom .two import *\nfrom .nowhere import odd\n");
write("hops/two.py", "from .three import far\nfrom .three import *\nfrom .one import *\n");
write("hops/three.py", "from .four import far\nfrom .four import *\n");
write("hops/four.py", "def far(clamp, floor=0): ...\ndef star(clamp, floor=0): ...\nleft, *rest = both()\n");
write("hops/lazy.py", "def __getattr__(name): ...\n");
write("hops/foreign.py", "from torch.nn import *\n");
write("src/deep/__init__.py", "def make(params, lr: float, betas=(0.9, 0.95)): ...\n");
write("broken.py", "def (:\n");

function diagnosticsOf(plugin: string, read: typeof readSignatures | null) {
  const program = createProgram({ path: join(folder, "main.cdr"), text: `plugin p { ${plugin} }` }, registry, {
    preset: null,
    overlays: [],
    overlayFiles: [],
    sets: [],
    read: () => undefined,
    environment: () => undefined,
    host: () => undefined,
  });
  return [...program.diagnostics, ...verifyPlugins(program, read ?? undefined)];
}
function told(plugin: string, read: typeof readSignatures | null = readSignatures): string[] {
  return diagnosticsOf(plugin, read).map(
    (d) => `${d.code}: ${d.message.replaceAll(folder, "")}${d.valid.length > 0 ? ` [${d.valid.join(" ")}]` : ""}`,
  );
}
const loss = (name: string, params: string, module = "lab.losses") =>
  `role = loss, factory = "${module}:${name}", ${params}`;

describe("plugins held against their Python source", () => {
  it.each([
    loss("clipped", "param clamp: Number = 2.0"),
    loss("clipped", "param c as clamp: Number, param floor: Int = 1"),
    loss("open_", "param clamp: Number, param whatever: Int = 3"),
    loss("Wide", "param width: Int"),
    loss("Small", "param width: Int, param depth: Int = 1"),
    loss("shown", "param alpha: Number"),
    loss("Narrow", "param width: Int"),
    loss("Smaller", "param width: Int, param height: Int = 2"),
    loss("short", "param clamp: Number"),
    loss("alias", "param clamp: Number"),
    loss("quick", "param clamp: Number"),
    loss("far", "param clamp: Number, param floor: Int = 1", "hops.one"),
    loss("star", "param clamp: Number, param floor: Int = 1", "hops.one"),
    'role = optimizer, factory = "deep:make", param lr: Float, param betas: [Float] = [0.9, 0.95]',
  ])("agree: %s", (plugin) => {
    expect(told(plugin)).toEqual([]);
  });

  it.each([
    [
      loss("clipped", "param clamp: Number, param flor: Int = 1"),
      "cdr/plugin-parameter: `clipped` has no parameter `flor` [clamp floor]",
    ],
    [
      loss("clipped", "param clampp: Number = 2.0"),
      "cdr/plugin-parameter: `clipped` has no parameter `clampp` [clamp floor]",
    ],
    [
      loss("placed", "param clamp: Number, param floor: Int = 1"),
      "cdr/plugin-parameter: `placed` takes `clamp` by its place alone, and a `param` is passed by its name",
    ],
    [
      loss("later", "param clamp: Number"),
      "cdr/plugin-callable: `later` is `async` in line 8 of /lab/losses.py: a call of it gives a coroutine, not the plugin",
    ],
    [loss("Wide", "param breadth: Int"), "cdr/plugin-parameter: `Wide` has no parameter `breadth` [bias width]"],
    [
      loss("clipped", "param floor: Int = 1"),
      "cdr/plugin-parameter-missing: `clipped` needs `clamp`, but no `param` provides it",
    ],
    [
      loss("clipped", "param clamp: Bool = true"),
      "cdr/plugin-parameter-type: Python's `clamp` is `float`, but the `param` is true or false",
    ],
    [
      loss("Wide", "param width: Number"),
      "cdr/plugin-parameter-type: Python's `width` is `int`, but the `param` is a number",
    ],
    [
      loss("clippd", "param clamp: Number"),
      "cdr/plugin-name: /lab/losses.py defines no `clippd` [Foreign Narrow Small Smaller TABLE VAL Wide alias clipped dataclass later made open_ placed quick short shown]",
    ],
    [loss("Narrow", "param breadth: Int"), "cdr/plugin-parameter: `Narrow` has no parameter `breadth` [bias width]"],
    [
      loss("Smaller", "param height: Int"),
      "cdr/plugin-parameter-missing: `Smaller` needs `width`, but no `param` provides it",
    ],
    [
      loss("short", "param floor: Int"),
      "cdr/plugin-parameter-missing: `short` needs `clamp`, but no `param` provides it",
    ],
    [
      loss("alias", "param floor: Int"),
      "cdr/plugin-parameter-missing: `alias` needs `clamp`, but no `param` provides it",
    ],
    [loss("VAL", ""), "cdr/plugin-callable: `VAL` cannot be called: line 29 of /lab/losses.py gives it a value"],
    [loss("TABLE", ""), "cdr/plugin-callable: `TABLE` cannot be called: line 30 of /lab/losses.py gives it a value"],
    [
      loss("Foreign", "param x: Int"),
      "cdr/plugin-unread: the parameters of `p` cannot be checked against Python: `Foreign` takes what `nn.Module` takes, which is not beside it",
    ],
    [
      loss("made", "param x: Int"),
      "cdr/plugin-unread: the parameters of `p` cannot be checked against Python: `made` is what running line 33 of /lab/losses.py makes it",
    ],
    [
      loss("shown", "param gamma: Number", "lab.losses"),
      "cdr/plugin-parameter: `shown` has no parameter `gamma` [alpha beta]",
    ],
    [loss("far", "param flor: Int", "hops.one"), "cdr/plugin-parameter: `far` has no parameter `flor` [clamp floor]"],
    [
      loss("star", "param floor: Int", "hops.one"),
      "cdr/plugin-parameter-missing: `star` needs `clamp`, but no `param` provides it",
    ],
    [
      loss("stars", "param clamp: Int", "hops.one"),
      "cdr/plugin-name: /hops/one.py defines no `stars` [far left odd rest star]",
    ],
    [
      loss("rest", "", "hops.one"),
      "cdr/plugin-unread: the parameters of `p` cannot be checked against Python: `rest` is what running line 3 of /hops/four.py makes it",
    ],
    [
      loss("any", "", "hops.lazy"),
      "cdr/plugin-unread: the parameters of `p` cannot be checked against Python: `any` is what `__getattr__` of /hops/lazy.py makes it",
    ],
    [
      loss("L1Loss", "", "hops.foreign"),
      "cdr/plugin-unread: the parameters of `p` cannot be checked against Python: `L1Loss` comes from `torch.nn`, which is not beside it",
    ],
    [loss("x", "", "broken"), "cdr/plugin-source: /broken.py is not valid Python (line 1)"],
    [
      loss("x", "", "elsewhere"),
      "cdr/plugin-unread: the parameters of `p` cannot be checked against Python: no file of `elsewhere` is beside it",
    ],
    [
      'role = loss, factory = "lab.losses.clipped"',
      'cdr/plugin-factory: "lab.losses.clipped" does not name a function or class: write "package.module:name"',
    ],
  ])("disagree: %s", (plugin, message) => {
    expect(told(plugin)[0]).toBe(message);
  });

  it.each([
    // Only `clamp` may be meant, or another one as well.
    ["param breadth: Int", "Wide", []],
    ["param widht: Int", "Wide", ["width"]],
    ["param clamp: Number, param flor: Int = 1", "clipped", ["floor"]],
    ["param beta1: Int, param alpha: Number", "shown", ["beta"]],
    ["param lrate: Float", "deep:make", []],
  ])("a fix names what is meant and nothing else: %s of %s", (params, name, fixes) => {
    const plugin = name.includes(":") ? `role = optimizer, factory = "${name}", ${params}` : loss(name, params);
    const found = diagnosticsOf(plugin, readSignatures).flatMap((d) => d.fixes.flatMap(({ edits }) => edits));
    expect(found.map(({ newText }) => newText)).toEqual(fixes);
  });

  it("what cannot be read is believed, and said", () => {
    expect(told(loss("clipped", "param clamp: Number"), null)).toEqual([
      "cdr/plugin-unread: the parameters of `p` cannot be checked against Python: there is no Python here",
    ]);
  });

  it("a Python that does not answer is not called missing", () => {
    write("bin/python3", "#!/bin/sh\nexec sleep 60\n");
    chmodSync(join(folder, "bin/python3"), 0o755);
    vi.stubEnv("PATH", `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`);
    expect(told(loss("clipped", "param clamp: Number"))).toEqual([
      "cdr/plugin-unread: the parameters of `p` cannot be checked against Python: Python did not answer within 5 s",
    ]);
    vi.unstubAllEnvs();
  });
});
