// Declarations of the commands for the people who use the console.
import { ROLES } from '../../../resources/operators/role.ts';
import { command } from '../command.ts';

const NAME = { name: 'NAME', about: 'the name of the person' } as const;

const createOperator = command({
  name: 'operator create',
  about: 'Adds a person who may use the console, and prints a one-time link that signs them in.',
  words: [NAME],
  options: { role: { value: 'ROLE', about: 'what the person may do', values: ROLES, multiple: true, required: true } },
  examples: ['earmark operator create Ada --role admin', "earmark operator create 'Grace Hopper' --role 'reviewer finance'"],
  run: async (call) => (await import('../operator.ts')).create(call),
});

const listOperators = command({
  name: 'operator list',
  about: 'Lists the people who may use the console, with roles, passkeys and the last sign-in.',
  examples: ['earmark operator list', 'earmark operator list --json | jq .operators'],
  run: async (call) => (await import('../operator.ts')).list(call),
});

const linkOperator = command({
  name: 'operator link',
  about:
    'Prints a link that signs a person in to the console. It works once and for 15 minutes; earlier links and the passkeys of the person stop working.',
  words: [NAME],
  examples: ['earmark operator link Ada'],
  run: async (call) => (await import('../operator.ts')).link(call),
});

const disableOperator = command({
  name: 'operator disable',
  about: 'Disables a person: ends their sessions, and refuses their links and passkeys.',
  words: [NAME],
  examples: ['earmark operator disable Ada'],
  asks: ({ words: [name] }) => `Disable ${name}? All their sessions end now.`,
  run: async (call) => (await import('../operator.ts')).disable(call),
});

const enableOperator = command({
  name: 'operator enable',
  about: 'Enables a disabled person. They sign in again.',
  words: [NAME],
  examples: ['earmark operator enable Ada'],
  run: async (call) => (await import('../operator.ts')).enable(call),
});

const CHANGE = { name: 'CHANGE_ID', about: 'the id of the change' } as const;

const listChanges = command({
  name: 'change list',
  about: 'Lists the changes of people, applications and limits, and the moves of money, that wait for a second person.',
  examples: ['earmark change list', 'earmark change list --json | jq .changes'],
  run: async (call) => (await import('../change.ts')).list(call),
});

const approveChange = command({
  name: 'change approve',
  about:
    'Approves a change when no second person of the console can. An approved move of money is carried out, once; if the ledger refuses it, the command prints why and exits with 1. A secret is shown to the person who asked, in the console.',
  words: [CHANGE],
  examples: ['earmark change approve 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../change.ts')).approve(call),
});

const refuseChange = command({
  name: 'change refuse',
  about: 'Refuses a change or a move of money that waits for a second person.',
  words: [CHANGE],
  examples: ['earmark change refuse 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../change.ts')).refuse(call),
});

const auditLog = command({
  name: 'audit-log',
  about: 'Lists what people did and looked at in the console, newest first.',
  options: {
    person: { value: 'NAME', about: 'only entries of this person' },
    resource: { value: 'ID', about: 'only entries about this resource' },
    limit: { value: 'NUMBER', about: 'how many entries, 1 to 10000', fallback: '100' },
  },
  examples: ['earmark audit-log', 'earmark audit-log --person Ada --limit 20'],
  run: async (call) => (await import('../operator.ts')).auditLog(call),
});

export const peopleCommands = [
  ...[createOperator, listOperators, linkOperator, disableOperator, enableOperator],
  ...[listChanges, approveChange, refuseChange, auditLog],
];
