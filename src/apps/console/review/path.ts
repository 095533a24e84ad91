// The paths of the review.

export const REVIEW = '/console/review';
