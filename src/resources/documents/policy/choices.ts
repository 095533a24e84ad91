// The choices of a policy, and what they mean in words.

export const ACCEPTS = ['never', 'text', 'document', 'chip'] as const;
/** `expired`: only that the document has expired. `mismatch`: everything else that is proven. */
export const REJECTS = ['expired', 'mismatch'] as const;

/** What a level of acceptance means, in one sentence. */
export const ACCEPT_TEXTS: Record<(typeof ACCEPTS)[number], string> = {
  never: 'No document is accepted without a person.',
  text: 'A page printed at home is accepted if its lines match the record: nothing but the check digits is tested.',
  document:
    'A picture is accepted if it shows a document around its lines: a plain page does not pass, and a forged document does. So is a chip that is signed with an algorithm or a key that is too weak today.',
  chip: 'Only data that a state signed are accepted without a person.',
};
