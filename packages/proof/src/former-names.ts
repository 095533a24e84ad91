// The names of labels at past moments: a statement of a closed month never changes, also after a label was renamed.

/** The names before the current one, oldest first. `until`: ISO 8601. Without `name` where the label had none. */
export type FormerNames = { name?: string; until: string }[];

/** The name of a label just before a moment in ISO 8601. */
export function nameBefore(
  { name, formerNames }: { name?: string | null; formerNames?: FormerNames | null },
  moment: string,
): string | null {
  const former = formerNames?.find(({ until }) => until >= moment);
  return (former ? former.name : name) ?? null;
}
