// The receipt of a transfer: where the transparency log has it. The browser verifies it; without a script it is a link.
import { isId } from '../../../core/ids.ts';
import { formatAmount } from '../../../core/money/money.ts';
import { findLog, representLog } from '../../../ledger/log/transparency-log.ts';
import { findTransferDetail, type TransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { makeReceipt } from '../../../resources/transparency-log/receipt.ts';
import type { Service } from '../../service/service.ts';
import { TRANSFERS as HREF } from '../addresses.ts';
import type { Pages } from '../screen.ts';

const NO_LOG = 'The account has no transparency log yet. It begins when an application reads it.';
const NOT_YET = 'No signed checkpoint covers the transfer yet. One does within seconds.';

/** The link to the receipt of a transfer, with what the page shows of the transfer, which the log must have too. */
export function receiptLink(transfer: TransferDetail): Html {
  const { id, amount, currency, fromId, fromSequence, fromBalance, toId, toSequence, toBalance } = transfer;
  const value = (minorUnits: bigint) => formatAmount(minorUnits, currency).value;
  const shown = {
    ...{ amount: value(amount), currency, from: fromId, fromSequence: Number(fromSequence), fromBalance: value(fromBalance) },
    ...{ to: toId, toSequence: Number(toSequence), toBalance: value(toBalance) },
  };
  return html`<div data-receipt=${JSON.stringify(shown)}>
    <a href=${`${HREF}/${id}/receipt`}>Receipt of the transparency log</a>
    <div class="small" role="status"></div>
  </div>`;
}

export function addReceipt(pages: Pages, service: Service): void {
  pages.file(`${HREF}/:id/receipt`, 'readMoney', async ({ params }) => {
    const id = params.id!;
    const transfer = isId(id) ? await findTransferDetail(service.database.sql, id) : undefined;
    if (!transfer) return undefined;
    const content = Buffer.from(JSON.stringify(await readReceipt(service, transfer)));
    return { mediaType: 'application/json', content };
  });
}

/** The receipt with the keys of the log, newest first; or why there is none. */
async function readReceipt({ database: { sql } }: Pick<Service, 'database'>, transfer: TransferDetail) {
  const log = await findLog(sql, transfer.accountId);
  if (!log) return { missing: NO_LOG };
  const receipt = await makeReceipt(sql, log, transfer);
  if (!receipt) return { missing: NOT_YET };
  const { key, formerKeys = [] } = await representLog(sql, log);
  return { receipt: { ...receipt, entry: receipt.entry.toString() }, keys: [key, ...formerKeys] };
}
