// Installed packages match the reviewed ones: digest, origin, licence, and permission to run install scripts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFaults, type Locked, readLock } from './dependencies/lock.ts';

const SOUND: Locked = { version: '1.0.0', license: 'MIT', integrity: `sha512-${'a'.repeat(86)}==` };
const faultsOf = (changes: Locked, allowScripts: Record<string, boolean> = {}) =>
  findFaults({ packages: { '': {}, 'node_modules/@a/b/node_modules/c': { ...SOUND, ...changes } } }, { allowScripts });

test('the lock file has no faults', () => {
  const { lock, manifest } = readLock();
  assert.ok(Object.keys(lock.packages).length > 100);
  assert.deepEqual(findFaults(lock, manifest), []);
});

test('names a package with a fault', () => {
  assert.deepEqual(faultsOf({}), []);
  assert.deepEqual(faultsOf({ license: '(GPL-3.0 OR MIT)' }), []);
  assert.deepEqual(faultsOf({ license: 'GPL-3.0', dev: true }), [], 'build and test tools are not distributed');
  assert.deepEqual(faultsOf({ hasInstallScript: true }, { c: true }), []);
  const wrong: [Locked, RegExp][] = [
    [{ integrity: `sha1-${'a'.repeat(27)}=` }, /^c 1\.0\.0: no digest/],
    [{ integrity: '' }, /^c 1\.0\.0: no digest/],
    [{ link: true }, /^c 1\.0\.0: no digest/],
    [{ resolved: 'git+ssh://git@example.com/c.git' }, /^c 1\.0\.0: has a download address$/],
    [{ resolved: 'https://registry.example/c/-/c-1.0.0.tgz' }, /^c 1\.0\.0: has a download address$/],
    [{ license: 'AGPL-3.0-only' }, /^c 1\.0\.0: licence AGPL-3\.0-only$/],
    [{ license: '(MIT AND GPL-2.0)' }, /^c 1\.0\.0: licence /],
    [{ license: '' }, /^c 1\.0\.0: licence /],
    [{ hasInstallScript: true }, /^c 1\.0\.0: runs a script/],
  ];
  for (const [changes, pattern] of wrong) {
    const [fault, ...others] = faultsOf(changes);
    assert.match(fault!, pattern);
    assert.deepEqual(others, []);
  }
  assert.match(faultsOf({}, { gone: true })[0]!, /^gone: may run a script/);
});
