// Reads the provider's rows about collections, drops, figures and traits.

import { z } from "zod";
import { cleanLine, cleanTrait } from "#core/outside.ts";
import type {
	ProviderCollection,
	ProviderCollectionDetail,
	ProviderContract,
	ProviderDrop,
	ProviderDropStage,
	ProviderFee,
	ProviderFigure,
	ProviderSearchHit,
	ProviderStats,
	ProviderTrait,
	ProviderTraitCounts,
	ProviderTraitFloor,
} from "#plugins/provider/contract.ts";
import {
	CONTRACTS_PER_COLLECTION_MAX,
	FEES_PER_COLLECTION_MAX,
	NAME_LENGTH_MAX,
	RAW_BYTES_MAX,
	STAGES_PER_DROP_MAX,
	TRAIT_TYPES_MAX,
	TRAIT_VALUES_MAX,
} from "#plugins/provider/limits.ts";
import { type ChainNames, keepRaw, type Reading, wireField } from "#plugins/provider/wire/rows.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

const answerSchema = z.object({ categories: wireField.record, counts: wireField.record });

/** Reads the answer about one collection, which has more members than a row of a list. */
export function readCollectionDetail(
	row: unknown,
	chains: ChainNames,
): Reading<ProviderCollectionDetail> {
	const collection = readCollection(row, chains);
	const { data } = wire.collectionDetail.safeParse(row);
	if (typeof collection === "string" || !data) return "unreadable";
	return {
		...collection,
		totalSupply: data.total_supply,
		fees: (data.fees ?? []).slice(0, FEES_PER_COLLECTION_MAX).flatMap(readFee),
		createdAtMs: data.created_date,
	};
}

/** Reads a collection, which may have no contract, many, or some on unknown chains. */
export function readCollection(row: unknown, chains: ChainNames): Reading<ProviderCollection> {
	const read = wire.collection.safeParse(row);
	const sent = wireField.record.parse(row);
	if (!read.success || !sent || read.data.collection === null) return "unreadable";
	const { data } = read;
	return {
		slug: read.data.collection,
		name: data.name,
		description: data.description,
		imageUrl: data.image_url,
		bannerImageUrl: data.banner_image_url,
		projectUrl: data.project_url,
		isDisabled: data.is_disabled ?? false,
		safelistStatus: data.safelist_status,
		contracts: readContracts(data.contracts ?? [], chains),
		raw: keepRaw(sent, { bytesMax: RAW_BYTES_MAX, mayShorten: true }) ?? {},
	};
}

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

/** Reads a collection that a search found; other kinds of hits are `elsewhere`. */
export function readSearchHit(row: unknown): Reading<ProviderSearchHit> {
	const { data } = wire.searchResult.safeParse(row);
	if (!data) return "unreadable";
	if (data.type !== "collection") return "elsewhere";
	const hit = wire.searchCollection.safeParse(data.collection).data;
	if (!hit?.collection) return "unreadable";
	return {
		slug: hit.collection,
		name: hit.name,
		imageUrl: hit.image_url,
		isDisabled: hit.is_disabled ?? false,
	};
}

/**
 * Reads the figures of a collection. The provider writes 0 and an empty symbol for what it does not
 * know, so neither is passed on as a figure; nor is a volume of zero with sales.
 */
export function readStats(answer: unknown): Reading<ProviderStats> {
	const read = wire.stats.safeParse(answer);
	const sent = wireField.record.parse(answer);
	if (!read.success || !sent || read.data.total === null) return "unreadable";
	const total = wire.statsTotal.parse(read.data.total);
	const isVolumeKnown = total.volume !== 0 || total.sales === 0;
	return {
		floor: total.floor_price === 0 ? null : figure(total.floor_price, total.floor_price_symbol),
		owners: total.num_owners || null,
		volumeTotal: isVolumeKnown ? figure(total.volume, total.volume_symbol) : null,
		salesTotal: total.sales,
		raw: keepRaw(sent, { bytesMax: RAW_BYTES_MAX, mayShorten: true }) ?? {},
	};
}

/** Reads one trait of a token; null unless its value is plain, as it may be any JSON. */
export function readTrait(row: unknown): ProviderTrait | null {
	const { data } = wire.trait.safeParse(row);
	if (!data) return null;
	const { trait_type: type, value, display_type: displayType } = data;
	return cleanTrait({ type, value, displayType });
}

/**
 * Reads the number of tokens with each value of each trait. A numeric trait has a range in place of
 * counts, and is left out. Trait names are data, and two that are equal after cleaning are one.
 */
export function readTraitCounts(answer: unknown): ProviderTraitCounts | "unreadable" {
	const { data } = answerSchema.safeParse(answer);
	if (!data?.counts) return "unreadable";
	const categories = new Map(Object.entries(data.categories ?? {}));
	const types = new Map<string, Map<string, number>>();
	let left = TRAIT_VALUES_MAX;
	for (const [rawType, rawValues] of Object.entries(data.counts).slice(0, TRAIT_TYPES_MAX)) {
		const type = clean(rawType);
		const values = wireField.record.parse(rawValues);
		if (type === null || values === null) continue;
		if ((categories.get(rawType) ?? "string") !== "string") continue;
		const counts = types.get(type) ?? new Map<string, number>();
		types.set(type, counts);
		for (const [rawValue, rawCount] of Object.entries(values).slice(0, left)) {
			left--;
			const value = clean(rawValue);
			const count = wireField.count.parse(rawCount);
			if (value !== null && count !== null) counts.set(value, (counts.get(value) ?? 0) + count);
		}
	}
	return [...types]
		.filter(([, counts]) => counts.size > 0)
		.map(([type, counts]) => ({
			type,
			values: [...counts].map(([value, count]) => ({ value, count })),
		}));
}

/**
 * Reads the best ask for tokens with a value, in one currency. Zero means none, so it is left out.
 */
export function readTraitFloor(row: unknown): Reading<ProviderTraitFloor> {
	const { data } = wire.traitFloor.safeParse(row);
	if (!data?.trait_type || !data.value) return "unreadable";
	const { floor_price: floor, payment_token_symbol: symbol } = data;
	if (!floor || symbol === null) return "elsewhere";
	return { type: data.trait_type, value: data.value, floor, symbol };
}

/** Reads a fee; one above 100 % is left out. */
function readFee(row: unknown): ProviderFee[] {
	const { data } = wire.fee.safeParse(row);
	if (!data?.recipient || data.fee === null || data.fee > 100) return [];
	return [{ percent: data.fee, recipient: data.recipient, isRequired: data.required ?? false }];
}

function readContracts(rows: readonly unknown[], chains: ChainNames): ProviderContract[] {
	const contracts = new Map<string, ProviderContract>();
	for (const row of rows.slice(0, CONTRACTS_PER_COLLECTION_MAX)) {
		const { data } = wire.contract.safeParse(row);
		const chainId = chains.idOf(data?.chain ?? null);
		if (!data?.address || chainId === null) continue;
		contracts.set(`${chainId} ${data.address}`, { chainId, address: data.address });
	}
	return [...contracts.values()];
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

function figure(value: number | null, symbol: string | null): ProviderFigure {
	return value === null || symbol === null ? null : { value, symbol };
}

function clean(text: string): string | null {
	return cleanLine(text, { lengthMax: NAME_LENGTH_MAX });
}
