// Recognises the character in a cell: a perceptron with one hidden layer and int8 weights, trained by training/train.ts.
import { ALPHABET } from './alphabet.ts';
import { CELL_SIZE } from './cell.ts';
import { type Dot, openDot } from './dot-code.ts';
import { WEIGHTS } from './weights.ts';

type Layer = { weights: Float32Array; biases: Float32Array };
/** `apply` takes what is in `inputs` through the first layer, and what is in `hidden` through the second. */
type Perceptron = { inputs: Float32Array; hidden: Float32Array; apply(layer: 0 | 1): Float32Array };

const HIDDEN = 160;
const NUMBER_BYTES = Float32Array.BYTES_PER_ELEMENT;

let loaded: Perceptron | undefined;

/** Returns the probability of each character of ALPHABET. With `turned`, the cell is read upside down. */
export function classify(cells: Float32Array, offset: number, turned: boolean): Float32Array {
  loaded ??= load();
  const { inputs, hidden, apply } = loaded;
  inputs.set(cells.subarray(offset, offset + CELL_SIZE));
  if (turned) inputs.reverse();
  const active = apply(0);
  for (let at = 0; at < HIDDEN; at++) hidden[at] = Math.max(0, active[at]!);
  return softmax(apply(1));
}

/** Places both layers in the memory of the scalar product, and after each the numbers that go into it. */
function load(): Perceptron {
  const bytes = Buffer.from(WEIGHTS, 'base64');
  const [first, rest] = readLayer(bytes, CELL_SIZE, HIDDEN);
  const [second] = readLayer(rest, HIDDEN, ALPHABET.length);
  const sizes = [first.weights.length, CELL_SIZE, second.weights.length, HIDDEN];
  const program = openDot(sizes.reduce((sum, size) => sum + size, 0) * NUMBER_BYTES);
  const places: Float32Array[] = [];
  for (const size of sizes) {
    const start = places.at(-1);
    places.push(new Float32Array(program.memory.buffer, start ? start.byteOffset + start.byteLength : 0, size));
  }
  const [hiddenWeights, inputs, outputWeights, hidden] = places as [Float32Array, Float32Array, Float32Array, Float32Array];
  hiddenWeights.set(first.weights);
  outputWeights.set(second.weights);
  const layers = [
    { weights: hiddenWeights, biases: first.biases, inputs },
    { weights: outputWeights, biases: second.biases, inputs: hidden },
  ] as const;
  return { inputs, hidden, apply: (layer) => applyLayer(program, layers[layer]) };
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
  return [{ weights, biases }, bytes.subarray(start + weights.length)];
}

function applyLayer({ dot }: Dot, { weights, biases, inputs }: Layer & { inputs: Float32Array }): Float32Array {
  const results = new Float32Array(biases.length);
  const end = inputs.byteOffset + inputs.byteLength;
  for (let at = 0, row = weights.byteOffset; at < results.length; at++, row += inputs.byteLength)
    results[at] = biases[at]! + dot(row, inputs.byteOffset, end);
  return results;
}

function softmax(scores: Float32Array): Float32Array {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
