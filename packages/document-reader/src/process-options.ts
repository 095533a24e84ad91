// How to start a process that reads pictures, so that it takes little memory and CPU time.

/**
 * Megabytes of the heap of JavaScript; pixels are outside of it. V8 takes new pixels as a reason to collect its whole heap, which cost
 * a fifth of the CPU time, until the heap has its first size. What is young is small, because nearly all of it dies.
 */
const HEAP_MEGABYTES = { first: 128, most: 256, young: 8 };

/** For `fork`. One arena of glibc's memory: each thread of `sharp` would keep one for itself. */
export const PROCESS_OPTIONS = {
  execArgv: [
    `--initial-old-space-size=${HEAP_MEGABYTES.first}`,
    `--max-old-space-size=${HEAP_MEGABYTES.most}`,
    `--max-semi-space-size=${HEAP_MEGABYTES.young}`,
  ],
  env: { MALLOC_ARENA_MAX: '1' },
};
