/** `0x` and hex digits, lower case wherever we made it. */
export type Hex = `0x${string}`;

/** A 20-byte account or contract, lower case. */
export type Address = Hex;

/** Twenty zero bytes: where mints come from, and how Seaport writes "the native currency". */
export const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000";
