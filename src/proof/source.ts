// What an audit reads: the API of a service, as its account sees it.

export type Source = {
  /** The bytes of a path below the log of the account, or undefined if the service does not have it. */
  log(path: string): Promise<Buffer | undefined>;
  /** The JSON of a path of the API, or undefined if the service does not have it. */
  get<T>(path: string): Promise<T | undefined>;
};
