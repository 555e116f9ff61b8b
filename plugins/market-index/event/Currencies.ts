import type { Address } from "#core/chain/Hex.ts";

/** Known ERC-20s by address; see the table `currency`. */
export type Currencies = ReadonlyMap<Address, { symbol: string | null; decimals: number | null }>;
