import type { Address } from "#core/chain/Hex.ts";

/** A stage as it is stored in `drop.stages`. Amounts are base units, as decimal text. */
export type StoredStage = {
	type: string;
	label: string | null;
	priceRaw: string | null;
	currency: Address | null;
	startsAt: string | null;
	endsAt: string | null;
	maxPerWallet: string | null;
};

/** A drop as it is stored, with the index's own collection where there is one. */
export type DropRow = {
	chainId: number;
	contract: Address;
	providerSlug: string;
	slug: string | null;
	name: string | null;
	imageUrl: string | null;
	type: string;
	isMinting: boolean;
	stages: StoredStage[];
	maxSupply: string | null;
	totalSupply: string | null;
	startsAt: Date | null;
	endsAt: Date | null;
	seenAt: Date;
};
