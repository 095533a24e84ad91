// The choices of a policy, and what they mean in words.

export const ACCEPTS = ['never', 'text', 'document', 'chip'] as const;
/** `expired`: only that the document has expired. `mismatch`: everything else that is proven. */
export const REJECTS = ['expired', 'mismatch'] as const;

/** What a level of acceptance means, in one sentence. */
export const ACCEPT_TEXTS: Record<(typeof ACCEPTS)[number], string> = {
  never: 'No document is accepted without a person.',
  text: 'A page printed at home is accepted if its lines match the record: nothing but the check digits is tested.',
  document:
    'A chip is accepted if a state signed it, also with an algorithm or a key that is too weak today. No picture is accepted: whether it shows a document is not tested.',
  chip: 'Only data that a state signed are accepted without a person.',
};
