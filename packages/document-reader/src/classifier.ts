// Recognises the character in a cell: a perceptron with one hidden layer and int8 weights, trained by training/train.ts.
import { ALPHABET } from './alphabet.ts';
import { CELL_SIZE } from './cell.ts';
import { WEIGHTS } from './weights.ts';

type Layer = { inputs: number; outputs: number; weights: Float32Array; biases: Float32Array };

const HIDDEN = 160;

let layers: [Layer, Layer] | undefined;

/** Returns the probability of each character of ALPHABET. With `turned`, the cell is read upside down. */
export function classify(cells: Float32Array, offset: number, turned: boolean): Float32Array {
  layers ??= load();
  const [hidden, output] = layers;
  const inputs = cells.subarray(offset, offset + CELL_SIZE);
  const active = apply(hidden, turned ? inputs.toReversed() : inputs);
  for (let at = 0; at < active.length; at++) if (active[at]! < 0) active[at] = 0;
  return softmax(apply(output, active));
}

function load(): [Layer, Layer] {
  const bytes = Buffer.from(WEIGHTS, 'base64');
  const [hidden, rest] = readLayer(bytes, CELL_SIZE, HIDDEN);
  const [output] = readLayer(rest, HIDDEN, ALPHABET.length);
  return [hidden, output];
}

function readLayer(bytes: Buffer, inputs: number, outputs: number): [Layer, rest: Buffer] {
  const biases = Float32Array.from({ length: outputs }, (_, at) => bytes.readFloatLE((outputs + at) * 4));
  const start = outputs * 8;
  const weights = new Float32Array(inputs * outputs);
  for (let at = 0; at < outputs; at++) {
    const scale = bytes.readFloatLE(at * 4);
    for (let input = 0; input < inputs; input++)
      weights[at * inputs + input] = bytes.readInt8(start + at * inputs + input) * scale;
  }
  return [{ inputs, outputs, weights, biases }, bytes.subarray(start + weights.length)];
}

/** Four sums, because one would wait for each addition. */
function apply({ inputs, outputs, weights, biases }: Layer, values: Float32Array): Float32Array {
  const results = new Float32Array(outputs);
  for (let at = 0, row = 0; at < outputs; at++, row += inputs) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let input = 0; input < inputs; input += 4) {
      a += weights[row + input]! * values[input]!;
      b += weights[row + input + 1]! * values[input + 1]!;
      c += weights[row + input + 2]! * values[input + 2]!;
      d += weights[row + input + 3]! * values[input + 3]!;
    }
    results[at] = biases[at]! + a + b + c + d;
  }
  return results;
}

function softmax(scores: Float32Array): Float32Array {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
