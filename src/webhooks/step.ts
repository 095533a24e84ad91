// The steps of a delivery, at which tests stop or kill a worker.

/** In their order. */
export type Step = 'settled' | 'claimed' | 'sending' | 'answered' | 'recording' | 'recorded';
