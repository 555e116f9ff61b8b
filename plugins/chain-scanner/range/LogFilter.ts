import type { Hex } from "#core/chain/Hex.ts";

/** The part of an `eth_getLogs` filter that is not the range. */
export type LogFilter = {
	address?: readonly Hex[];
	topics: readonly (Hex | null | readonly Hex[])[];
};
