import type { ProviderDrop, ProviderDropStage } from "#plugins/provider/contract.ts";
import { STAGES_PER_DROP_MAX } from "#plugins/provider/limits.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** Reads a drop, in a list or alone. */
export function readDrop(row: unknown, chains: ChainNames): Reading<ProviderDrop> {
	const { data } = wire.dropDetail.safeParse(row);
	if (!data || data.collection_slug === null) return "unreadable";
	const chainId = chains.idOf(data.chain);
	if (chainId === null) return data.chain === null ? "unreadable" : "elsewhere";
	if (data.contract_address === null) return "unreadable";
	return {
		collectionSlug: data.collection_slug,
		collectionName: data.collection_name,
		chainId,
		contract: data.contract_address,
		type: data.drop_type ?? "unknown",
		isMinting: data.is_minting ?? false,
		imageUrl: data.image_url,
		activeStage: readStage(data.active_stage),
		nextStage: readStage(data.next_stage),
		stages: (data.stages ?? []).slice(0, STAGES_PER_DROP_MAX).flatMap((stage) => {
			return readStage(stage) ?? [];
		}),
		totalSupply: data.total_supply,
		maxSupply: data.max_supply,
	};
}

function readStage(row: unknown): ProviderDropStage | null {
	const { data } = wire.stage.safeParse(row);
	if (!data?.uuid) return null;
	return {
		uuid: data.uuid,
		type: data.stage_type ?? "unknown",
		label: data.label,
		priceRaw: data.price,
		currency: data.price_currency_address,
		startsAtMs: data.start_time,
		endsAtMs: data.end_time,
		maxPerWallet: data.max_per_wallet,
	};
}
