// Records of persons to compare with a specimen: equal ones, and ones that differ in one way.
import type { Holder } from '../packages/document-reader/specimens/holder.ts';
import type { Random } from '../packages/document-reader/specimens/random.ts';

/** `differs` says which fields are not those of the document. */
export type PersonRecord = {
  person: { firstName: string; lastName: string; dateOfBirth: string };
  differs: ('dateOfBirth' | 'surname' | 'givenNames')[];
};

const LOOK_ALIKES = ['OQ', 'IL', 'UV', 'MN', 'EF', 'BR', 'SZ', 'CG', 'KX', 'DO', 'TY', 'PF', 'VY', 'HN', 'WV'];
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DAY_MS = 86_400_000;

/** Ten records for one document. */
export function recordsFor(random: Random, holder: Holder, other: Holder): PersonRecord[] {
  const equal = personOf(holder);
  const [first] = holder.givenNames.split(' ');
  const stranger = personOf(other);
  return [
    { person: equal, differs: [] },
    { person: { ...equal, firstName: first! }, differs: [] },
    { person: { ...equal, firstName: title(equal.firstName), lastName: title(equal.lastName) }, differs: [] },
    { person: { ...equal, lastName: equal.lastName.replaceAll(' ', '-') }, differs: [] },
    { person: { ...equal, dateOfBirth: movedBy(holder.dateOfBirth, random.pick([-1, 1])) }, differs: ['dateOfBirth'] },
    {
      person: { ...equal, dateOfBirth: movedBy(holder.dateOfBirth, random.pick([10, 30, 365, -3650])) },
      differs: ['dateOfBirth'],
    },
    { person: { ...equal, lastName: oneLookAlike(random, equal.lastName) }, differs: ['surname'] },
    { person: { ...equal, lastName: oneLetter(random, equal.lastName) }, differs: ['surname'] },
    { person: { ...equal, firstName: oneLookAlike(random, first!) }, differs: ['givenNames'] },
    { person: stranger, differs: differences(equal, stranger) },
  ];
}

function personOf({ surname, givenNames, dateOfBirth }: Holder): PersonRecord['person'] {
  return { firstName: givenNames, lastName: surname, dateOfBirth };
}

function differences(one: PersonRecord['person'], two: PersonRecord['person']): PersonRecord['differs'] {
  const differs: PersonRecord['differs'] = [];
  if (one.dateOfBirth !== two.dateOfBirth) differs.push('dateOfBirth');
  if (one.lastName !== two.lastName) differs.push('surname');
  if (one.firstName.split(' ')[0] !== two.firstName.split(' ')[0]) differs.push('givenNames');
  return differs;
}

function title(name: string): string {
  return name.toLowerCase().replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function movedBy(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Swaps one letter for one that looks like it; any letter when none does. */
function oneLookAlike(random: Random, name: string): string {
  const places = [...name].flatMap((letter, at) =>
    LOOK_ALIKES.filter((pair) => pair.includes(letter)).map((pair) => ({ at, letter: pair.replace(letter, '') })),
  );
  if (places.length === 0) return oneLetter(random, name);
  const { at, letter } = random.pick(places);
  return name.slice(0, at) + letter + name.slice(at + 1);
}

function oneLetter(random: Random, name: string): string {
  const places = [...name].flatMap((letter, at) => (letter === ' ' ? [] : [at]));
  const at = random.pick(places);
  const letter = random.pick([...LETTERS].filter((candidate) => candidate !== name[at]));
  return name.slice(0, at) + letter + name.slice(at + 1);
}
