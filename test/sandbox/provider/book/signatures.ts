import type { Address, Hex } from "viem";
import { sign } from "viem/accounts";
import { hashOrder } from "../../order/hashOrder.ts";
import type { Actor } from "../../World.ts";
import type { BookOrder } from "../market/Market.ts";

export type Signatures = { of(order: BookOrder): Promise<Hex | null> };

const HELD_MAX = 20_000;

/**
 * Makes the makers' signatures when an order is first shown: most orders of history never are, and
 * a signature costs a hundred times as much as the rest of an order.
 */
export function createSignatures(actors: readonly Actor[]): Signatures {
	const keys = new Map<Address, Hex>(
		actors.map((actor) => [`0x${actor.address.slice(2).toLowerCase()}`, actor.privateKey]),
	);
	const held = new Map<Hex, Hex>();
	return {
		async of(order) {
			const before = held.get(order.hash);
			if (before) return before;
			const privateKey = keys.get(order.maker);
			if (!privateKey) return null;
			const hash = hashOrder(order.parameters);
			const signature: Hex = await sign({ hash, privateKey, to: "hex" });
			const oldest = held.size >= HELD_MAX ? held.keys().next().value : undefined;
			if (oldest) held.delete(oldest);
			held.set(order.hash, signature);
			return signature;
		},
	};
}
