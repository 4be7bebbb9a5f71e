/** Who reads a raw block, by the kind of block it stands in. */
export const rawReaders: Readonly<Record<string, readonly string[]>> = {
  stage: ["deepspeed", "megatron"],
  launch: ["sbatch"],
};
