import type { ProviderCollection, ProviderContract } from "#plugins/provider/contract.ts";
import { CONTRACTS_PER_COLLECTION_MAX, RAW_BYTES_MAX } from "#plugins/provider/limits.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";
import { keepRaw } from "#plugins/provider/wire/keepRaw.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { wire } from "#plugins/provider/wire/wire.ts";
import { wireField } from "#plugins/provider/wire/wireField.ts";

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
		contracts: readContracts(data.contracts ?? [], chains),
		raw: keepRaw(sent, { bytesMax: RAW_BYTES_MAX, mayShorten: true }) ?? {},
	};
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
