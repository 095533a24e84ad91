// Declarations of the commands for master lists.
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

export const evidenceCommands = [importList, list, remove];
