import type { Address } from "#core/chain/Hex.ts";

/** What applying a batch needs to know of a collection. */
export type KnownCollection = {
	id: number;
	address: Address;
	slug: string;
	name: string | null;
	imageUrl: string | null;
	excluded: boolean;
	/** True: it was registered by the call that returns it. */
	isNew: boolean;
};
