/** Every address that a name has now, in plain notation. Rejects where there is none. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;
