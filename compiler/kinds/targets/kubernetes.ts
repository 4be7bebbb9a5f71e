import type { Constructor, Property, Type } from "../../../dsl/kind.ts";
import { bytes, choice, duration, enumeration, integer, noneType, quantity, union } from "../../../dsl/types/type.ts";
import { label, resource, selector, subdomain, version } from "../forms.ts";

const retries: Property = {
  type: integer({ min: 0 }),
  doc: "number of restarts after failures; each continues from the last checkpoint",
  default: "3",
};
const backoff: Property = {
  type: integer({ min: 0 }),
  doc: "its `backoffLimit`, which counts every pod that fails; as many as `retries` restarts of all pods need by default",
};
const queue: Property = { type: subdomain, doc: "its queue; all its pods start together or none" };

/** What makes pods of a run. */
const controllers: Type = choice("controller", {
  pytorchjob: {
    doc: "Kubeflow's PyTorchJob: it names the ranks, and lets them find one another",
    parameters: { retries, backoff, queue },
  },
  job: {
    doc: "a plain Job; on several nodes an Indexed Job of one pod each, the first of which the others meet",
    parameters: { retries, backoff },
  },
  volcano: { doc: "a Volcano Job", parameters: { retries, queue: { ...queue, required: true } } },
});

export const kubernetes: Constructor = {
  doc: "a Kubernetes cluster; nodes, devices and ranks follow from the launch's cluster",
  runs: "compiled",
  parameters: {
    namespace: { type: label, doc: "where its objects live", required: true },
    version: {
      type: version,
      doc: 'the oldest release of Kubernetes that it must run on: `"1.25"`',
    },
    controller: { type: controllers, doc: "the kind of object that makes its pods", default: "pytorchjob" },
    cpu: {
      type: union(integer({ min: 1 }), quantity([{ core: 1 }], { integer: true, min: 1 })),
      doc: "cores per pod; nothing is asked for by default",
    },
    memory: { type: bytes, doc: "host memory per pod; nothing is asked for by default" },
    shm: { type: bytes, doc: "shared memory, for the workers that load data", default: "16 GiB" },
    devices: {
      type: resource,
      doc: "the resource that its GPUs are; `amd.com/gpu` of AMD's, `nvidia.com/gpu` of all others by default",
    },
    rdma: { type: integer({ min: 1 }), doc: "RDMA devices per pod" },
    rdma_devices: {
      type: resource,
      doc: "the resource that its RDMA devices are, which the plugin of the cluster names",
      default: '"rdma/hca"',
    },
    spot: {
      type: union(noneType, enumeration("spot", ["workers", "all"])),
      doc: "which pods may run on machines that can be reclaimed; the first pod coordinates, so `workers` excludes it",
    },
    selector: { type: selector, doc: "a label that nodes must have: `accelerator=nvidia-a100`" },
    priority: { type: subdomain, doc: "priority class" },
    time: { type: duration, doc: "how long a job may take, restarts included; no limit by default" },
    ready: { type: duration, doc: "how long pods may take to start", default: "30 min" },
    grace: { type: duration, doc: "how long a stop may take to save", default: "2 min" },
  },
};
