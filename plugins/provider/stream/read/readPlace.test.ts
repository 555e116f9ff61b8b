import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { readPlace } from "#plugins/provider/stream/read/readPlace.ts";
import { createChainNames } from "#plugins/provider/wire/createChainNames.ts";

const chains = createChainNames(createChainRegistry(builtinChains));
const CONTRACT = "0xabcdef0000000000000000000000000000000001";
const placed = (chain: unknown, nft_id: unknown, itemChain: unknown = null) =>
	readPlace({ chain, item: { nft_id, chain: itemChain } }, chains);

test("the chain is read in each of its spellings and places", () => {
	const token = { contract: CONTRACT, tokenId: 7n };
	const polygon = { kind: "place", place: { chainId: 137, token } };
	expect(placed("polygon", `matic/${CONTRACT}/7`)).toMatchObject(polygon);
	expect(placed({ name: "Matic" }, `polygon/${CONTRACT}/7`)).toMatchObject(polygon);
	expect(placed(null, `polygon/${CONTRACT}/7`, { name: "polygon" })).toMatchObject(polygon);
	expect(placed(null, `matic/${CONTRACT.toUpperCase().replace("X", "x")}/7`)).toMatchObject(
		polygon,
	);
	const ape = { kind: "place", place: { chainId: 33_139, token: null } };
	expect(placed("ape_chain", undefined)).toMatchObject(ape);
	expect(readPlace({ chain: "ape_chain", item: {} }, chains)).toMatchObject(ape);
	expect(readPlace({ chain: "ape_chain" }, chains)).toMatchObject(ape);
});

test("an event on a chain that nobody here knows is left out", () => {
	for (const chain of ["solana", "hyperliquid", "nowhere"]) {
		expect(placed(chain, undefined)).toEqual({ kind: "unknown_chain" });
		expect(placed("ethereum", `${chain}/${CONTRACT}/7`)).toEqual({ kind: "unknown_chain" });
	}
});

test("[MRG-15] two chains, none, or half a token are no place", () => {
	const ids = [`base/${CONTRACT}/7`, "ethereum/0x12/7", `ethereum/${CONTRACT}`, "ethereum"];
	const more = [`ethereum/${CONTRACT}/7/8`, `ethereum/${CONTRACT}/-7`, `ethereum/${CONTRACT}/1e3`];
	for (const nftId of [...ids, ...more]) {
		expect(placed("ethereum", nftId)).toEqual({ kind: "unreadable" });
	}
	for (const inner of [{}, null, [], "x", { chain: 1 }]) {
		expect(readPlace(inner, chains)).toEqual({ kind: "unreadable" });
	}
});
