import type { TokenMove } from "#plugins/chain-scanner/contract.ts";

/** A transfer of a contract whose owners are kept, with the set that they are kept in. */
export type OwnedMove = TokenMove & { setId: number };
