// The parts of a screen: its navigation entry, its pages and its actions. Adding a screen is one folder and one line in screens.ts.
import type { Readable } from 'node:stream';
import type { Sql } from '../db/sql.ts';
import type { Act } from '../operators/audit.ts';
import type { Permission } from '../operators/role.ts';
import type { Person } from '../operators/session.ts';
import type { Html } from '../pages/html.ts';
import type { IconName } from '../pages/icon-sprite.ts';
import type { Service } from '../service.ts';

export type Screen = {
  /** The first page. A page below this path belongs to the screen. */
  href: string;
  label: string;
  icon: IconName;
  group: 'Work' | 'Run' | 'Access';
  /** Without it a person does not see the screen. A page or action may need another permission. */
  permission: Permission;
  /** A screen of a sandbox does not exist in production. */
  mode?: 'sandbox';
  /** Shown beside the entry, such as the length of a queue. */
  count?: (service: Service) => Promise<string | undefined>;
  /** Texts for `?done=…`, to which an action may redirect. */
  done?: Readonly<Record<string, string>>;
  add(pages: Pages, service: Service): void;
};

/** Registers what a screen answers. Paths are whole, such as `/console/customers/:id`. */
export type Pages = {
  /** `undefined`: there is no such page. */
  page(path: string, permission: Permission, show: (visit: Visit) => Promise<Content | undefined>): void;
  /** A form. Returns the path of the page to show next; throws a refusal to show its message. */
  action(path: string, permission: Permission, act: (visit: Visit, form: URLSearchParams) => Promise<string>): void;
  /** A file that is neither stored nor allowed to load or run anything. `undefined`: there is none. */
  file(path: string, permission: Permission, open: (visit: Visit) => Promise<PrivateFile | undefined>): void;
  /** A form whose result is shown once, such as a secret. */
  reveal(path: string, permission: Permission, act: (visit: Visit, form: URLSearchParams) => Promise<Content>): void;
};

/** A request of a person who may do what the route needs. */
export type Visit = {
  person: Person;
  /** The address of the person. */
  place: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  may(permission: Permission): boolean;
  /** Writes what the person does, or looks at, to the audit log; with a change in its transaction. */
  audit(act: Act, tx?: Sql): Promise<void>;
};

/** `scripts`, `styles`: modules and style sheets in `assets/`. */
export type Content = { title: string; main: Html; scripts?: string[]; styles?: string[] };

/** With a `name` the browser saves the file; without it shows it. */
export type PrivateFile = { mediaType: string; content: Buffer | Readable; name?: string };
