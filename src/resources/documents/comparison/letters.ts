// Spellings of letters in a machine-readable zone: the transliteration tables of ICAO Doc 9303 part 3, section 6.

/** The spellings of one letter in capitals A to Z; the recommended one comes first. A letter that the zone omits is spelled ''. */
export type Spellings = readonly [string, ...string[]];

/** A line has a spelling, then the letters that have it as their only or recommended one. */
const LATIN = `
A ÀÁÂÃĀĂĄ
AE ÄÆ
AA Å
C ÇĆĈĊČ
D ÐĎĐ
E ÈÉÊËĒĔĖĘĚ
G ĜĞĠĢǦ
H ĤĦ
I ÌÍÎÏĨĪĬĮİ
IJ Ĳ
J Ĵ
K Ķ
L ĹĻĽĿŁ
N ÑŃŅŇŊ
O ÒÓÔÕŌŎŐ
OE ÖØŒ
R ŔŖŘ
S ŚŜŞŠȘ
SS ẞ
T ŢŤŦȚ
TH Þ
U ÙÚÛŨŪŬŮŰŲ
UE Ü
W Ŵ
Y ÝŶŸ
Z ŹŻŽ`;

const CYRILLIC = `
A А
B Б
C ЋҺ
CH Ч
D ДЂ
DZ ЅЏ
E ЕЁЭ
F Ф
G ГЃҐҒ
I ИЙІЇ
IA Я
IE ЄЪ
IU Ю
J Ј
K КЌ
KH Х
L Л
LJ Љ
M М
N Н
NJ Њ
O О
P П
R Р
S С
SH Ш
SHCH Щ
T Т
TS Ц
U УЎѪ
V В
Y ЫѴ
Z З
ZH Ж`;

const ARABIC = `
A ا
B ب
D د
E ع
F ف
G غ
H ه
I إ
J ج
K ك
L ل
M م
N ن
P پ
Q ق
R ر
S س
T ت
U ؤ
W و
XAA آ
XAE أ
XAY ى
XBE ۓ
XC چ
XDH ذ
XDO ھ
XDR ډ
XDZ ض
XE ء
XGE ۂ
XGG گ
XH ح
XI ئ
XJ ژ
XKE ځ
XKH خ
XKK ک
XNG ڭ
XNN ں
XRR ړ
XRT ټ
XRX ږ
XSH ش
XSS ص
XTA ة
XTG ۃ
XTH ث
XTT ط
XXA ٱ
XXD ڈ
XXG ہ
XXH څ
XXK ګ
XXN ڼ
XXR ڑ
XXS ښ
XXT ٹ
XXY ۍ
XYA ی
XYB ے
XYH ۀ
XZZ ظ
Y يې
Z ز`;

/** Further spellings that the tables allow, or that the issuing states of a language use. */
const ALTERNATIVES: Record<string, string[]> = {
  Ä: ['A'],
  Å: ['A'],
  Ñ: ['NXX'],
  Ö: ['O', 'OXX'],
  Ø: ['O'],
  Ü: ['U', 'UXX'],
  Ё: ['IO', 'YO'],
  Г: ['H'],
  И: ['Y'],
  Й: ['Y'],
  Ж: ['Z'],
  Х: ['H'],
  Ц: ['C'],
  Щ: ['SHT'],
  Ъ: ['A', ''],
  Ю: ['YU'],
  Я: ['YA'],
  Ї: ['YI'],
  Є: ['YE'],
  ة: ['XAH'],
};
/** The zone has no sign for the soft sign, and none for the marks of Arabic vowels. */
const OMITTED = /[Ь\u064b-\u0652\u0640]/;
const PLAIN = /^[A-Z]$/;

const table = new Map<string, Spellings>(
  [LATIN, CYRILLIC, ARABIC].flatMap((lines) =>
    lines
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [spelling, letters] = line.split(' ') as [string, string];
        return [...letters].map((letter): [string, Spellings] => [letter, [spelling, ...(ALTERNATIVES[letter] ?? [])]]);
      }),
  ),
);

/** Returns the spellings of a capital letter, or undefined when the tables do not have it. Other letters lose their accents. */
export function spellingsOf(letter: string): Spellings | undefined {
  if (PLAIN.test(letter)) return [letter];
  if (OMITTED.test(letter)) return [''];
  const listed = table.get(letter);
  if (listed) return listed;
  const [base = ''] = letter.normalize('NFD');
  return base === letter ? undefined : (table.get(base) ?? (PLAIN.test(base) ? [base] : undefined));
}
