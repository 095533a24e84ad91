// The address of the review queue.

export const REVIEW = '/console/review';
