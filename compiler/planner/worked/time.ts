/** Seconds of a step, part by part, as people can recompute them. */
import { groundOf } from "../adapter/ground.ts";
import { batchOf, layoutOf } from "../adapter/spread.ts";
import { otherWaits } from "../physics/boundaries.ts";
import { timeOf as stepOf } from "../physics/time.ts";
import type { BlockTime } from "../physics/block-time.ts";
import { hostAdamRate, steppedBytes } from "../host-adam.ts";
import { hostedParameters } from "../hosted.ts";
import { hostLink } from "../time.ts";
import type { TimePlan } from "../../plan.ts";
import type { Choice, Setting } from "../setting.ts";
import { figure, product, quotient, sum, type Expression } from "./expression.ts";

export function workedTime(
  setting: Setting,
  choice: Choice,
  parts: TimePlan["parts"],
): Readonly<Record<string, Expression>> {
  const { shape, machine, constants, describe } = groundOf(setting);
  const { engine, stepped = 0 } = describe(choice);
  const layout = layoutOf(setting, choice);
  const { terms } = stepOf(shape, layout, batchOf(setting, choice), engine, machine, constants);
  const count = figure(choice.accumulation, "micro-batches");
  const bandwidth = figure(machine.bandwidth, "bytes/s of memory");
  const peak = figure(machine.flops[engine.format], "FLOP/s of the peak");
  const isNarrow = engine.format === "fp8" || engine.format === "fp4";
  const reached = constants.products * (isNarrow ? constants.narrow : 1);
  const products = ({ products: seconds, flops }: BlockTime): Expression =>
    seconds === 0
      ? figure(0, "")
      : quotient(
          [figure(flops, "FLOPs of matrix products")],
          [
            peak,
            figure(reached, "of it reached by large products (fitted)"),
            figure(
              flops / (seconds * machine.flops[engine.format] * reached),
              "of it after losses to tiles, waves and widths",
            ),
          ],
        );
  const layer = (time: BlockTime): Expression =>
    sum(
      products(time),
      figure(time.core, "s of the attention core"),
      quotient(
        [figure(time.moved, "bytes moved by the kernels between products")],
        [figure(constants.memory, "of it reached by them (fitted)"), bandwidth],
      ),
    );
  const layers = (of: (time: BlockTime) => Expression): Expression =>
    sum(...terms.layers.map(({ count: alike, time }) => product(figure(alike, "layers"), of(time))));
  const talked = (what: string, of: (time: BlockTime) => number): Expression =>
    product(
      count,
      layers((time) => figure(of(time), what)),
    );
  const updated = sum(
    quotient(
      [
        figure(constants.optimizer, "bytes a parameter (fitted)"),
        figure(terms.stepped, "parameters that a rank steps"),
      ],
      [bandwidth],
    ),
    figure(terms.made, "s of Newton-Schulz steps"),
  );
  const { rate, limit } = hostAdamRate(setting.cluster);
  const onHost = quotient(
    [figure(steppedBytes(setting), "bytes a parameter"), figure(hostedParameters(setting), "parameters")],
    [figure(setting.cluster.nodes, "nodes"), figure(rate, `bytes/s of the host, limited by its ${limit}`)],
  );
  const isOffloaded = choice.offload === "optimizer" || choice.offload === "all";
  const known: Readonly<Record<string, Expression>> = {
    compute: product(count, sum(layers(layer), figure(terms.loss, "s of head and loss"))),
    host_launches: talked("s that a layer waits for its launches (fitted)", ({ launches }) => launches),
    tensor_comm: product(
      count,
      sum(
        layers(({ tensor }) => figure(tensor, "s of a layer's gathers and scatters that products do not hide")),
        figure(terms.talks, "s of the table's and the loss's sums"),
      ),
    ),
    expert_comm: talked("s of a layer's tokens on their way to experts and back", ({ expert }) => expert),
    context_comm: talked(
      "s of a layer's keys and values on their way that attention does not hide",
      ({ ring }) => ring,
    ),
    pipeline_comm: product(count, figure(layout.chunks, "chunks"), figure(terms.send, "s between stages")),
    pipeline_bubble: product(
      figure(terms.filling, "that the schedule leaves idle"),
      sum(
        quotient([figure(terms.others, "s of a micro-batch on the other stages")], [figure(layout.chunks, "chunks")]),
        product(
          figure(otherWaits(layout.pipeline), "times over the other boundaries"),
          figure(terms.passing, "s between stages"),
        ),
      ),
    ),
    data_comm: sum(
      figure(terms.exchanged, "s of gradients and weights among replicas"),
      ...(terms.shared > 0 ? [figure(terms.shared, "s of the table that two stages share")] : []),
      figure(-terms.hidden, "s beside the backward pass"),
    ),
    optimizer: isOffloaded
      ? sum(onHost, figure(terms.made, "s of Newton-Schulz steps"))
      : stepped > 0
        ? sum(product(figure(1 - stepped, "of it"), updated), product(figure(stepped, "on hosts"), onHost))
        : updated,
    offload: quotient(
      [figure((parts["offload"] ?? 0) * hostLink, "bytes that are waited for")],
      [figure(hostLink, "bytes/s of the host's link")],
    ),
    other: sum(
      figure(constants.step, "s of a step that nothing else explains (fitted)"),
      figure(terms.added, "s of adding up gradients"),
    ),
    teacher: figure(parts["teacher"] ?? 0, "s of the teacher's forward pass"),
  };
  return Object.fromEntries(Object.entries(known).filter(([part]) => parts[part] !== undefined));
}
