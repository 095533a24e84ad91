// Declarations of `earmark statement` and `earmark export`.
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

export const reportCommands = [statement, exportLedger];
