// How to start a process that reads pictures, so that it takes little memory and CPU time.

/**
 * Megabytes of the heap of JavaScript. Pixels are outside of it, but count towards the limit at which V8 collects the whole heap: with a
 * limit that begins lower than `first`, each picture was such a reason, and a fifth of its CPU time. `young` is small, because nearly
 * everything there dies.
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
