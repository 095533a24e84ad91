// All commands of `earmark`, in the order of the help.
import type { Section } from './command.ts';
import { completion } from './completion.ts';
import { accessCommands } from './declarations/access.ts';
import { backupCommands } from './declarations/backup.ts';
import { clusterCommands } from './declarations/cluster.ts';
import { documentCommands } from './declarations/documents.ts';
import { jobCommands, keyCommands, migrate, verify } from './declarations/operation.ts';
import { tryCommands } from './declarations/try.ts';
import { deliver, webhookCommands } from './declarations/webhooks.ts';
import { help } from './help.ts';

/** Help and completion are generated from this list, which includes them. */
export const sections: Section[] = [
  { title: 'Run and try', commands: tryCommands },
  { title: 'Accounts and applications', commands: accessCommands },
  { title: 'Documents', commands: documentCommands },
  {
    title: 'Operations',
    commands: [verify, migrate, deliver, ...webhookCommands, ...keyCommands, ...jobCommands, ...backupCommands],
  },
  { title: 'Cluster', commands: clusterCommands },
];
sections.push({ title: 'Help', commands: [help(sections), completion(sections)] });
