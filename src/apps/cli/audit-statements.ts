// Draws the statements of an audit from what a log has, with the code by which the service draws them.
import type { Draw, LoggedLine, LoggedSection } from '../../../packages/proof/src/compare-statements.ts';
import type { Source } from '../../../packages/proof/src/source.ts';
import { openLinks } from '../../platform/http/links.ts';
import type { Customer } from '../../resources/customers/customer.ts';
import { readMonth } from '../../resources/statements/month.ts';
import type { Statement, StatementAccount } from '../../resources/statements/statement.ts';
import { writeStatement } from '../../resources/statements/write.ts';

type Shown = { firstName: string; lastName: string; businessName?: string; _links: { self: { href: string; type: string } } };

/** A PDF is the same for one release and Node.js version only, so that it is not drawn. */
const FORMATS = ['hal', 'csv'] as const;
const VENDOR = /^application\/vnd\.(?<vendor>.+)\.v1\.hal\+json$/;

/** Returns a function that draws statements with the links of the service, which it learns from a customer. */
export function openDrawing(source: Source): Draw {
  return async ({ customer: id, month, isClosed, sections }) => {
    const { href, type } = (await source.get<Shown>(`/customers/${id}`))!._links.self;
    const publicUrl = href.slice(0, -`/customers/${id}`.length);
    const links = openLinks({ publicUrl, mediaTypeVendor: VENDOR.exec(type)?.groups?.vendor ?? '' });
    const lines = new Map(sections.map((section) => [section.id, section.lines]));
    const statement: Statement = {
      accountName: '',
      // The formats name the customer by its id only.
      customer: { id } as Customer,
      month: readMonth(month, 'UTC')!,
      closed: isClosed,
      accounts: sections.map(toAccount),
      async *readEntries(account) {
        yield lines.get(account.id)!.map(toEntry);
      },
    };
    const selection = { currency: undefined, label: undefined };
    return Promise.all(
      FORMATS.map(async (format) => {
        const parts = await writeStatement(links, statement, { format, selection });
        const bytes = Buffer.concat((await Array.fromAsync(parts)).map((part) => Buffer.from(part)));
        return { mediaType: format === 'csv' ? 'text/csv' : links.mediaType, bytes };
      }),
    );
  };
}

function toAccount({ lines: _lines, opening, closing, ...section }: LoggedSection): StatementAccount {
  const place = ({ sequence, balance }: typeof opening) => ({ sequence: BigInt(sequence), balance });
  return { ...section, opening: place(opening), closing: place(closing) };
}

function toEntry({ sequence, created, ...line }: LoggedLine) {
  return { ...line, sequence: BigInt(sequence), created: new Date(created) };
}
