import type { Reader } from "#plugins/provider/client/createReader.ts";
import type { Provider, ProviderNft } from "#plugins/provider/contract.ts";
import { COLLECTIONS_PER_PAGE_MAX, ROWS_PER_PAGE_MAX } from "#plugins/provider/limits.ts";
import { chainName } from "#plugins/provider/methods/chainName.ts";
import { pageLimit } from "#plugins/provider/methods/pageLimit.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { readDrop } from "#plugins/provider/wire/readDrop.ts";
import { readNft } from "#plugins/provider/wire/readNft.ts";
import { wireField } from "#plugins/provider/wire/wireField.ts";

type TokenMethods = Pick<Provider, "nft" | "nfts" | "drops" | "drop">;

/** Returns the methods about tokens and drops. */
export function tokenMethods(reader: Reader, chains: ChainNames): TokenMethods {
	return {
		nft({ chainId, address, tokenId }, options) {
			const contract = ["chain", chainName(chains, chainId), "contract", address];
			const segments = [...contract, "nfts", String(tokenId)];
			return reader.one({ endpoint: "nft", segments, options }, (json): Reading<ProviderNft> => {
				const envelope = wireField.record.parse(json);
				return envelope ? readNft(envelope.nft, { chainId }) : "unreadable";
			});
		},
		nfts(of, options) {
			const limit = pageLimit(options.limit, ROWS_PER_PAGE_MAX);
			const query = { limit, next: options.cursor };
			// `collection` is singular, unlike in all other paths of a collection.
			const segments =
				"slug" in of
					? ["collection", of.slug, "nfts"]
					: ["chain", chainName(chains, of.chainId), "contract", of.address, "nfts"];
			const chainId = "slug" in of ? null : of.chainId;
			const rows = { list: "nfts", read: (row: unknown) => readNft(row, { chainId }) };
			return reader.page({ endpoint: "nfts", segments, query, options }, rows);
		},
		drops: (options) =>
			reader.page(
				{
					endpoint: "drops",
					segments: ["drops"],
					query: {
						type: options.type,
						chains: options.chainId === undefined ? undefined : chainName(chains, options.chainId),
						limit: pageLimit(options.limit, COLLECTIONS_PER_PAGE_MAX),
						cursor: options.cursor,
					},
					options,
				},
				{ list: "drops", read: (row: unknown) => readDrop(row, chains) },
			),
		drop: (slug, options) =>
			reader.one({ endpoint: "drop", segments: ["drops", slug], options }, (json) =>
				readDrop(json, chains),
			),
	};
}
