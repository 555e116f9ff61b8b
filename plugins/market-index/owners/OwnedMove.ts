import type { TokenMove } from "#plugins/chain-scanner/contract.ts";

/** A move of a contract whose owners are kept, and the set that they are kept in. */
export type OwnedMove = TokenMove & { setId: number };
