// A typed message channel between the supervisor and a worker process.

type Message = { kind: string };
type Port = { send?: (message: Message) => unknown; on(event: 'message', listener: (message: Message) => void): unknown };

export type Channel<Received extends Message, Sent extends Message> = {
  /** Does nothing when the other side is gone. */
  send(message: Sent): void;
  on<Kind extends Received['kind']>(kind: Kind, listener: (message: Extract<Received, { kind: Kind }>) => void): void;
};

export function openChannel<Received extends Message, Sent extends Message>(
  port: Port & { isConnected(): boolean },
): Channel<Received, Sent> {
  return {
    send(message) {
      if (port.isConnected()) port.send?.(message);
    },
    on(kind, listener) {
      port.on('message', (message) => {
        if (message.kind === kind) listener(message as Parameters<typeof listener>[0]);
      });
    },
  };
}
