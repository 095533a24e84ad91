// Settings of the console and of the sign-in with an OpenID provider.
import { flag, integer, text } from './kinds.ts';
import { issuer } from './network.ts';
import { NONE, type Setting } from './setting.ts';

export const consoleSettings = {
  console: {
    name: 'CONSOLE',
    kind: flag,
    fallback: 'true',
    about: 'false switches the console at /console off',
  },
  fourEyes: {
    name: 'FOUR_EYES',
    kind: flag,
    shown: 'true in production once there are two administrators, else false',
    about:
      'true: new administrators and reviewers, sign-in links in place of passkeys, and applications with funds or review wait in the console for a second person',
  },
  consoleIdleMinutes: {
    name: 'CONSOLE_IDLE_MINUTES',
    kind: integer({ min: 1, max: 720 }),
    fallback: '30',
    about: 'minutes without a request after which a session of the console ends',
  },
  oidcIssuer: {
    name: 'OIDC_ISSUER',
    kind: issuer,
    shown: NONE,
    about: 'issuer URL of the OpenID provider for sign-in to the console; needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
  },
  oidcClientId: { name: 'OIDC_CLIENT_ID', kind: text, shown: NONE, about: 'client id of the console at the OpenID provider' },
  oidcClientSecret: {
    name: 'OIDC_CLIENT_SECRET',
    kind: text,
    isSecret: true,
    shown: NONE,
    about: 'client secret of the console at the OpenID provider',
  },
  oidcRolesClaim: {
    name: 'OIDC_ROLES_CLAIM',
    kind: text,
    fallback: 'roles',
    about: 'claim of the ID token with the roles of a person; without it they are given in the console',
  },
} satisfies Record<string, Setting>;
