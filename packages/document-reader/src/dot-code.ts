// The scalar product of two arrays of numbers as WebAssembly: four numbers with each instruction, which JavaScript does not have.

/** Numbers that are multiplied in each step. */
const STEP = 16;

export type Dot = {
  /** The numbers from byte `weights` times those from byte `values`, which end before byte `end`. Their count is a multiple of 16. */
  dot(weights: number, values: number, end: number): number;
  memory: WebAssembly.Memory;
};

const PAGE_BYTES = 65_536;
const VECTOR_BYTES = 16;
const STEP_BYTES = STEP * Float32Array.BYTES_PER_ELEMENT;
/** Locals: the three parameters, and four sums, because one would wait for each addition. They begin at 0. */
const [WEIGHTS, VALUES, END] = [0, 1, 2] as const;
const SUMS = [3, 4, 5, 6] as const;
const I32 = 0x7f;
const F32 = 0x7d;
const V128 = 0x7b;

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const simd = (...code: number[]) => [0xfd, ...code];
/** Four numbers, aligned to four bytes. */
const load = (local: number, offset: number) => [...get(local), ...simd(0x00, 0x02, offset)];
const MULTIPLY = simd(0xe6, 0x01);
const ADD = simd(0xe4, 0x01);
const ADD_F32 = [0x92];
/** `i32.const` takes a signed number: 64 has two bytes. */
const advance = (local: number) => [...get(local), 0x41, STEP_BYTES | 0x80, 0x00, 0x6a, ...set(local)];
const lane = (local: number, at: number) => [...get(local), ...simd(0x1f, at)];

const CODE = [
  ...[0x03, 0x40],
  ...SUMS.flatMap((sum, at) => [
    ...get(sum),
    ...load(WEIGHTS, at * VECTOR_BYTES),
    ...load(VALUES, at * VECTOR_BYTES),
    ...[...MULTIPLY, ...ADD, ...set(sum)],
  ]),
  ...[...advance(WEIGHTS), ...advance(VALUES)],
  // Again while VALUES is below END.
  ...[...get(VALUES), ...get(END), 0x49, 0x0d, 0x00, 0x0b],
  ...[...get(SUMS[0]), ...get(SUMS[1]), ...ADD, ...get(SUMS[2]), ...get(SUMS[3]), ...ADD, ...ADD, ...set(SUMS[0])],
  ...[...lane(SUMS[0], 0), ...lane(SUMS[0], 1), ...ADD_F32, ...lane(SUMS[0], 2), ...lane(SUMS[0], 3), ...ADD_F32, ...ADD_F32],
  0x0b,
];

/** Returns the program with memory for so many bytes. */
export function openDot(bytes: number): Dot {
  const program = new WebAssembly.Module(moduleOf(Math.ceil(bytes / PAGE_BYTES)));
  return new WebAssembly.Instance(program).exports as Dot;
}

/** One function and one memory, both exported. No part has more than 255 bytes, nor the memory more than 127 pages. */
function moduleOf(pages: number): Uint8Array<ArrayBuffer> {
  const part = (content: number[]) =>
    content.length < 0x80 ? [content.length, ...content] : [content.length | 0x80, 1, ...content];
  const name = (text: string) => part([...Buffer.from(text)]);
  const section = (id: number, content: number[]) => [id, ...part(content)];
  const locals = [1, SUMS.length, V128];
  return new Uint8Array([
    ...[0x00, ...Buffer.from('asm'), 1, 0, 0, 0],
    ...section(1, [1, 0x60, 3, I32, I32, I32, 1, F32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, pages]),
    ...section(7, [2, ...name('dot'), 0, 0, ...name('memory'), 2, 0]),
    ...section(10, [1, ...part([...locals, ...CODE])]),
  ]);
}
