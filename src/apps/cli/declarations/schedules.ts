// Declarations of the commands that list, pause and resume schedules.
import { LISTED_SCHEDULES_MAX } from '../bounds.ts';
import { command } from '../command.ts';

const SCHEDULE = { name: 'ID', about: 'the id of the schedule' } as const;

const list = command({
  name: 'schedules list',
  about: `Lists up to ${LISTED_SCHEDULES_MAX} schedules of all accounts, the next occurrence first, with what became of the last one.`,
  options: {
    late: { about: 'only schedules whose time has passed' },
    paused: { about: 'paused schedules instead, the newest first' },
  },
  examples: ['earmark schedules list', 'earmark schedules list --late --json | jq .schedules'],
  run: async (call) => (await import('../schedules.ts')).list(call),
});

const pause = command({
  name: 'schedules pause',
  about: 'Pauses a schedule at once. What passes meanwhile does not run later.',
  words: [SCHEDULE],
  examples: ['earmark schedules pause 01890000-0000-7000-8000-000000000000 --yes'],
  asks: ({ words: [id] }) => `Pause the schedule ${id}? Occurrences that pass meanwhile do not run later.`,
  run: async (call) => (await import('../schedules.ts')).pause(call),
});

const resume = command({
  name: 'schedules resume',
  about: 'Resumes a schedule with the first occurrence from now on.',
  words: [SCHEDULE],
  examples: ['earmark schedules resume 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../schedules.ts')).resume(call),
});

export const scheduleCommands = [list, pause, resume];
