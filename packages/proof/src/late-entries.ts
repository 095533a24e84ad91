// Entries that a log lacks at their place: those of late events come after entries of later changes, and must fit between their neighbors.
/** Sequences of an account that have no entry yet, both ends included, with the balance before the first and after the last of them. `isOptional`: the log may begin after them. */
type Gap = { first: number; last: number; before: bigint; after: bigint; index: number; isOptional: boolean };
type Leg = { account: string; sequence: number; amount: bigint; balance: bigint };

export type Gaps = {
  /** Notes the sequences between two entries. `index`: the entry that comes too early. */
  open(account: string, gap: Gap): void;
  /** Puts a late entry into its gap. Returns what contradicts its neighbors. */
  fill(leg: Leg, format: (units: bigint) => string): string | undefined;
  /** What is still missing. */
  end(): string[];
};

export function openGaps(): Gaps {
  const gaps = new Map<string, Gap[]>();
  return {
    open(account, gap) {
      gaps.set(account, [...(gaps.get(account) ?? []), gap]);
    },
    fill({ account, sequence, amount, balance }, format) {
      const known = gaps.get(account) ?? [];
      const gap = known.find(({ first, last }) => first <= sequence && sequence <= last);
      if (!gap) return `late sequence ${sequence} of account ${account} is not missing`;
      const parts = [
        { ...gap, last: sequence - 1, after: balance - amount },
        { ...gap, first: sequence + 1, before: balance },
      ];
      gaps.set(account, [...known.filter((one) => one !== gap), ...parts.filter(({ first, last }) => first <= last)]);
      const broken = parts.find(({ first, last, before, after }) => first > last && before !== after);
      return broken && balanceFault({ account, sequence }, broken, format);
    },
    end: () =>
      [...gaps].flatMap(([account, open]) =>
        open
          .filter(({ isOptional }) => !isOptional)
          .map(({ first, last, index }) => `entry ${index}: sequence ${last + 1} of account ${account} follows ${first - 1}`),
      ),
  };
}

function balanceFault(
  { account, sequence }: Pick<Leg, 'account' | 'sequence'>,
  { before, after }: Gap,
  format: (units: bigint) => string,
): string {
  return `late sequence ${sequence} of account ${account} does not fit between the balances ${format(before)} and ${format(after)}`;
}
