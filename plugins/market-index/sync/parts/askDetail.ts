import type { SyncContext, SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import { askAgain } from "#plugins/market-index/sync/parts/askAgain.ts";
import type { ProviderCollectionDetail } from "#plugins/provider/contract.ts";

export type FoundDetail = {
	slug: string;
	detail: ProviderCollectionDetail;
	/**
	 * True: the slug has other contracts too, so its figures are not this one's: a floor or a count
	 * of owners over three chains is true of none of them.
	 */
	isShared: boolean;
};

/**
 * Reads a contract's collection from the provider: by the known slug, or by the contract where the
 * slug belongs to another contract now. Null where the provider does not know it.
 */
export async function askDetail(
	context: Pick<SyncContext, "provider" | "wait">,
	collection: SyncedCollection & { providerSlug: string | null },
	{ signal, slugOf }: { signal: AbortSignal; slugOf: () => Promise<string | null> },
): Promise<FoundDetail | null> {
	const call = { purpose: "background", signal } as const;
	const { chainId, address, providerSlug: known } = collection;
	if (known !== null) {
		const detail = await detailBy(known);
		const { contracts = [] } = detail ?? {};
		const fits = contracts.length === 0 || contracts.some(isOurs);
		if (detail && fits) return found(known, detail);
	}
	const slug = await slugOf();
	const detail = slug === null ? null : await detailBy(slug);
	return slug === null || detail === null ? null : found(slug, detail);

	function detailBy(slug: string): Promise<ProviderCollectionDetail | null> {
		return askAgain(context, signal, () => context.provider.collection(slug, call));
	}

	function found(slug: string, detail: ProviderCollectionDetail): FoundDetail {
		return { slug, detail, isShared: detail.contracts.some((other) => !isOurs(other)) };
	}

	function isOurs(contract: { chainId: number; address: string }): boolean {
		return contract.chainId === chainId && contract.address === address;
	}
}
