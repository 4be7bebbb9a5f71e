/** Texts whose form is known are held to it. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const told = (text: string) =>
  compile({ path: "main.cdr", text }, alone)
    .diagnostics.filter(({ code }) => code === "cdr/type-mismatch")
    .map(({ message }) => message);
const kubernetes = (more: string) => `launch l { target = kubernetes(${more}) }`;

it.each([
  [kubernetes('namespace = "research", version = "banana"'), "a version"],
  [kubernetes('namespace = "Research Team"'), "lower-case"],
  [kubernetes('namespace = "r", selector = "gpu"'), "key=value"],
  [kubernetes('namespace = "r", priority = "High!"'), "lower-case"],
  ['launch l { target = ssh(hosts = ["a b"]) }', "a host"],
  ['launch l { image = "my image" }', "an image"],
  ['image i { from = "python:" }', "an image"],
  ['python p { version = "three" }', "a version"],
])("%s", (text, words) => {
  expect(told(text)).toEqual([expect.stringContaining(words)]);
});

it.each([
  kubernetes('namespace = "research-1", version = "1.25", selector = "accelerator=nvidia-a100", priority = "high"'),
  kubernetes('namespace = "r", version = "v1.29.3"'),
  'launch l { target = ssh(hosts = ["node1", "me@10.0.0.1", "[fe80::1]"], user = "me") }',
  'launch l { image = "nvcr.io/nvidia/pytorch:24.05-py3" }',
  'launch l { image = "ghcr.io/a/b@sha256:0123abcd" }',
  'launch l { image = "docker://nvcr.io#nvidia/pytorch:24.05" }',
  'launch l { image = "/images/torch.sif" }',
  'image i { from = "python:3.11-slim" }',
  'python p { version = "3.11.9" }',
])("nothing is wrong with the texts of %s", (text) => {
  expect(told(text)).toEqual([]);
});
