// A perceptron with one hidden layer, trained with Adam and dropout; a seed repeats the training exactly.

import { between } from '../specimens/numbers.ts';
import type { Random } from '../specimens/random.ts';
import { ALPHABET } from '../src/alphabet.ts';
import { CELL_SIZE } from '../src/cell.ts';
import type { Cells } from './cells.ts';

type Perceptron = { hidden: Layer; output: Layer };
/** `weights` holds the inputs of one neuron after another. */
export type Layer = { inputs: number; outputs: number; weights: Float32Array; biases: Float32Array };

const HIDDEN = 160;
const BATCH = 64;
const DROPOUT = 0.15;
const LEARNING_RATE = 0.0015;
/** Cells that are read with this probability have a gradient that is not worth its time. */
const LEARNED = 0.998;

type Moments = { first: Float32Array; second: Float32Array; gradient: Float32Array };

export function train(random: Random, { inputs, labels }: Cells, passes: number, report: (text: string) => void): Perceptron {
  const net = { hidden: newLayer(random, CELL_SIZE, HIDDEN), output: newLayer(random, HIDDEN, ALPHABET.length) };
  const parameters = [net.hidden.weights, net.hidden.biases, net.output.weights, net.output.biases];
  const moments = parameters.map(({ length }) => newMoments(length));
  const order = Uint32Array.from(labels, (_, index) => index);
  const steps = passes * Math.floor(order.length / BATCH);
  let step = 0;
  for (let pass = 0; pass < passes; pass++) {
    shuffle(random, order);
    let wrong = 0;
    for (let start = 0; start + BATCH <= order.length; start += BATCH) {
      for (let at = start; at < start + BATCH; at++) {
        const index = order[at]!;
        const cell = inputs.subarray(index * CELL_SIZE, (index + 1) * CELL_SIZE);
        wrong += accumulate(random, net, moments, cell, labels[index]!);
      }
      step++;
      const rate = (LEARNING_RATE * (1 + Math.cos((Math.PI * step) / steps))) / 2;
      for (const [at, values] of parameters.entries()) adam(values, moments[at]!, rate, step);
    }
    report(`pass ${pass + 1} of ${passes}: ${((100 * wrong) / order.length).toFixed(2)} % wrong`);
  }
  return net;
}

function newLayer(random: Random, inputs: number, outputs: number): Layer {
  const reach = Math.sqrt(6 / inputs);
  const weights = Float32Array.from({ length: inputs * outputs }, () => between(random, -reach, reach));
  return { inputs, outputs, weights, biases: new Float32Array(outputs) };
}

function newMoments(length: number): Moments {
  return { first: new Float32Array(length), second: new Float32Array(length), gradient: new Float32Array(length) };
}

function shuffle(random: Random, order: Uint32Array): void {
  for (let at = order.length - 1; at > 0; at--) {
    const other = random.int(0, at);
    const value = order[at]!;
    order[at] = order[other]!;
    order[other] = value;
  }
}

/** Adds the gradient of one cell; returns 1 when the cell was read wrong. */
function accumulate(random: Random, net: Perceptron, moments: Moments[], cell: Float32Array, label: number): 0 | 1 {
  const { hidden, output } = net;
  const active = new Float32Array(HIDDEN);
  for (let neuron = 0; neuron < HIDDEN; neuron++) {
    const value = hidden.biases[neuron]! + dot(hidden.weights, neuron * CELL_SIZE, cell);
    active[neuron] = value > 0 && !random.chance(DROPOUT) ? value / (1 - DROPOUT) : 0;
  }
  const scores = new Float32Array(output.outputs);
  for (let at = 0; at < scores.length; at++) scores[at] = output.biases[at]! + dot(output.weights, at * HIDDEN, active);
  const read = scores.indexOf(Math.max(...scores));
  softmax(scores);
  if (scores[label]! > LEARNED) return 0;
  scores[label] = scores[label]! - 1;
  const [hiddenWeights, hiddenBiases, outputWeights, outputBiases] = moments.map(({ gradient }) => gradient) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const delta = new Float32Array(HIDDEN);
  for (let at = 0; at < scores.length; at++) {
    const error = scores[at]!;
    outputBiases[at] = outputBiases[at]! + error;
    addScaled(outputWeights, at * HIDDEN, active, error);
    for (let neuron = 0; neuron < HIDDEN; neuron++)
      delta[neuron] = delta[neuron]! + error * output.weights[at * HIDDEN + neuron]!;
  }
  for (let neuron = 0; neuron < HIDDEN; neuron++) {
    if (active[neuron] === 0) continue;
    const error = delta[neuron]! / (1 - DROPOUT);
    hiddenBiases[neuron] = hiddenBiases[neuron]! + error;
    addScaled(hiddenWeights, neuron * CELL_SIZE, cell, error);
  }
  return read === label ? 0 : 1;
}

function softmax(scores: Float32Array): void {
  const most = Math.max(...scores);
  let sum = 0;
  for (let at = 0; at < scores.length; at++) {
    scores[at] = Math.exp(scores[at]! - most);
    sum += scores[at]!;
  }
  for (let at = 0; at < scores.length; at++) scores[at] = scores[at]! / sum;
}

/** Four sums, because one would wait for each addition. */
function dot(weights: Float32Array, offset: number, values: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at < values.length; at += 4) {
    a += weights[offset + at]! * values[at]!;
    b += weights[offset + at + 1]! * values[at + 1]!;
    c += weights[offset + at + 2]! * values[at + 2]!;
    d += weights[offset + at + 3]! * values[at + 3]!;
  }
  return a + b + c + d;
}

function addScaled(sums: Float32Array, offset: number, values: Float32Array, factor: number): void {
  for (let at = 0; at < values.length; at++) sums[offset + at] = sums[offset + at]! + values[at]! * factor;
}

/** One step of Adam (Kingma and Ba, 2015), with weight decay; clears the gradient. */
function adam(values: Float32Array, { first, second, gradient }: Moments, rate: number, step: number): void {
  const correction = Math.sqrt(1 - 0.999 ** step) / (1 - 0.9 ** step);
  for (let at = 0; at < values.length; at++) {
    const slope = gradient[at]! / BATCH;
    first[at] = 0.9 * first[at]! + 0.1 * slope;
    second[at] = 0.999 * second[at]! + 0.001 * slope * slope;
    values[at] = values[at]! * (1 - rate * 0.01) - (rate * correction * first[at]!) / (Math.sqrt(second[at]!) + 1e-8);
    gradient[at] = 0;
  }
}
