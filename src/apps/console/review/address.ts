// The addresses of the review queue and of the decisions.

export const REVIEW = '/console/review';
export const DECIDED = `${REVIEW}/decided`;
