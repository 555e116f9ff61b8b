import type { ProviderCollectionDetail, ProviderFee } from "#plugins/provider/contract.ts";
import { FEES_PER_COLLECTION_MAX } from "#plugins/provider/limits.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { readCollection } from "#plugins/provider/wire/readCollection.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

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

/** Reads a fee; one above 100 % is left out. */
function readFee(row: unknown): ProviderFee[] {
	const { data } = wire.fee.safeParse(row);
	if (!data?.recipient || data.fee === null || data.fee > 100) return [];
	return [{ percent: data.fee, recipient: data.recipient, isRequired: data.required ?? false }];
}
