// All commands of `earmark`, in the order of the help.
import type { Section } from './command.ts';
import { completion } from './completion.ts';
import { accessCommands } from './declarations/access.ts';
import { backupCommands } from './declarations/backup.ts';
import { clusterCommands } from './declarations/cluster.ts';
import { configCheck, health } from './declarations/config.ts';
import { eraseCustomer } from './declarations/customer.ts';
import { documentCommands } from './declarations/documents.ts';
import { evidenceCommands } from './declarations/evidence.ts';
import { audit, continueLogs, witness } from './declarations/log.ts';
import { jobCommands, keyCommands, migrate, repairEvents, verify } from './declarations/operation.ts';
import { peopleCommands } from './declarations/people.ts';
import { reportCommands } from './declarations/reports.ts';
import { scheduleCommands } from './declarations/schedules.ts';
import { tryCommands } from './declarations/try.ts';
import { deliver, webhookCommands } from './declarations/webhooks.ts';
import { help } from './help.ts';

/** Help and completion are generated from this list, which includes them. */
export const sections: Section[] = [
  { title: 'Run and try', commands: tryCommands },
  { title: 'Accounts and applications', commands: accessCommands },
  { title: 'Statements and exports', commands: reportCommands },
  { title: 'Console', commands: peopleCommands },
  { title: 'Customers and documents', commands: [eraseCustomer, ...documentCommands, ...evidenceCommands] },
  {
    title: 'Operations',
    commands: [
      configCheck,
      health,
      verify,
      repairEvents,
      audit,
      witness,
      migrate,
      deliver,
      ...webhookCommands,
      ...scheduleCommands,
      ...keyCommands,
      ...jobCommands,
      ...backupCommands,
      continueLogs,
    ],
  },
  { title: 'Cluster', commands: clusterCommands },
];
sections.push({ title: 'Help', commands: [help(sections), completion(sections)] });
