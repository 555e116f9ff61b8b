import { beforeEach, expect, test } from "bun:test";
import { toHex } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import {
	findListing,
	readBytes,
	readFunds,
	readOrderState,
	type Search,
} from "#plugins/nft-buys/listing.ts";
import { createFakeProvider, type FakeProvider } from "#test/harness/fakes.ts";
import { sellListing } from "#test/harness/sellListing.ts";

const NFT: Address = `0x${"c".repeat(40)}`;
const SELLER: Address = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const signal = new AbortController().signal;
const { listing, orderHash } = await sellListing({
	seller: 2,
	token: { itemType: 2, contract: NFT, id: 7n },
	payments: [{ recipient: SELLER, raw: 100n }],
	nowMs: Date.UTC(2026, 10, 21),
});
const search: Search = {
	chainId: 31_337,
	marketplace: listing.protocolAddress ?? NFT,
	contract: NFT,
	tokenId: 7n,
	orderHash: null,
};

let fake: FakeProvider;
let steps: string[];
beforeEach(() => {
	fake = createFakeProvider();
	steps = [];
});

const find = (asked: Partial<Search> = {}) =>
	findListing(
		{ ...search, ...asked },
		{
			provider: fake.provider,
			outbound: (step, call) => {
				steps.push(step);
				return call();
			},
			signal,
		},
	);

test("the token's cheapest listing is found through its collection's slug", async () => {
	fake.answers.slugOf = async () => "cats";
	fake.answers.bestListing = async (slug, tokenId) =>
		slug === "cats" && tokenId === 7n ? listing : null;
	expect(await find()).toBe(listing);
	expect(steps).toEqual(["nft_buy.collection", "nft_buy.listing"]);
	expect(fake.calls.every(({ purpose }) => purpose === "request")).toBe(true);
});

test("for a collection that the provider does not know nothing is for sale", async () => {
	expect(await find()).toBeNull();
	expect(steps).toEqual(["nft_buy.collection"]);
});

test("a named order is requested by its hash, and another one is not accepted", async () => {
	fake.answers.order = async () => listing;
	expect(await find({ orderHash })).toBe(listing);
	expect(steps).toEqual(["nft_buy.listing"]);
	expect(await find({ orderHash: `0x${"1".repeat(64)}` })).toBeNull();
});

const words = (...values: bigint[]) =>
	`0x${values.map((value) => toHex(value, { size: 32 }).slice(2)).join("")}` as Hex;
const rpcOf = (...answers: unknown[]) => ({ batch: async () => answers }) as unknown as Rpc;
const asked = { marketplace: NFT, orderHash, offerer: SELLER, signal };

test("an order's state is read from the marketplace contract; an empty answer means no contract", async () => {
	const read = readOrderState(rpcOf(words(1n, 0n, 3n, 10n), words(4n)), asked);
	expect(await read).toEqual({ counter: 4n, isCancelled: false, totalFilled: 3n, totalSize: 10n });
	for (const answers of [
		["0x", "0x"],
		[null, null],
		[words(1n), words(4n)],
		[words(1n, 0n, 3n, 10n), "0x"],
		[words(1n, 7n, 3n, 10n), words(4n)],
	]) {
		expect(readOrderState(rpcOf(...answers), asked)).rejects.toMatchObject({
			code: "chain_unavailable",
		});
	}
});

test("balance and allowance are read; a contract that is no ERC-20 is refused", async () => {
	const wallet = { currency: NFT, wallet: SELLER, spender: SELLER, signal };
	expect(await readFunds(rpcOf(words(5n), words(6n), words(18n)), wallet)).toEqual({
		balanceRaw: 5n,
		allowanceRaw: 6n,
		decimals: 18,
	});
	for (const answers of [
		["0x", "0x", "0x"],
		[words(5n), words(6n)],
	]) {
		expect(readFunds(rpcOf(...answers), wallet)).rejects.toMatchObject({
			code: "currency_unreadable",
		});
	}
});

test("an answer that is not bytes is read as 0x", () => {
	expect(readBytes("0xABcd")).toBe("0xABcd");
	for (const other of [null, undefined, 1, "", "0x1", "abcd", "0xzz", {}]) {
		expect(readBytes(other)).toBe("0x");
	}
});
