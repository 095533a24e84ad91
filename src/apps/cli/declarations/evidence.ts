// Declarations of the commands for policies of evidence and master lists.
import { ACCEPTS } from '../../../resources/documents/policy/choices.ts';
import { command } from '../command.ts';

const ABOUT_LISTS =
  'A master list has the certificates with which states sign the chips of their documents. None is shipped: get one from ICAO, or from a state that publishes one, and compare the signer that is printed with what they say.';

const importList = command({
  name: 'master-list import',
  about:
    'Imports a master list or revocation lists: .ml, .crl, a zip archive of them, or LDIF of the public key directory of ICAO.',
  detail: `${ABOUT_LISTS}\nA list is refused if its signature does not hold. Importing a list again changes nothing.`,
  words: [{ name: 'FILE', about: 'the file' }],
  examples: ['earmark master-list import ./GermanMasterList.zip', 'earmark master-list import ./icaopkd-001-complete.ldif'],
  run: async (call) => (await import('../master-list.ts')).importFile(call),
});

const list = command({
  name: 'master-list list',
  about: 'Lists the master lists that were imported, with their age, newest first.',
  detail: ABOUT_LISTS,
  examples: ['earmark master-list list'],
  run: async (call) => (await import('../master-list.ts')).list(call),
});

const remove = command({
  name: 'master-list remove',
  about: 'Removes a master list. Chips of states that no other list has are no longer proven.',
  words: [{ name: 'LIST_ID', about: 'the id of the list' }],
  examples: ['earmark master-list remove 01890000-0000-7000-8000-000000000000 --yes'],
  asks: ({ words: [id] }) => `Remove the master list ${id}?`,
  run: async (call) => (await import('../master-list.ts')).remove(call),
});

const ACCOUNT = { value: 'ID', about: 'the account; not needed if there is only one' } as const;

const showPolicy = command({
  name: 'policy show',
  about:
    'Shows what checkers may decide for an account without a person, its history, and how often people disagreed with a sample.',
  options: { account: ACCOUNT },
  examples: ['earmark policy show'],
  run: async (call) => (await import('../policy.ts')).show(call),
});

const setPolicy = command({
  name: 'policy set',
  about: 'Sets what checkers may decide for an account without a person. What is not named stays.',
  detail:
    'Level text: a page printed at home passes. Level document: a picture that shows a document around its lines passes, also a forged one, and so does a chip that is signed with an algorithm that is too weak today. Level chip: a state signed the data. Each version is kept with who set it and why, and is in the audit log.',
  options: {
    account: ACCOUNT,
    accept: { value: 'LEVEL', about: 'the evidence that is enough to accept', values: ACCEPTS },
    reject: { value: 'KINDS', about: 'what is rejected: none, expired, or expired,mismatch' },
    sample: { value: 'PERCENT', about: 'the share of acceptances that goes to a person instead' },
    'per-day': { value: 'N', about: 'at most as many acceptances a day, or none for no limit' },
    reason: { value: 'TEXT', about: 'why', required: true },
  },
  examples: ['earmark policy set --accept chip --reject expired --sample 5 --per-day 200 --reason "Approved by the risk board."'],
  run: async (call) => (await import('../policy.ts')).set(call),
});

export const evidenceCommands = [showPolicy, setPolicy, importList, list, remove];
