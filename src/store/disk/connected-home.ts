/** The home that a client of a host application is connected to, for what mounts the API of its owner. */

/** Engines of other processes, as `connectEngine` returns them. */
export interface Connected {
  handle(...args: never[]): unknown
  close(): void
}

export interface ConnectedHome {
  dataDir: string
  /** Resolves when an owner answers. @throws TroupeError service_unavailable: none has in time */
  ready(): Promise<unknown>
}

const homes = new WeakMap<object, ConnectedHome>()

export const noteConnected = (client: Connected, home: ConnectedHome): void => void homes.set(client, home)

/** Undefined: it is an engine, or a client of a server elsewhere. */
export const connectedHome = (client: object): ConnectedHome | undefined => homes.get(client)
