import type { Address } from "#core/chain/Hex.ts";
import { streamWire } from "#plugins/provider/stream/wire/streamWire.ts";

/** Reads `{ address }`, or the address alone; null where it is neither. */
export function readAccount(value: unknown): Address | null {
	const row = typeof value === "string" ? { address: value } : value;
	return streamWire.account.safeParse(row).data?.address ?? null;
}
