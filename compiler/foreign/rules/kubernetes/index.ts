import type { ForeignRule } from "../rule.ts";
import { kubernetesCountRules } from "./counts.ts";
import { kubernetesElasticRules } from "./elastic.ts";
import { kubernetesFieldRules } from "./fields.ts";
import { kubernetesRules } from "./kubernetes.ts";
import { kubernetesJobSetRules } from "./jobset.ts";
import { kubernetesMpiJobRules } from "./mpijob.ts";
import { kubernetesNameRules } from "./names.ts";
import { kubernetesRequiredRules } from "./required.ts";
import { kubernetesResourceRules } from "./resources.ts";
import { kubernetesRestartRules } from "./restarts.ts";
import { kubernetesTrainJobRules } from "./trainjob.ts";

export const kubernetes: readonly ForeignRule[] = [
  ...kubernetesRules,
  ...kubernetesCountRules,
  ...kubernetesElasticRules,
  ...kubernetesNameRules,
  ...kubernetesFieldRules,
  ...kubernetesRequiredRules,
  ...kubernetesTrainJobRules,
  ...kubernetesResourceRules,
  ...kubernetesMpiJobRules,
  ...kubernetesRestartRules,
  ...kubernetesJobSetRules,
];
