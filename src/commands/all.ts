// Every command of `earmark`, in the order of its help.
import { account } from './account.ts';
import { application } from './application.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { completion } from './completion.ts';
import { deliver } from './deliver.ts';
import { demo } from './demo.ts';
import { help } from './help.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { listen } from './listen.ts';
import { migrate } from './migrate.ts';
import { review } from './review.ts';
import { serve } from './serve.ts';
import { verify } from './verify.ts';
import { webhooks } from './webhooks.ts';

export type Section = { title: string; commands: Command[] };

/** Help and completion are made of this list, themselves included. */
export const sections: Section[] = [
  { title: 'Try it', commands: [serve, demo, listen] },
  { title: 'Give access', commands: [...account, ...application] },
  { title: 'Decide on documents', commands: [...review] },
  { title: 'Look after it', commands: [verify, migrate, deliver, ...webhooks, ...keys, ...jobs, ...backup] },
];
sections.push({ title: 'Find out', commands: [help(sections), completion(sections)] });
