import type { Address } from "#core/chain/Hex.ts";

export function bytesOfAddress(address: Address): Buffer {
	return Buffer.from(address.slice(2), "hex");
}
