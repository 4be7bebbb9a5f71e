/** Packages that cannot be together, and Pythons that no release of PyTorch was built for. */
import { array, assert, constantFrom, nat, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { canBeMet, meets, requirementOf } from "../../../compiler/passes/operations/requirement.ts";
import { torchReleases } from "../../../compiler/passes/operations/torch-releases.ts";
import { alone } from "../../support/alone.ts";

function told(python: string): readonly string[] {
  const { diagnostics } = compile({ path: "main.cdr", text: `python tools { ${python} }\n` }, alone);
  return diagnostics.map(({ code, valid }) => [code, ...valid].join(" "));
}

const list = (...packages: readonly string[]): string => `packages = ${JSON.stringify(packages)}`;

describe("Pythons", () => {
  it.each([
    ['version = "3.8"', "torch == 2.5", '"3.9" "3.10" "3.11" "3.12" "3.13"'],
    ['version = "3.12.4"', "torch==2.0.*", '"3.8" "3.9" "3.10" "3.11"'],
    ['version = "3.7"', "torch~=2.1", '"3.8" "3.9" "3.10" "3.11" "3.12" "3.13" "3.14" "3.15"'],
    ['version = "3.10"', "torch==2.15.0", '"3.11" "3.12" "3.13" "3.14" "3.15"'],
    ['version = "3.8"', "torch>=2.5", '"3.9" "3.10" "3.11" "3.12" "3.13" "3.14" "3.15"'],
    [
      'version = "3.8", index = ["https://mirror.example.com/whl/cu121"]',
      "torch==2.5.1",
      '"3.9" "3.10" "3.11" "3.12" "3.13"',
    ],
    ["", "torch[opt]==1.12.1+cu113", '"3.7" "3.8" "3.9" "3.10"'],
  ])("%s with %s", (version, torch, valid) => {
    expect(told(`${version}${version === "" ? "" : ", "}${list(torch)}`)).toEqual([`cdr/python-release ${valid}`]);
  });

  it.each([
    ['version = "3.8"', "torch==2.4.1"],
    ['version = "3.12"', "torch>=2.0"],
    ['version = "3.16"', "torch>=2.0"],
    ['version = "3.16"', "torch~=2.5"],
    ['version = "3.8"', "torch==9.0"],
    ['version = "3.8", index = ["https://example.org/simple"]', "torch==2.5.1"],
    ['version = "3.9", index = ["https://mirror.example.com/whl/cu121"]', "torch==2.5.1"],
    ['version = "3.8"', "torchvision==0.20.1"],
    ['version = "3"', "torch==2.5.1"],
  ])("%s takes %s", (version, torch) => expect(told(`${version}, ${list(torch)}`)).toEqual([]));

  it("are those of each release, in order", () => {
    const later = torchReleases.map(({ python }) => python);
    for (const [i, [from, to]] of later.entries()) {
      expect(from).toBeLessThan(to);
      expect([from >= (later[i - 1]?.[0] ?? 0), to >= (later[i - 1]?.[1] ?? 0)]).toEqual([true, true]);
    }
  });
});

describe("requirements", () => {
  it.each([
    [["numpy>=2", "numpy<2"], ["cdr/python-pins"]],
    [["numpy==2.1.*", "numpy==2.1.3"], []],
    [["numpy~=2.1", "numpy==3.0"], ["cdr/python-pins"]],
    [["numpy>2.0", "numpy<=2.0"], ["cdr/python-pins"]],
    [["numpy!=2.0", "numpy==2.0.0"], ["cdr/python-pins"]],
    [["Flash_Attn==2.5", "flash-attn==2.6"], ["cdr/python-pins"]],
    [["numpy", "numpy==2.0"], []],
  ])("%j", (packages, codes) => expect(told(list(...packages))).toEqual(codes));

  it("that some version meets can be met", () => {
    const op = constantFrom("==", ">=", "<=", "<", ">", "~=", "!=");
    const version = array(nat(3), { minLength: 2, maxLength: 3 });
    const clauses = array(tuple(op, version), { minLength: 1, maxLength: 4 });
    assert(
      property(clauses, version, (all, tried) => {
        const demand = requirementOf(`x${all.map(([o, v]) => `${o}${v.join(".")}`).join(",")}`);
        if (demand === null) throw new Error("read");
        expect(!meets(tried, demand) || canBeMet(demand.clauses)).toBe(true);
      }),
    );
  });
});

describe("what packages take of each other", () => {
  it.each([
    [list("vllm==0.2.7", "torch==2.8.0"), "torch==2.1.2 vllm>=0.1.4,<0.2.6 vllm>=0.10.2,<0.11.1"],
    [
      list("torchvision==0.19.0", "torch==2.5.1"),
      "torch==2.4.0 torchvision>=0.3.0,<0.4.0 torchvision>=0.20.1,<0.21.0",
    ],
    [list("transformers==4.53.0", "accelerate==0.25.0"), "accelerate>=0.26.0 transformers>=4.29.0,<4.45.0"],
  ])("%s", (packages, valid) => {
    expect(told(packages)).toEqual([`cdr/python-demand ${valid}`]);
  });

  it.each([
    list("vllm==0.2.7", "torch==2.1.2"),
    list("vllm>=0.2.7", "torch==2.8.0"),
    list("torchvision==0.19.0", "torch>=2.2"),
    list("transformers==4.53.0", "accelerate>=0.26"),
    list("unheard==1.0", "torch==2.8.0"),
  ])("%s go together, or nobody knows", (packages) => {
    expect(told(packages)).toEqual([]);
  });
});
