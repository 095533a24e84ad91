// The steps of a delivery, in order. Tests stop or kill a worker at each of them.

export type Step = 'settled' | 'claimed' | 'sending' | 'answered' | 'recording' | 'recorded';
