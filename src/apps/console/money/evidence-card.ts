// Who signed the request for a reallocation, and whether the signature and the reallocation still fit.
import type { Evidence } from '../../../ledger/transfers/evidence.ts';
import type { TransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { evidenceFault } from '../../../resources/label-reallocations/evidence-fault.ts';

/** `application`: its name, or its id. `mayOpen`: the person may see the page of the application. */
type Shown = { transfer: TransferDetail; evidence: Evidence; application: string; mayOpen: boolean };

export function evidenceCard({ transfer, evidence, application, mayOpen }: Shown): Html {
  const { applicationId, keyId, thumbprint, algorithm, signedS, base, content } = evidence;
  const fault = evidenceFault(evidence, { ...transfer, amount: String(transfer.amount) });
  return card(
    { title: 'Signed request' },
    html`<dl class="facts">
        <dt>Verified now</dt>
        <dd>${fault === undefined ? badge('yes', 'good') : html`${badge('no', 'bad')} <span class="small">${fault}</span>`}</dd>
        <dt>Signed by</dt>
        <dd>${mayOpen ? html`<a href=${`/console/applications/${applicationId}`}>${application}</a>` : application}</dd>
        <dt>With the key</dt>
        <dd>${keyId}<br /><code class="break small muted">${thumbprint}</code></dd>
        <dt>Algorithm</dt>
        <dd>${algorithm}</dd>
        <dt>Signed</dt>
        <dd>${time(new Date(signedS * 1000), 'seconds')}</dd>
      </dl>
      <details>
        <summary>What was signed</summary>
        <pre tabindex="0"><code>${base}</code></pre>
        ${content !== undefined && html`<pre tabindex="0"><code>${content}</code></pre>`}
      </details>`,
  );
}
