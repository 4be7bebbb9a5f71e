/** What a check, and each keystroke in an editor, does not work out: it is made when somebody asks. */
import { describe, expect, it, vi } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { engines } from "../../../compiler/engines/index.ts";
import { remember } from "../../../compiler/passes/remember.ts";
import { workedMemory } from "../../../compiler/planner/worked/memory.ts";
import { workedTime } from "../../../compiler/planner/worked/time.ts";

vi.mock("../../../compiler/planner/worked/memory.ts", { spy: true });
vi.mock("../../../compiler/planner/worked/time.ts", { spy: true });

const file = (
  name: string,
  rate: string,
  shape: string,
  samples: number,
): string => `import "std/clusters" { dgx_h100 }
model small { family = llama, ${shape}, vocab = 32_000 }
data web { from = "web.jsonl", tokenizer = bpe(vocab = 32_000) }
stage ${name} { model = small, data = web, length = 2B tokens, batch = ${samples} samples, optimizer = adamw(lr = ${rate}) }
cluster pod extends dgx_h100 { nodes = 2 }
launch hpc on pod { target = slurm() }
`;

/** torch is plain enough for the one, and too slow beside Megatron for the other. */
const plain = (name: string, rate: string): string =>
  file(name, rate, "layers = 8, d_model = 1024, heads = 8, d_ff = 2816, context = 1024 tokens", 256);
const slow = (name: string, rate: string): string =>
  file(name, rate, "layers = 40, d_model = 5120, heads = 40, d_ff = 13824, context = 4096 tokens", 512);

function compiled(text: string) {
  return compile(
    { path: "main.cdr", text },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
      read: () => undefined,
      environment: () => undefined,
      host: () => undefined,
    },
  );
}

/** The plans that the rules of an engine are asked of while a file is compiled. */
function askedOf(engine: keyof typeof engines, text: string): ReadonlySet<unknown> {
  const asked = new Set<unknown>();
  const spies = engines[engine].rules.map((rule) => {
    const { check } = rule;
    return vi.spyOn(rule, "check").mockImplementation((stage, plan, cluster) => {
      // Some rules are those of several engines.
      if (plan.engine === engine) asked.add(plan);
      return check(stage, plan, cluster);
    });
  });
  compiled(text);
  for (const spy of spies) spy.mockRestore();
  return asked;
}

describe("a check", () => {
  it("works no figure out that only explanations show", () => {
    const { plan, diagnostics } = compiled(plain("pretrain", "3e-4"));
    expect(diagnostics).toEqual([]);
    expect(workedMemory).not.toHaveBeenCalled();
    expect(workedTime).not.toHaveBeenCalled();
    expect(Object.keys(plan.stages[0]?.origins ?? {})).toContain("memory.peak");
    expect(workedMemory).toHaveBeenCalled();
    expect(workedTime).toHaveBeenCalled();
  });

  it("asks a faster engine whether it starts only where the choice rests on that", () => {
    expect(compiled(plain("pretrain", "1e-4")).plan.stages[0]?.engine).toBe("torch");
    expect(askedOf("megatron", plain("pretrain", "2e-4")).size).toBe(0);
    expect(compiled(slow("pretrain", "1e-4")).plan.stages[0]?.engine).toBe("deepspeed");
    expect(askedOf("megatron", slow("pretrain", "2e-4")).size).toBe(1);
  });

  it("asks it once for as long as the stage says the same", () => {
    compiled(slow("pretrain", "4e-4"));
    expect(askedOf("megatron", `// Another day.\n\n${slow("again", "4e-4")}`).size).toBe(0);
  });
});

describe("what is remembered", () => {
  it("is bounded", () => {
    const work = vi.fn((n: number) => n);
    const once = remember(work, () => true);
    const most = 1000;
    for (let n = 0; n < most; n++) once(n);
    once(most - 1);
    expect(work).toHaveBeenCalledTimes(most);
    once(0);
    expect(work).toHaveBeenCalledTimes(most + 1);
  });
});
