/** Rows that are sums of profiled layers, though their source calls them measured. */
import type { Row } from "./rows.ts";

/**
 * Times of vTrain's sweep on one node are `a + n (b + l c) + l d` of `n` micro-batches and `l` layers, to the nanosecond with one replica, with
 * one `c` for each width, number of tensor ranks and micro-batch, whatever the stages: its predictor's sums of one profile, not runs. Nothing
 * runs forward again in them, whatever they say: its last stage never does (src/predictor.py: create_layer_graph), and layers before it take as long.
 */
export const isComposed = ({ source }: Row): boolean => source?.path?.endsWith("ground_truth_single.csv") === true;
