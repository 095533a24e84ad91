// Content store in PostgreSQL: content is split into rows of 256 KiB and written in the transaction of its document.
import { bucketOf } from '../../../core/ids.ts';
import type { Database } from '../../../platform/db/sql.ts';
import type { ContentStore } from './content-store.ts';

const PIECE_BYTES = 256 * 1024;

export function openPostgresqlStore({ sql }: Database): ContentStore {
  return {
    name: 'postgresql',
    async check() {},
    async keep(documentId, contents) {
      const bucket = bucketOf(documentId);
      return {
        async claim(tx) {
          for (const [purpose, content] of Object.entries(contents)) {
            for (let place = 0; place * PIECE_BYTES < content.length; place++) {
              const piece = content.subarray(place * PIECE_BYTES, (place + 1) * PIECE_BYTES);
              await tx`
                insert into document_content (bucket, document_id, purpose, place, content)
                values (${bucket}, ${documentId}, ${purpose}, ${place}, ${piece})`;
            }
          }
        },
        async release() {},
      };
    },
    async read(documentId, purpose) {
      const pieces = await sql<{ content: Buffer }>`
        select content from document_content
        where bucket = ${bucketOf(documentId)} and document_id = ${documentId} and purpose = ${purpose}
        order by place`;
      return pieces.length === 0 ? undefined : Buffer.concat(pieces.map((piece) => piece.content));
    },
    async erase(tx, documentId) {
      await tx`delete from document_content where bucket = ${bucketOf(documentId)} and document_id = ${documentId}`;
    },
    async sweep() {
      return 0;
    },
  };
}
