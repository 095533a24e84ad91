// A service whose stored documents are viewed and erased.
import { findDocument } from '../../src/resources/documents/document.ts';
import { eraseDocuments } from '../../src/resources/documents/erase.ts';
import { viewCopy } from '../../src/resources/documents/view-copy.ts';
import { idOf } from './http.ts';
import { openUploads } from './uploads.ts';

const viewer = { kind: 'person', name: 'test', place: 'here' } as const;

export async function openKept(...args: Parameters<typeof openUploads>) {
  const service = await openUploads(...args);
  const { database, sealer, documents } = service.service;
  const look = async (url: string, under = sealer) => {
    const document = (await findDocument(database.sql, idOf(url)))!;
    return viewCopy({ database, sealer: under, stores: documents.stores }, document, viewer, new Date());
  };
  const erase = (now: Date) => eraseDocuments({ config: service.service.config, database, stores: documents.stores }, now);
  return { ...service, look, erase };
}
