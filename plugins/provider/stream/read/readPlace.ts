import type { Address } from "#core/chain/Hex.ts";
import { streamWire } from "#plugins/provider/stream/wire/streamWire.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";
import { readUint } from "#plugins/provider/wire/readUint.ts";
import { wireField } from "#plugins/provider/wire/wireField.ts";

export type KnownChains = Pick<ChainNames, "idOf">;

/** The chain and token that an event is about. */
export type Place = {
	chainId: number;
	/** Null where the event is about a collection or an order as a whole. */
	token: { contract: Address; tokenId: bigint } | null;
	metadata: Readonly<Record<string, unknown>> | null;
	/** When it happened, as the event itself states. */
	toldAtMs: number | null;
};

export type ReadPlace = { kind: "place"; place: Place } | { kind: "unknown_chain" | "unreadable" };

/**
 * Reads an event's chain and token. An event names its chain in up to three places; if they differ,
 * the event is unreadable.
 */
export function readPlace(inner: unknown, chains: KnownChains): ReadPlace {
	const { data } = streamWire.place.safeParse(inner);
	if (!data) return { kind: "unreadable" };
	const item = streamWire.item.safeParse(data.item).data ?? null;
	const nftId = typeof item?.nft_id === "string" ? item.nft_id.split("/", 4) : null;
	const named = [nftId?.[0], chainName(item?.chain), chainName(data.chain)];
	const names = named.filter((name) => typeof name === "string");
	const ids = new Set(names.map(chains.idOf));
	const [chainId = null] = ids;
	if (ids.has(null)) return { kind: "unknown_chain" };
	if (chainId === null || ids.size > 1) return { kind: "unreadable" };
	const place = { chainId, metadata: item?.metadata ?? null, toldAtMs: data.event_timestamp };
	if (!nftId) return { kind: "place", place: { ...place, token: null } };
	// `chain/contract/id`
	const contract = wireField.address.parse(nftId[1]);
	const tokenId = readUint(nftId[2]);
	if (nftId.length !== 3 || !contract || tokenId === null) return { kind: "unreadable" };
	return { kind: "place", place: { ...place, token: { contract, tokenId } } };
}

/** Reads `{ name }`, or the name alone. */
function chainName(value: unknown): string | null {
	const row = typeof value === "string" ? { name: value } : value;
	return streamWire.named.safeParse(row).data?.name ?? null;
}
