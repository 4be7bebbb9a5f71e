/** What an engine allocates and overlaps, as data: its descriptor is read from its source, its constants are measured. */
import type { Routing } from "./load.ts";
import type { Format } from "./machine.ts";

/** Bytes per parameter, by what holds them. */
export interface StateBytes {
  /** The copy that products read. */
  readonly weights: number;
  /** Gradients that live through the whole step. */
  readonly gradients: number;
  /** Gradients of a backward pass, beside the held ones, below stage 2. */
  readonly transient: number;
  /** Buckets of whole gradients that are reduced by hooks, where there are replicas. */
  readonly hooked?: number;
  /** Master weights and moments. */
  readonly optimizer: number;
  /** Temporaries of the optimizer while it steps. */
  readonly step: number;
  /** `optimizer` of the tables and the norm at a model's two ends, where that is another. */
  readonly ends?: { readonly first: number; readonly last: number };
  /** Weights without gradients; 2 where absent. */
  readonly frozen?: number;
}

/** Bytes that autograd keeps of one layer, in multiples of a width and per token. */
export interface Kept {
  /** Of the residual stream, for each sublayer (its norm's input and output, residual sums, dropout masks); cut by sequence parallelism. */
  readonly stream: number;
  /** Of the same, kept whole by each of several tensor ranks even with sequence parallelism, while the host runs ahead of the device. */
  readonly whole: number;
  /** Of the residual stream, in buffers that all layers share: whole on each of several tensor ranks. */
  readonly shared?: number;
  /** Of queries, keys and values together. */
  readonly qkv: number;
  /** Of the core's output. */
  readonly core: number;
  /** Of the feed-forward width, by whether it is gated. */
  readonly plain: number;
  readonly gated: number;
  /** Of an expert's width beside those: what the routing weights were multiplied with. */
  readonly routed?: number;
  /** Of a head's score, where they are materialised. */
  readonly scores: number;
  /** Of what a product read; 2 where absent. */
  readonly read?: number;
}

export interface Engine {
  readonly name: string;
  /** Bytes of libraries' workspaces inside the allocator; absent: in the measured runtime. */
  readonly workspaces?: number;
  /** Causal masks are tensors of `sequence x sequence` bytes a sample. */
  readonly mask?: boolean;
  /** Bytes per element of a second copy of the head's table. */
  readonly table?: number;
  readonly states: StateBytes;
  readonly kept: Kept;
  /** The same under selective recomputation, where that is by operator and not of the attention core. */
  readonly selective?: Kept;
  /** Scores are written to memory. */
  readonly materialised: boolean;
  /** Bytes per token and row of the vocabulary while the loss runs backward. */
  readonly logits: number;
  /** The head runs with the loss on a chunk of tokens at a time: how they are cut, or into how many; on all at once where absent. */
  readonly chunked?: "by-width" | number;
  /** How layers are dealt to stages: evenly, or by the work of layers and head. */
  readonly partition: "even" | "work";
  /** It starts no pipeline with fewer micro-batches than stages less one. */
  readonly fills?: true;
  /** The vocabulary is padded to a multiple of this, times the tensor ranks. */
  readonly padding: number;
  readonly format: Format;
  /** What runs beside products: gathers of the same layer, reductions of gradients, sends between stages. */
  readonly overlaps: {
    readonly tensor: boolean;
    readonly data: boolean;
    readonly pipeline: boolean;
    /** Sends run so while a pipeline fills and drains, too, as far as a stage has another chunk to run. */
    readonly filling?: true;
    /** Tokens of one micro-batch go to their experts and come back beside the products of another. */
    readonly experts?: true;
    /** `false`: gradients are reduced when the backward pass is over; `"whole"`: so are those that are cut into shards. */
    readonly gradients?: false | "whole";
    /** `false`: weights are gathered after the optimizer's step, and the next waits for them. */
    readonly weights?: false;
  };
  /** A token is sent once to each node and rank that holds experts of it, not once to each expert. */
  readonly once?: boolean;
  /** As if tokens were dealt evenly to experts where absent. */
  readonly routing?: Routing;
  /** Seconds of the sleeps by which stages wait at a boundary, forward and back, where messages stall: read from its source, whoever measured it. */
  readonly polled?: number;
  /** Without stages: ranks on the nodes of a data group from which on its host waits in half of all runs and is not ahead. */
  readonly waits?: number;
  /** Layers whose forward passes fit into the queue of a device's launches: so far a host runs ahead; without end where absent. */
  readonly queue?: number;
  /** Experts' products, their activation and what scales its operands are one kernel each way: nothing between the two products passes memory by itself. */
  readonly fused?: true;
  /** FLOPs of a layer and micro-batch that take a device as long as its host takes to launch them. */
  readonly pace?: number;
  /** Bytes per parameter of the buffers through which weights that a sharded step made are gathered: in one piece, and in one of each rank; gathered in place where absent. */
  readonly collected?: { readonly whole: number; readonly pieces: number };
  /** Newton-Schulz steps on the momentum of each matrix of a block; none where absent. */
  readonly orthogonalised?: number;
  /** `false`: tensor ranks gather a matrix that they share and each works on the whole; on its own part where absent. */
  readonly blockwise?: false;
  /** Bytes per gradient as they are reduced. */
  readonly reduced: number;
  /** Bytes that pass memory, for each gradient of each micro-batch, where a pass of its own adds it to those before. */
  readonly added?: number;
  /** Ranks that share a sequence trade its tokens for heads (Ulysses); rings where absent. */
  readonly trades?: true;
  /** It runs the family's own modules, so what the family states of them holds. */
  readonly modules?: boolean;
  /** Its fused attention is PyTorch's, which reads a mask where a family's class makes one. */
  readonly masked?: boolean;
  /** It runs under autocast, which on a GPU widens what some operations read to 32 bits, however narrow the stream is. */
  readonly autocast?: true;
  /** Bytes of an element of the residual stream; 2 where absent. */
  readonly stream?: number;
  /** Gradients are made as backward comes to them, not before the first step. */
  readonly late?: boolean;
  /** Bytes per parameter of the copies that autocast makes of matrices, until backward ends. */
  readonly copies?: number;
  /** Flat buffers that gradients pass through: bytes of an element, and how many elements at most. */
  readonly buckets?: { readonly bytes: number; readonly elements: number };
  /** Bytes per parameter of a block that 8- or 4-bit copies of its matrices take beside its weights, from step to step. */
  readonly narrow?: number;
  /** Bytes per parameter as weights are gathered; those of `weights` where absent. */
  readonly gathered?: number;
  /** Stage 2 gathers weights for each forward pass and keeps them until backward has passed; after the optimizer's step where absent. */
  readonly unshards?: true;
  /** Bytes per parameter as gathers of stage 3 send weights, where that is less than what they make of them. */
  readonly sent?: number;
  /** Bytes that pass memory for each parameter that such a gather widens. */
  readonly widened?: number;
  /** Bytes per gradient as they go to their shards in two hops, within nodes and then across, where there are several nodes. */
  readonly hopped?: number;
  /** Stage 3 keeps what it gathered while it is used again within so many elements; the next layer alone where absent. */
  readonly reuse?: number;
}
