// The schema of evidence in the API.

import { HINTS } from '../../../../packages/document-reader/src/reading.ts';
import { Type } from '../../../core/type.ts';
import { LEVELS, PART_NAMES } from './evidence.ts';

export const EvidenceSchema = Type.Object(
  {
    level: Type.Enum(LEVELS, {
      description:
        '`none`: nothing was read. `text`: a zone or barcode was read and its check digits hold, which a page printed at home passes. `document`: the picture shows a document around the data, with its outline, portrait and print; or a chip is signed, with an algorithm or a key that is too weak today. A forger with means passes it. `chip`: a state signed the data.',
    }),
    parts: Type.Array(
      Type.Object(
        {
          name: Type.Enum(PART_NAMES),
          result: Type.Enum(['holds', 'fails', 'unknown']),
          text: Type.String({ description: 'For people.' }),
        },
        { title: 'EvidencePart' },
      ),
    ),
    hints: Type.Optional(
      Type.Array(
        Type.Object(
          { name: Type.Enum(HINTS), text: Type.String({ description: 'For people.' }) },
          { title: 'EvidenceHint', description: 'What a reviewer should look for. Some honest pictures have it too.' },
        ),
        { description: 'They are no proof: they change no level, and nothing is decided by them. Absent if there are none.' },
      ),
    ),
  },
  { title: 'Evidence', description: 'What the document proves. No level proves that the person who sent it is its holder.' },
);
