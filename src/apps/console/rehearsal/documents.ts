// Adds rehearsal documents: customers that need one, each with the picture of an invented passport.
import { hash } from 'node:crypto';
import { bucketOf } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { requireForm } from '../../../resources/customers/check.ts';
import { createCustomer } from '../../../resources/customers/create.ts';
import { submitUpload } from '../../../resources/documents/submit.ts';
import { drawSpecimen } from '../../sandbox/specimen.ts';
import type { Service } from '../../service/service.ts';
import type { Pages } from '../screen.ts';
import { requireAccount } from './account.ts';
import { DOCUMENTS_MAX } from './rehearsal-forms.ts';
import { DOCUMENT_SCRIPTS, formWithDocument } from './scripts.ts';

const HREF = '/console/rehearsal';

export function addScriptedDocuments(pages: Pages, service: Service): void {
  const { config, sealer, clock, database } = service;
  pages.action(`${HREF}/documents`, 'rehearse', async ({ audit }, form) => {
    const accountId = await requireAccount(service, form);
    const script = form.get('script') ?? '';
    const count = Number(form.get('count'));
    if (!Object.hasOwn(DOCUMENT_SCRIPTS, script))
      throw refuse('badRequest', { message: 'Choose what happens to the documents.' });
    if (!Number.isInteger(count) || count < 1 || count > DOCUMENTS_MAX) {
      throw refuse('badRequest', { message: `Choose from 1 to ${DOCUMENTS_MAX} documents.` });
    }
    for (let index = 0; index < count; index++) {
      const fields = formWithDocument(script as keyof typeof DOCUMENT_SCRIPTS, index);
      const id = await database.transaction(async (tx) => {
        const customer = requireForm(fields);
        const { id } = await createCustomer(tx, { mode: config.mode, sealer }, accountId, customer, clock.now(accountId));
        await audit({ action: 'add_document', resource: { type: 'customer', id }, detail: { script } }, tx);
        return id;
      });
      const file = await drawSpecimen(fields);
      const request = { method: 'POST', url: `${HREF}/documents`, headers: {}, body: undefined, caller: { accountId } };
      const subject = { bucket: bucketOf(id), accountId, customerId: id, ownerId: null };
      await submitUpload(service, request, subject, { documentType: 'passport', file, digest: hash('sha256', file) });
    }
    return `${HREF}?account=${accountId}&done=documents`;
  });
}
