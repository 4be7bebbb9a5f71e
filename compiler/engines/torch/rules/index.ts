import type { Rule } from "../../engine.ts";
import { adapters } from "../../rules/adapters.ts";
import { precision } from "../../rules/precision.ts";
import { rawUnread } from "../../rules/raw-unread.ts";
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
];
