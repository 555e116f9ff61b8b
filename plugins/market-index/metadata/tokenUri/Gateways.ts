/** Where content without a server of its own is read: URLs without a slash at their end. */
export type Gateways = { ipfs: readonly string[]; arweave: string };
