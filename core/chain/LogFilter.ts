import type { Hex } from "#core/chain/Hex.ts";

/** Which logs are wanted, as `eth_getLogs` and `eth_subscribe` take it; the range is not in it. */
export type LogFilter = {
	address?: readonly Hex[];
	topics: readonly (Hex | null | readonly Hex[])[];
};
