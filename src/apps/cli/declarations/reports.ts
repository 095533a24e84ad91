// Declarations of `earmark statement`, `earmark export` and `earmark reconcile`.
import { ENCODINGS, FILE_FORMATS } from '../../../core/bank-formats.ts';
import { STATEMENT_FORMATS } from '../../../resources/statements/format.ts';
import { EXPORTS, FORMATS } from '../../exports/choices.ts';
import { command } from '../command.ts';

const statement = command({
  name: 'statement',
  about: "Writes the statement of a customer's month to a file.",
  detail: 'A month is closed one minute after its end. From then on its statement never changes.',
  words: [{ name: 'CUSTOMER', about: 'the id or the URL of the customer' }],
  options: {
    month: { value: 'YYYY-MM', about: 'the month', required: true },
    zone: { value: 'ZONE', about: 'the IANA time zone of the month', fallback: 'UTC' },
    currency: { value: 'CODE', about: 'only this currency' },
    label: { value: 'LABEL_ID', about: 'only this label' },
    format: { value: 'FORMAT', about: 'the format', values: STATEMENT_FORMATS, fallback: 'that of the name of the file, or pdf' },
    file: {
      value: 'FILE',
      about: 'the file to write; - is standard output',
      fallback: 'statement-MONTH-CUSTOMER.pdf in the current folder',
    },
  },
  examples: [
    'earmark statement 01890000-0000-7000-8000-000000000000 --month 2026-01',
    'earmark statement 01890000-0000-7000-8000-000000000000 --month 2026-01 --zone Europe/Berlin --format csv --file - | head',
  ],
  run: async (call) => (await import('../statement.ts')).statement(call),
});

const exportLedger = command({
  name: 'export',
  about: 'Writes the ledger of an account into files: its entries, its transfers, or the balances at a time.',
  detail:
    'All rows are of one state of the ledger: that at --to. The files are parts of at most about half a million rows. To resume an interrupted export, call it again with the same arguments: it continues after the last complete part. The folder has export.json with its progress.',
  words: [{ name: 'KIND', about: 'what to export', values: EXPORTS }],
  options: {
    account: { value: 'ACCOUNT_ID', about: 'the account', fallback: 'the only one' },
    from: { value: 'TIME', about: 'only what was created at this date or time or later; not for balances' },
    to: { value: 'TIME', about: 'only what was created before this date or time', fallback: 'one minute ago' },
    format: { value: 'FORMAT', about: 'the format of the files', values: FORMATS, fallback: 'csv' },
    output: { value: 'DIR', about: 'the folder of the files', fallback: 'export-KIND in the current folder' },
  },
  examples: [
    'earmark export entries --from 2026-01-01 --to 2026-02-01',
    'earmark export transfers --format parquet --output /exports/2026-01',
    'earmark export balances --to 2026-02-01 --format ndjson',
  ],
  run: async (call) => (await import('../export.ts')).exportCommand(call),
});

const reconcile = command({
  name: 'reconcile',
  about: "Compares a bank's statement with the ledger, line by line, and their balances.",
  detail:
    'Matches each line with a deposit, a withdrawal or another movement between customers and the outside world: by external id, then by reference, then by amount and days alone if one of them says nothing else. Several lines, or several movements, of one reference are compared by their sum. --record makes a deposit of each credit that only the bank has, if a rule finds exactly one customer in it; the id of the line is its external id, so that no line is recorded twice.',
  words: [{ name: 'FILE', about: 'the file of the bank' }],
  options: {
    account: { value: 'ACCOUNT_ID', about: 'the account', fallback: 'the only one' },
    format: { value: 'FORMAT', about: 'the format of the file', values: FILE_FORMATS, fallback: 'as the file begins' },
    encoding: { value: 'NAME', about: 'its characters', values: ENCODINGS, fallback: 'as the file says, or utf-8' },
    'bank-account': { value: 'NUMBER', about: 'compare only these accounts of the file', multiple: 'repeated' },
    zone: { value: 'ZONE', about: "the IANA time zone of the bank's days", fallback: 'UTC' },
    days: { value: 'NUMBER', about: 'how many days the bank and the ledger may be apart', fallback: '5' },
    map: {
      value: 'MAP',
      about:
        'the columns of a CSV file: date, value, amount (or credit and debit), currency, id, reference, text, name, balance, account; dates is their form, decimal is . or ,',
      fallback: 'date=date;amount=amount;reference=reference',
    },
    from: { value: 'DAY', about: 'the first day that a CSV file covers, YYYY-MM-DD', fallback: 'that of its first line' },
    to: { value: 'DAY', about: 'the last one', fallback: 'that of its last line' },
    currency: { value: 'CODE', about: 'the currency of a CSV file without a column for it' },
    record: { about: 'records deposits of what only the bank has; needs --rule' },
    rule: {
      value: 'RULE',
      about: "where a payer's text has the external id of the customer, such as KD-{externalId}",
      multiple: 'repeated',
    },
    save: { value: 'FILE', about: 'writes the result to a file' },
    previous: { value: 'FILE', about: 'continues from the result of the period before: what was open, and what was settled' },
  },
  examples: [
    'earmark reconcile statement.xml',
    'earmark reconcile january.sta --zone Europe/Berlin --save january.json',
    'earmark reconcile february.sta --zone Europe/Berlin --previous january.json --save february.json',
    "earmark reconcile export.csv --currency EUR --map 'date=Booked;amount=Amount;reference=Text;dates=DD.MM.YYYY;decimal=,'",
    "earmark reconcile statement.xml --record --rule 'KD-{externalId}'",
  ],
  exits: { 0: 'everything matches', 1: 'something does not match, or failure; stderr has the reason of a failure' },
  run: async (call) => (await import('../reconcile.ts')).reconcileCommand(call),
});

export const reportCommands = [statement, exportLedger, reconcile];
