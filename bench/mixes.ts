// Selects the labels of reallocations: uniform, Zipf, one hot pair, or with a tenth or all refused.
export type Mix = 'uniform' | 'zipf' | 'one hot pair' | '10 % refusals' | 'all refused';
export type Pick = { fromId: string; toId: string; value: string };

const VALUE = '0.01';
/** More than the balance of any label of the benchmark. */
const TOO_MUCH = '900000000.00';
const REFUSED_SHARE: Partial<Record<Mix, number>> = { '10 % refusals': 0.1, 'all refused': 1 };

/** A source of picks over the labels of each customer. */
export function openMix(mix: Mix, labels: string[][]): () => Pick {
  if (mix === 'one hot pair') {
    const [fromId, toId] = labels[0] as [string, string];
    return () => (Math.random() < 0.5 ? { fromId, toId, value: VALUE } : { fromId: toId, toId: fromId, value: VALUE });
  }
  const customer = mix === 'zipf' ? openZipf(labels.length) : () => Math.floor(Math.random() * labels.length);
  const refusedShare = REFUSED_SHARE[mix] ?? 0;
  return () => {
    const candidates = labels[customer()]!;
    const from = Math.floor(Math.random() * candidates.length);
    const to = (from + 1 + Math.floor(Math.random() * (candidates.length - 1))) % candidates.length;
    const refused = Math.random() < refusedShare;
    return { fromId: candidates[from]!, toId: candidates[to]!, value: refused ? TOO_MUCH : VALUE };
  };
}

/** A share of the picks from one hot pair, the rest uniform. */
export function openShared(labels: string[][], hotShare: number): () => Pick {
  const [hot, uniform] = [openMix('one hot pair', labels), openMix('uniform', labels)];
  return () => (Math.random() < hotShare ? hot() : uniform());
}

/** Ranks 0 … n−1 with probability in proportion to 1 / (rank + 1): Zipf's law with exponent 1. */
function openZipf(n: number): () => number {
  const cumulative: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= n; rank++) {
    sum += 1 / rank;
    cumulative.push(sum);
  }
  return () => {
    const at = Math.random() * sum;
    let [low, high] = [0, n - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
