// The parts of a screen: its navigation entry, its pages and its actions. Adding a screen is one folder and one line in screens.ts.
import type { Readable } from 'node:stream';
import type { Act } from '../../ledger/audit/audit.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Html } from '../../platform/pages/html.ts';
import type { IconName } from '../../platform/pages/icon-sprite.ts';
import type { Kept } from '../../resources/operators/kept.ts';
import type { Permission } from '../../resources/operators/role.ts';
import type { Person } from '../../resources/operators/session.ts';
import type { Service } from '../service/service.ts';

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
  /**
   * A form. Returns the page to show next, so that loading it again repeats nothing; throws a refusal to show its message. `from`: the
   * page of the form, which then shows the message and what was entered. `isPrivate`: fields that must be forgotten.
   */
  action(
    path: string,
    permission: Permission,
    act: (visit: Visit, form: URLSearchParams) => Promise<string | NextPage>,
    options?: { from: string; isPrivate?: (name: string, value: string) => boolean },
  ): void;
  /** A form with files, for a person who is signed in before they are read. Otherwise like `action`. */
  upload(
    path: string,
    permission: Permission,
    act: (visit: Visit, form: URLSearchParams, files: Files) => Promise<string>,
    options: { from: string },
  ): void;
  /** Counts what is new in a list after the row with an id, up to a number, for pages whose content has `live`. */
  live(path: string, permission: Permission, count: (newest: { after: string; most: number }) => Promise<number>): void;
  /** A file that is neither stored nor allowed to load or run anything. `undefined`: there is none. */
  file(path: string, permission: Permission, open: (visit: Visit) => Promise<PrivateFile | undefined>): void;
};

/** The content of the files of a form, by the name of the field. */
export type Files = ReadonlyMap<string, Buffer>;

/** The path of a page, with texts that it shows once, such as a secret, or a form that it fills in. They are never part of its address. */
export type NextPage = { to: string } & Pick<Kept, 'shown' | 'form'>;

/** A request of a person who may do what the route needs. */
export type Visit = {
  person: Person;
  /** The time zone of everything that the person sees. */
  zone: string;
  /** The address of the person. */
  place: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** What an action left for this page, once. */
  kept: Kept;
  /** Keeps work of the person sealed for twelve hours, also after a new sign-in. Nobody else can read it. A transaction that reads it locks it. */
  work: {
    open(work: unknown): Promise<string>;
    read(id: string, tx?: Sql): Promise<unknown>;
    save(id: string, work: unknown, tx?: Sql): Promise<void>;
  };
  may(permission: Permission): boolean;
  /** Writes what the person does, or looks at, to the audit log; with a change in its transaction. */
  audit(act: Act, tx?: Sql): Promise<void>;
};

/**
 * `scripts`, `styles`: modules and style sheets in `assets/`. `showsMessage`: the content has the message of `Visit.kept` itself. `live`: the
 * path that counts what is new in its list, and the id of the newest row.
 */
export type Content = {
  title: string;
  main: Html;
  scripts?: string[];
  styles?: string[];
  showsMessage?: boolean;
  live?: { path: string; newest: string | undefined } | undefined;
};

/** With a `name` the browser saves the file; without it shows it. */
export type PrivateFile = { mediaType: string; content: Buffer | Readable; name?: string };
