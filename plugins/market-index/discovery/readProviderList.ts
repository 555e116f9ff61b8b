import type { ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";
import { LISTED_MAX } from "#plugins/market-index/discovery/limits.ts";
import { type ListedRow, listedRows } from "#plugins/market-index/register/ListedRow.ts";
import type { Provider, ProviderCallOptions } from "#plugins/provider/contract.ts";

/** Reads the first page of one of the provider's lists about a chain. */
export async function readProviderList(
	provider: Provider,
	{ chainId, mode }: { chainId: number; mode: ListMode },
	options: ProviderCallOptions,
): Promise<ListedRow[]> {
	const asked = { ...options, chainId, limit: LISTED_MAX };
	const read =
		mode === "new"
			? provider.newest(asked)
			: mode === "top"
				? provider.top(asked)
				: provider.trending({ ...asked, timeframe: "one_day" });
	const { items } = await read;
	return listedRows(chainId, items);
}
