// Tests of hints: what the file that was sent tells a reviewer, and nobody else.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { type Body, idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { runCliJson, settingsOf } from '../../../../test/support/process.ts';
import { openUploads } from '../../../../test/support/uploads.ts';

const shared = await openUploads({ after });

/** A picture with a soft colour, shapes and grain, as a camera makes it: once compressed. */
async function photograph(): Promise<Buffer> {
  const grain = Buffer.alloc(640 * 480 * 3);
  for (let at = 0; at < grain.length; at++) {
    const [x, y] = [Math.floor(at / 3) % 640, Math.floor(at / 3 / 640)];
    grain[at] = 120 + 60 * Math.sin(x / 17 + (at % 3)) + 40 * Math.cos((x * y) / 9000) + ((at * 2654435761) % 23);
  }
  return sharp(grain, { raw: { width: 640, height: 480, channels: 3 } })
    .jpeg({ quality: 75 })
    .toBuffer();
}

test('a reviewer sees hints of an editor, a grey copy and a second compression; the API does not have them', async (t) => {
  const honest = await photograph();
  const cases: [name: string, file: Buffer, hints: string[]][] = [
    ['an honest picture', honest, []],
    ['an honest PNG', await sharp(honest).png().toBuffer(), []],
    [
      'the name of a camera',
      await sharp(honest)
        .withExif({ IFD0: { Software: 'Camera 17.1' } })
        .png()
        .toBuffer(),
      [],
    ],
    [
      'the name of an editor',
      await sharp(honest)
        .withExif({ IFD0: { Software: 'Adobe Photoshop 25.1' } })
        .png()
        .toBuffer(),
      ['editor'],
    ],
    ['a grey copy', await sharp(honest).greyscale().png().toBuffer(), ['greyCopy']],
    ['a finer second compression', await sharp(honest).jpeg({ quality: 93 }).toBuffer(), ['recompressed']],
  ];
  for (const [name, file, hints] of cases) {
    await t.test(name, async (t) => {
      const document = await shared.submitted(await shared.newOwner(), { file });
      const shown = await runCliJson<Body>(t, ['review', 'show', idOf(document), '--json'], settingsOf(shared));
      assert.deepEqual(shown.hints, hints);
      assert.ok(!JSON.stringify(await shared.get(document)).includes('hint'));
      if (name !== 'the name of an editor') return;
      const page = (await (await openSession(shared, 'reviewer')).load(`/console/review/${idOf(document)}`)).text;
      assert.match(page, /The metadata of the file names a program that edits pictures/);
    });
  }
});
