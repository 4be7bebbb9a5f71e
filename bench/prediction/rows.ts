/** A row of `measured-runs.jsonl`, as far as it is read. */
export interface Row {
  readonly id: string;
  readonly source?: { readonly path?: string | null };
  readonly model: Readonly<Record<string, unknown>>;
  readonly hardware: {
    readonly gpu: string | null;
    readonly mem_GB?: number | null;
    readonly gpus: number | null;
    readonly nodes: number | null;
    readonly interconnect?: string | null;
  };
  readonly parallel: Readonly<Record<string, number | boolean | string | null>>;
  readonly batch: {
    readonly micro?: number | null;
    readonly grad_acc?: number | null;
    readonly global?: number | null;
  };
  readonly precision?: string | null;
  readonly recompute?: string | null;
  readonly engine: string;
  readonly measured: Readonly<Record<string, number | boolean | null>>;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly notes?: string | null;
  readonly quality: string;
  readonly use?: readonly string[];
  readonly task?: string | null;
}
