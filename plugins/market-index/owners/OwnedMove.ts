import type { TokenMove } from "#plugins/chain-scanner/contract.ts";

/** A move of a collection whose owners are kept. */
export type OwnedMove = TokenMove & { collectionId: number };
