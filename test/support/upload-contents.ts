// Opens the stored contents of documents, and watches uploads in progress.
import { findDocument } from '../../src/resources/documents/document.ts';
import { contentContext } from '../../src/resources/documents/manifest.ts';
import { idOf } from './http.ts';
import type { openUploads } from './uploads.ts';

/** Functions that open the stored contents of a document. */
export function withContents(service: Awaited<ReturnType<typeof openUploads>>) {
  const { documents, database, sealer } = service.service;
  const copyOf = async (url: string) => {
    const document = (await findDocument(database.sql, idOf(url)))!;
    const content = (await documents.stores.of(document).read(document.id, 'copy'))!;
    return sealer.openContent({ wrappedKey: document.copyKey!, content }, contentContext(document, 'copy'));
  };
  const originalOf = async (url: string) => {
    const document = (await findDocument(database.sql, idOf(url)))!;
    const [{ key } = { key: Buffer.alloc(0) }] = await service.sql<{ key: Buffer }>`
      select original_key as key from document where id = ${document.id}`;
    const pieces = await service.sql<{ content: Buffer }>`
      select content from document_content where document_id = ${document.id} and purpose = 'original' order by place`;
    const content = Buffer.concat(pieces.map((piece) => piece.content));
    return sealer.openContent({ wrappedKey: key, content }, contentContext(document, 'original'));
  };
  return { ...service, copyOf, originalOf };
}
