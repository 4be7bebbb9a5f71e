import type { Rule } from "../../engine.ts";
import { adapters } from "../../rules/adapters.ts";
import { precision } from "../../rules/precision.ts";
import { rawUnread } from "../../rules/raw-unread.ts";
import { counted } from "./counted.ts";
import { hosted } from "./hosted.ts";
import { rawCombinations } from "./raw-combinations.ts";
import { rawConflicts } from "./raw-conflicts.ts";
import { rawKeys } from "./raw-keys.ts";
import { rawTrainer } from "./raw-trainer.ts";
import { releases } from "./releases.ts";
import { sharding } from "../../rules/sharding.ts";
import { slowPrecision } from "../../rules/slow-precision.ts";
import { unfusedHeads } from "../../rules/unfused-heads.ts";
import { unfusedScan } from "../../rules/unfused-scan.ts";

export const rules: readonly Rule[] = [
  precision,
  slowPrecision,
  unfusedHeads,
  unfusedScan,
  sharding,
  adapters,
  rawUnread,
  releases,
  hosted,
  rawKeys,
  rawConflicts,
  rawCombinations,
  rawTrainer,
  counted,
];
