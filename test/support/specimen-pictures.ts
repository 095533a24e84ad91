// Specimens of passports for tests: pictures that show an invented holder, and the holder as a person on record.
import { makeSpecimen, type Specimen } from '../../packages/document-reader/specimens/specimens.ts';
import { openRandom } from './random.ts';

export const TODAY = '2026-11-22';

/** A photograph of a passport that is valid on TODAY, from a seed. */
export async function passportSpecimen(seed: number) {
  const random = openRandom(seed);
  let specimen: Specimen;
  // The state of specimens is refused in production.
  do specimen = await makeSpecimen(random.fork(), { kind: 'td3', tier: 'C', today: TODAY, holder: { issuer: 'NLD' } });
  while (specimen.holder.expires < TODAY);
  const { surname, givenNames, dateOfBirth } = specimen.holder;
  return { picture: specimen.picture, person: { firstName: givenNames, lastName: surname, dateOfBirth } };
}
