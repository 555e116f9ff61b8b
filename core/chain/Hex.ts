/** `0x` and hex digits; our own code writes them in lower case. */
export type Hex = `0x${string}`;

/** A 20-byte account or contract, lower case. */
export type Address = Hex;

/** Twenty zero bytes: the sender of mints, and Seaport's code for "the native currency". */
export const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000";
