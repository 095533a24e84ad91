// Hints for reviewers about a picture, from the file that was sent. None is a proof, and nothing is decided by them.

export const HINTS = ['editor', 'greyCopy', 'recompressed'] as const;
export type Hint = (typeof HINTS)[number];

/** What a reviewer reads. */
export const HINT_TEXTS: Record<Hint, string> = {
  editor: 'The metadata of the file names a program that edits pictures.',
  greyCopy: 'The picture has no colour, as a copy of a copy has.',
  recompressed: 'The picture was compressed twice, as it is after an edit, and also after a messenger sent it.',
};
