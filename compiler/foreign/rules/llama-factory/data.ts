/** Datasets of LLaMA-Factory: what dataset_info.json says of them, where it lies beside the files. */
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { datasetInfo, isDescribed, type Described } from "../../documents/dataset-info.ts";
import { textIn, toldIn, type Told } from "../../settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

const file = (stage: string, dataset: string): string =>
  `model_name_or_path: m\nstage: ${stage}\nfinetuning_type: lora\ntemplate: default\noutput_dir: out\ndataset: ${dataset}\n`;
const info = (more: string): string => `{ "mine": { "file_name": "mine.json"${more} } }`;

/** Source: llamafactory/data/parser.py: DatasetAttr.join. */
const columns =
  "prompt query response history messages system tools images videos audios chosen rejected kto_tag".split(" ");

/** The names in a list, each with its own place. */
function namesIn({ value, span, known }: Told): readonly { readonly name: string; readonly span: Told["span"] }[] {
  if (!known || typeof value !== "string" || /[${]/.test(value)) return [];
  return value.split(",").flatMap((part) => {
    const name = part.trim();
    const start = span.source.text.indexOf(name, span.start);
    return name === ""
      ? []
      : [{ name, span: start < 0 || start >= span.end ? span : { ...span, start, end: start + name.length } }];
  });
}

function misdescribed(one: Described, stage: string): string | null {
  const own = isDescribed(one["columns"]) ? one["columns"] : {};
  const strange = Object.keys(own).find((name) => !columns.includes(name));
  if (strange !== undefined) {
    const meant = nearest(strange, columns);
    return `there is no column ${strange}${meant === null ? "" : `: did you mean ${meant}?`}; it is not read`;
  }
  const isRanking = one["ranking"] === true;
  if (stage === "rm" || stage === "dpo") {
    if (!isRanking) return `${stage} needs "ranking": true`;
    const missing = ["chosen", "rejected"].find((name) => own[name] === undefined);
    return missing === undefined ? null : `a ranking needs the column ${missing}`;
  }
  if (isRanking) return `a ranking is for rm and dpo, not for ${stage}`;
  return stage === "kto" && own["kto_tag"] === undefined ? "kto needs the column kto_tag" : null;
}

export const llamaFactoryDataRules: readonly ForeignRule[] = [
  rule({
    name: "llama-factory-dataset",
    source:
      "llamafactory/data/parser.py: get_dataset_list, DatasetAttr.join; data/loader.py: _load_single_dataset, _get_merged_dataset; data/converter.py",
    why: "A dataset is the name of an entry in dataset_info.json, not a path. The entry describes the columns, by fixed names, and whether answers are ranked; if it does not fit the stage, the run stops when the data is read.",
    fix: "Write a name from dataset_info.json, and describe its columns there: prompt, response; chosen and rejected with ranking for rm and dpo; kto_tag for kto.",
    check: (launch) => {
      const { trainer } = launch;
      if (trainer === null || !trainer.has("stage") || !trainer.has("finetuning_type")) return [];
      const stage = textIn(trainer, "stage") ?? "sft";
      return ["dataset", "eval_dataset"].flatMap((option): readonly Found[] => {
        const told = toldIn(trainer, option);
        const all = told === undefined ? null : datasetInfo(launch, trainer, told);
        if (told === undefined || all === null) return [];
        return namesIn(told).flatMap(({ name, span }): readonly Found[] => {
          const one = Object.hasOwn(all, name) ? all[name] : undefined;
          if (one === undefined) {
            const meant = nearest(name.replace(/^.*\/|\.jsonl?$/g, ""), Object.keys(all));
            return [
              {
                span,
                message: `dataset_info.json has no ${name}${meant === null ? "" : `: did you mean ${meant}?`}`,
                valid: meant === null ? Object.keys(all).slice(0, 20) : [meant],
              },
            ];
          }
          const wrong = isDescribed(one) ? misdescribed(one, stage) : null;
          return wrong === null ? [] : [{ span, message: `${name} of dataset_info.json: ${wrong}` }];
        });
      });
    },
    fires: { "sft.yaml": file("sft", "mined"), "data/dataset_info.json": info("") },
    silent: { "sft.yaml": file("sft", "mine"), "data/dataset_info.json": info("") },
  }),
];
