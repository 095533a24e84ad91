// Tests of months in time zones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isZone, wallClock } from '../../core/zone.ts';
import { readMonth } from './month.ts';

const ZONES = Intl.supportedValuesOf('timeZone');
const borders = (month: string, zone: string) => {
  const { from, before } = readMonth(month, zone)!;
  return [from.toISOString(), before.toISOString()];
};

test('a month begins at the local midnight, also when the clocks change', () => {
  for (const [month, zone, from, before] of [
    ['2026-01', 'UTC', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['2026-03', 'Europe/Berlin', '2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
    ['2026-11', 'America/New_York', '2026-11-01T04:00:00.000Z', '2026-12-01T05:00:00.000Z'],
    ['2026-12', 'Pacific/Kiritimati', '2026-11-30T10:00:00.000Z', '2026-12-31T10:00:00.000Z'],
    ['2026-06', 'Asia/Kathmandu', '2026-05-31T18:15:00.000Z', '2026-06-30T18:15:00.000Z'],
    // The clocks went back from 00:01 to 23:01: the first of two midnights.
    ['2009-11', 'America/St_Johns', '2009-11-01T02:30:00.000Z', '2009-12-01T03:30:00.000Z'],
    // They went back at midnight itself, and forward at midnight.
    ['1999-10', 'Asia/Damascus', '1999-09-30T22:00:00.000Z', '1999-10-31T22:00:00.000Z'],
    ['1999-04', 'Asia/Damascus', '1999-03-31T22:00:00.000Z', '1999-04-30T21:00:00.000Z'],
    // There was no 30 December.
    ['2011-12', 'Pacific/Apia', '2011-12-01T10:00:00.000Z', '2011-12-31T10:00:00.000Z'],
  ] as const)
    assert.deepEqual(borders(month, zone), [from, before], `${month} ${zone}`);
});

test('months divide the time of every zone', () => {
  const day = (wall: number) => new Date(wall).getUTCDate();
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES, 'UTC'),
      fc.integer({ min: 1970, max: 2060 }),
      fc.integer({ min: 0, max: 11 }),
      (zone, year, index) => {
        const text = (at: number) => new Date(Date.UTC(year, at)).toISOString().slice(0, 7);
        const [one, next] = [readMonth(text(index), zone)!, readMonth(text(index + 1), zone)!];
        assert.deepEqual(one.before, next.from, 'no gap, no overlap');
        const clock = wallClock(zone);
        assert.equal(new Date(clock(one.from.getTime())).toISOString().slice(0, 7), one.text);
        assert.equal(day(clock(one.from.getTime())), 1);
        assert.notEqual(new Date(clock(one.from.getTime() - 1)).toISOString().slice(0, 7), one.text);
      },
    ),
    { numRuns: 300 },
  );
});

test('refuses what is no month or zone', () => {
  for (const text of ['2026-00', '2026-13', '1969-12', '02026-01', '2026-1', '2026/01', ' 2026-01', '2026-01\n'])
    assert.equal(readMonth(text, 'UTC'), undefined, text);
  for (const zone of ['', 'Mars/Olympus', '+01:00', 'UTC\n', 'x'.repeat(100)]) assert.equal(isZone(zone), false, zone);
  for (const zone of ['UTC', 'Europe/Berlin', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires'])
    assert.equal(isZone(zone), true, zone);
});
