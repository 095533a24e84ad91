// Every command of `earmark`, in the order of its help.
import type { Command } from './command.ts';
import { completion } from './completion.ts';
import { accessCommands } from './declarations/access.ts';
import { backupCommands } from './declarations/backup.ts';
import { documentCommands } from './declarations/documents.ts';
import { jobCommands, keyCommands, migrate, verify } from './declarations/operation.ts';
import { tryCommands } from './declarations/try.ts';
import { deliver, webhookCommands } from './declarations/webhooks.ts';
import { help } from './help.ts';

export type Section = { title: string; commands: Command[] };

/** Help and completion are made of this list, themselves included. */
export const sections: Section[] = [
  { title: 'Try it', commands: tryCommands },
  { title: 'Give access', commands: accessCommands },
  { title: 'Decide on documents', commands: documentCommands },
  {
    title: 'Look after it',
    commands: [verify, migrate, deliver, ...webhookCommands, ...keyCommands, ...jobCommands, ...backupCommands],
  },
];
sections.push({ title: 'Find out', commands: [help(sections), completion(sections)] });
