import type { Hex } from "#core/chain/Hex.ts";

/** A filter of logs in the form of `eth_getLogs` and `eth_subscribe`, without the range. */
export type LogFilter = {
	address?: readonly Hex[];
	topics: readonly (Hex | null | readonly Hex[])[];
};
