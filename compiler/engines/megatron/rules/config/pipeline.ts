/** Uneven pipeline stages. */
import { rulesOf, type Step } from "../../step.ts";

const { ban, demand } = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__");

export const unevenStages: readonly Step[] = [
  ban("stages-uneven-and-tables", {
    about: ["decoder_first_pipeline_num_layers", "account_for_embedding_in_pipeline_split"],
    when: (a) =>
      (a.decoder_first_pipeline_num_layers !== null || a.decoder_last_pipeline_num_layers !== null) &&
      (a.account_for_embedding_in_pipeline_split || a.account_for_loss_in_pipeline_split),
    says: "--decoder-first/last-pipeline-num-layers and --account-for-embedding/loss-in-pipeline-split both shorten the ends",
    why: "Both make the first and the last stage shallower, one by a number and one by counting their tables as layers; together the depth is ambiguous.",
    fix: "Leave --account-for-embedding-in-pipeline-split and --account-for-loss-in-pipeline-split out, or the depths of the ends.",
    fires:
      "--pipeline-model-parallel-size 2 --decoder-first-pipeline-num-layers 5 --account-for-loss-in-pipeline-split",
    silent: "--pipeline-model-parallel-size 2 --decoder-first-pipeline-num-layers 5",
  }),
  ban("stages-layout-and-ends", {
    about: ["pipeline_model_parallel_layout", "decoder_first_pipeline_num_layers"],
    when: (a) =>
      a.pipeline_model_parallel_layout !== null &&
      (a.decoder_first_pipeline_num_layers !== null ||
        a.decoder_last_pipeline_num_layers !== null ||
        a.account_for_embedding_in_pipeline_split ||
        a.account_for_loss_in_pipeline_split),
    says: "--pipeline-model-parallel-layout already sets the layers of the first and the last stage",
    why: "A layout lists what every stage holds, including the first and the last; another option would set it twice.",
    fix: "Leave the depths of the ends and the counting of tables out, and write the layers of each stage in the layout.",
    fires:
      "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et*6|t*6L --account-for-loss-in-pipeline-split",
    silent: "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et*6|t*6L",
  }),
  demand("stages-uneven", {
    about: ["decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers", "num_layers"],
    check: (a) => {
      const ends = [
        ["first", a.decoder_first_pipeline_num_layers],
        ["last", a.decoder_last_pipeline_num_layers],
      ] as const;
      const given = ends.flatMap(([name, layers]) => (layers === null ? [] : [{ name, layers }]));
      if (given.length === 0 || a.pipeline_model_parallel_layout !== null || a.num_layers === null) return null;
      const chunks = a.virtual_pipeline_model_parallel_size;
      for (const { name, layers } of given) {
        if (layers <= 0) return `the ${name} pipeline stage holds ${layers} layers`;
        if (chunks !== null && layers % chunks !== 0)
          return `${layers} layers of the ${name} stage cannot be divided evenly into ${chunks} chunks`;
      }
      const layers = a.num_layers - given.reduce((sum, each) => sum + each.layers, 0);
      const stages = a.pipeline_model_parallel_size - given.length;
      if ((layers !== 0) !== (stages !== 0)) return `${layers} layers are left for ${stages} stages in the middle`;
      if (stages > 0 && layers % stages !== 0)
        return `${layers} layers cannot be divided evenly among ${stages} stages in the middle`;
      return stages > 0 && chunks !== null && (layers / stages) % chunks !== 0
        ? `${layers / stages} layers of a stage in the middle cannot be divided evenly into ${chunks} chunks`
        : null;
    },
    why: "The stages between the first and the last are equally deep, and every stage is split into the same number of chunks.",
    fix: "Choose --decoder-first-pipeline-num-layers and --decoder-last-pipeline-num-layers so that the layers between them divide evenly among the middle stages, and every stage into its chunks.",
    fires: "--pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 2",
    silent: "--pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 3",
  }),
  demand("chunks-with-tables", {
    about: ["num_virtual_stages_per_pipeline_rank", "num_layers", "account_for_embedding_in_pipeline_split"],
    check: (a) => {
      const tables = Number(a.account_for_embedding_in_pipeline_split) + Number(a.account_for_loss_in_pipeline_split);
      const chunks = a.virtual_pipeline_model_parallel_size;
      if (tables === 0 || chunks === null || a.num_layers === null || a.pipeline_model_parallel_layout !== null)
        return null;
      const [layers, stages] = [a.num_layers + tables, a.pipeline_model_parallel_size];
      if (layers % stages !== 0)
        return `${layers} layers (tables counted) cannot be divided evenly into ${stages} pipeline stages`;
      return (layers / stages) % chunks === 0
        ? null
        : `${layers / stages} layers of a stage (tables counted) cannot be divided evenly into ${chunks} chunks`;
    },
    why: "Each table counts as a layer, and every stage is split into the same number of chunks.",
    fix: "Set --num-virtual-stages-per-pipeline-rank to a divisor of the layers of a stage, tables counted.",
    fires:
      "--num-layers 10 --pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 4 --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split",
    silent:
      "--num-layers 10 --pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 3 --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split",
  }),
];
