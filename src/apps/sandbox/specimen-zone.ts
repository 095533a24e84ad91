// The machine-readable zone of a passport of the invented state UTO (ICAO Doc 9303, part 4).

const LINE_LENGTH = 44;
const NUMBER_LENGTH = 9;
const PERSONAL_LENGTH = 14;
const STATE = 'UTO';
const WEIGHTS = [7, 3, 1];
const DIGITS = 36;

/** What the zone has. Dates are days such as 2030-01-31. */
type Zone = { surname: string; givenNames: string; number: string; dateOfBirth: string; expires: string };

/** Both lines, with their check digits. */
export function zoneLines({ surname, givenNames, number, dateOfBirth, expires }: Zone): [string, string] {
  const first = fill(`P<${STATE}${lettersOf(surname)}<<${lettersOf(givenNames)}`, LINE_LENGTH);
  const [numbered, born, ends] = [
    checked(fill(number, NUMBER_LENGTH)),
    checked(shortDate(dateOfBirth)),
    checked(shortDate(expires)),
  ];
  const personal = checked(fill('', PERSONAL_LENGTH));
  const second = `${numbered}${STATE}${born}<${ends}${personal}`;
  return [first, second + digitOf(numbered + born + ends + personal)];
}

/** Other characters than letters have no place in a name. */
function lettersOf(name: string): string {
  return name
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z ]/g, '')
    .replaceAll(' ', '<');
}

function fill(text: string, length: number): string {
  return text.slice(0, length).padEnd(length, '<');
}

function shortDate(day: string): string {
  return day.slice(2).replaceAll('-', '');
}

function checked(text: string): string {
  return text + digitOf(text);
}

function digitOf(text: string): string {
  const values = [...text].map((character) => (character === '<' ? 0 : Number.parseInt(character, DIGITS)));
  return String(values.reduce((sum, value, at) => sum + value * WEIGHTS[at % WEIGHTS.length]!, 0) % 10);
}
