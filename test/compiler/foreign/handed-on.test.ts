/** What a script writes for another program to start: a manifest for kubectl, a job for sbatch. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

function found(text: string): readonly string[] {
  const supplied = { world: null, gpusPerNode: null, gpu: null };
  const { diagnostics } = checkForeign([{ path: "run.sh", text }], supplied, () => undefined);
  return diagnostics.flatMap(({ severity, code, span: { source, start } }) =>
    severity === "info" ? [] : [`${code} ${source.text.slice(0, start).split("\n").length}`],
  );
}

const manifest = (
  name: string,
  nodes: string,
  program = "pretrain_gpt.py, --no-such-option",
): string => `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: ${name}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: ${nodes}
      template:
        spec:
          containers:
            - name: pytorch
              image: team/train:1
              command: [torchrun, --nproc-per-node, "8", --standalone, ${program}]`;

it.each([
  ["cat <<EOF | kubectl apply -f -", ""],
  ["kubectl -n team apply -f - <<EOF", ""],
  ["kubectl create --filename=- <<'EOF'", ""],
  ["cat <<EOF > job.yaml", "kubectl apply -f job.yaml\n"],
])("%s: the manifest and what its containers start are judged, each in its line", (head, tail) => {
  const codes = found(`${head}\n${manifest("Llama_Job", "1")}\nEOF\n${tail}`);
  expect(codes).toContain("cdr/kubernetes-name 5");
  expect(codes.filter((code) => code.endsWith(" 15"))).not.toEqual([]);
});

it("what a variable fills is unknown, and input that is no manifest is none", () => {
  const right = manifest("job-$USER", "$NODES", "train.py");
  expect(found(`cat <<EOF | kubectl apply -f -\n${right}\nEOF\n`)).toEqual([]);
  expect(found(`cat <<EOF | kubectl delete -f -\n${manifest("Llama_Job", "1")}\nEOF\n`)).toEqual([]);
  expect(found(`envsubst < job.yaml | kubectl apply -f -\n`)).toEqual([]);
});

const submitted = (options: string, again = ""): string => `cat > job.sbatch <<'EOT'
#!/bin/bash
#SBATCH --gpus-per-node=4
srun torchrun --nnodes $SLURM_NNODES --nproc-per-node $1 --rdzv-backend c10d --rdzv-endpoint h:29500 train.py --deepspeed ds.json
EOT
cat > ds.json <<EOT
{"train_batch_size": 16, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1}
EOT
sbatch ${options} ./job.sbatch 4
${again}`;

it("a job that a script writes has the options and the words of the sbatch that is given it", () => {
  const codes = (text: string): readonly string[] => found(text).filter((code) => /batch-product/.test(code));
  expect(codes(submitted("--nodes=4"))).toEqual([]);
  expect(codes(submitted("--nodes=2"))).toEqual(["cdr/deepspeed-batch-product 7"]);
  // Of two calls nobody knows which is meant.
  expect(codes(submitted("--nodes=2", "sbatch --nodes=4 job.sbatch 4\n"))).toEqual([]);
});
