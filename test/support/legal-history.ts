// Looks for a serial order of concurrent calls in which every answer is right (Wing and Gong, "Testing and verifying concurrent objects", 1993).

/** `apply`: the state after the call, or undefined where its answer would be wrong. */
export type Call<State> = { what: string; startMs: number; endMs: number; apply(state: State): State | undefined };

/** Runs a call, and keeps when it ran. `judge` makes its effect of its answer. */
export async function record<State, Answer extends { status: number }>(
  calls: Call<State>[],
  what: string,
  act: () => Promise<Answer>,
  judge: (answer: Answer) => Call<State>['apply'],
): Promise<Answer> {
  const startMs = performance.now();
  const answer = await act();
  calls.push({ what: `${what} ${answer.status}`, startMs, endMs: performance.now(), apply: judge(answer) });
  return answer;
}

/** Returns the calls in a legal order, or undefined if there is none. A call that ended before another started comes before it. */
export function legalOrder<State>(calls: Call<State>[], start: State, keyOf: (state: State) => string): string[] | undefined {
  const tried = new Set<string>();
  const search = (left: Set<Call<State>>, state: State): string[] | undefined => {
    if (left.size === 0) return [];
    const key = `${calls.map((call) => (left.has(call) ? 1 : 0)).join('')} ${keyOf(state)}`;
    if (tried.has(key)) return undefined;
    tried.add(key);
    const firstEnd = Math.min(...Array.from(left, ({ endMs }) => endMs));
    for (const call of left) {
      if (call.startMs > firstEnd) continue;
      const next = call.apply(state);
      if (next === undefined) continue;
      const rest = search(new Set([...left].filter((one) => one !== call)), next);
      if (rest) return [call.what, ...rest];
    }
    return undefined;
  };
  return search(new Set(calls.toSorted((a, b) => a.endMs - b.endMs)), start);
}

/** The calls with their answers and times, one a line, for the message of a test. */
export function historyOf<State>(calls: Call<State>[]): string {
  return calls
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ what, startMs, endMs }) => `${startMs.toFixed(1)} to ${endMs.toFixed(1)} ms: ${what}`)
    .join('\n');
}
