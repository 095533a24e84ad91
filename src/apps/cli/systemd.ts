// Notifications to systemd (sd_notify(3)): the service has started, reloads, stops, and still runs.
import { execFile } from 'node:child_process';
import type { FastifyBaseLogger } from 'fastify';
import { readNotification } from '../../platform/config/environment.ts';

export type Systemd = {
  /** The service has started, or has reloaded. */
  ready(): void;
  reloading(): void;
  stopping(): void;
};

/** Node.js has no Unix datagram sockets. This program comes with systemd, and waits until systemd has read the message. */
const PROGRAM = 'systemd-notify';
const TIMEOUT_MS = 10_000;

/** Sends the notifications, in order, if systemd asks for them. Otherwise does nothing. */
export function openSystemd(log: FastifyBaseLogger): Systemd {
  const { socket, path, watchdogMs } = readNotification();
  if (socket === undefined) return { ready() {}, reloading() {}, stopping() {} };
  let isFailing = false;
  let sent: Promise<void> = Promise.resolve();
  // Without the environment of the service, which may have secrets.
  const how = { env: { NOTIFY_SOCKET: socket, PATH: path }, timeout: TIMEOUT_MS };
  const run = (fields: string[]) =>
    new Promise<void>((resolve) => {
      execFile(PROGRAM, fields, how, (error) => {
        if (error && !isFailing) log.error({ err: error }, 'systemd could not be notified');
        isFailing = error !== null;
        resolve();
      });
    });
  const send = (...fields: string[]) => {
    sent = sent.then(() => run(fields));
  };
  // Twice as often as systemd expects it, as sd_watchdog_enabled(3) recommends.
  if (watchdogMs !== undefined) setInterval(() => send('WATCHDOG=1'), watchdogMs / 2).unref();
  return {
    ready: () => send('READY=1'),
    reloading: () => send('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`),
    stopping: () => send('STOPPING=1'),
  };
}
