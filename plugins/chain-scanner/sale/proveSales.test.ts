import { describe, expect, test } from "bun:test";
import { padHex } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Sale, Venue } from "#plugins/chain-scanner/contract.ts";
import { TRANSFER_TOPIC } from "#plugins/chain-scanner/mint/decodeMints.ts";
import {
	proveDelivery,
	proveSales,
	proveSellers,
	readMoves,
	type TokenMove,
	tokenMoves,
} from "#plugins/chain-scanner/sale/proveSales.ts";
import { needsReceipt } from "#plugins/chain-scanner/sale/saleSource.ts";
import { aSale } from "#plugins/chain-scanner/sale/testing/aSale.ts";
import { moveLogs } from "#plugins/chain-scanner/sale/testing/moveLogs.ts";

describe("proveDelivery", () => {
	const { contract, seller: from, buyer: to } = aSale();
	const other = padHex("0x0e", { size: 20 });
	const move = (changes: Partial<TokenMove> = {}): TokenMove => {
		return { contract, standard: "erc721", tokenId: 8n, quantity: 1n, from, to, ...changes };
	};
	const reasons = (sales: Partial<Sale>[], moves: TokenMove[]) =>
		proveDelivery(
			sales.map((changes) => ({ sale: aSale(changes) })),
			moves,
		).map(({ sale }) => (sale.accepted ? "accepted" : sale.reason));

	test("a sale whose token reached the buyer is accepted, whoever held it in between", () => {
		expect(reasons([{}], [move()])).toEqual(["accepted"]);
		expect(reasons([{}], [move({ to: other }), move({ from: other })])).toEqual(["accepted"]);
		expect(reasons([{}], [move(), move({ from: to, to: other })])).toEqual(["accepted"]);
	});

	test("[ING-12] a sale is not accepted if its token did not move, or went to somebody else", () => {
		const wrong = [
			[],
			[move({ to: other })],
			[move({ tokenId: 9n })],
			[move({ contract: other })],
			[move({ quantity: 0n })],
		];
		for (const moves of wrong) expect(reasons([{}], moves)).toEqual(["not_delivered"]);
	});

	test("units are counted: one delivery does not prove two sales, and too few units prove none", () => {
		const two = { quantity: 2n, standard: "erc1155" } as const;
		expect(reasons([two], [move({ quantity: 1n })])).toEqual(["not_delivered"]);
		expect(reasons([two], [move(), move()])).toEqual(["accepted"]);
		expect(reasons([{ logIndex: 1 }, { logIndex: 2 }], [move()])).toEqual([
			"accepted",
			"not_delivered",
		]);
		expect(reasons([{}, {}], [move(), move({ from: to, to: from }), move()])).toEqual([
			"accepted",
			"accepted",
		]);
	});

	test("a sale that was rejected before keeps its reason", () => {
		const free = { accepted: false, reason: "zero_price" } as const;
		expect(reasons([free, {}], [move()])).toEqual(["zero_price", "accepted"]);
		expect(reasons([free], [])).toEqual(["zero_price"]);
	});
});

describe("proveSales", () => {
	const adapter = padHex("0xada", { size: 20 });
	const token = padHex("0x707", { size: 20 });
	const owner = padHex("0x0f", { size: 20 });
	const venue: Pick<Venue, "adapters"> = { adapters: [{ adapter, token }] };
	const { buyer: to, seller: from } = aSale();

	const move = (changes: Partial<TokenMove> = {}): TokenMove => {
		return {
			contract: token,
			standard: "erc1155",
			tokenId: 8n,
			quantity: 1n,
			from,
			to,
			...changes,
		};
	};
	const prove = (changes: Partial<Sale>, moves: TokenMove[] | null) =>
		proveSales([{ sale: aSale({ contract: adapter, ...changes }), venue }], moves)[0]?.sale;

	test("[ING-12] the token of a sale through an adapter is the one whose own log moved", () => {
		expect(prove({}, [move()])).toMatchObject({
			contract: token,
			standard: "erc1155",
			tokenId: 8n,
			accepted: true,
			reason: null,
		});
	});

	test("[ING-12] an adapter of two storefronts is the one whose own log moved", () => {
		const second = padHex("0x702", { size: 20 });
		const both = { adapters: [...(venue.adapters ?? []), { adapter, token: second }] };
		const proven = (moves: TokenMove[] | null) =>
			proveSales([{ sale: aSale({ contract: adapter }), venue: both }], moves)[0]?.sale;
		const elsewhere = move({ contract: second });
		expect(proven([elsewhere])).toMatchObject({ contract: second, accepted: true });
		expect(proven([move()])).toMatchObject({ contract: token, accepted: true });
		expect(proven([])).toMatchObject({ contract: token, reason: "not_delivered" });
	});

	test("[ING-12] logs of the adapter, or of any other contract, prove no delivery", () => {
		const impostor = padHex("0x1ab", { size: 20 });
		const wrong = [
			null,
			[],
			[move({ contract: adapter })],
			[move({ contract: impostor })],
			[move({ tokenId: 9n })],
			[move({ to: owner })],
		];
		for (const moves of wrong) {
			expect(prove({}, moves)).toMatchObject({
				contract: token,
				accepted: false,
				reason: "not_delivered",
			});
		}
	});

	test("[ING-12] the seller of an offer accepted through an adapter is who gave the real token", () => {
		const offer = { seller: owner, sellerUnproven: true } as const;
		expect(prove(offer, [move()])).toMatchObject({ contract: token, seller: from, accepted: true });
	});

	test("without token logs the venue's data is used, except for an adapter's tokens", () => {
		const sale = aSale({ sellerUnproven: true });
		expect(proveSales([{ sale, venue }], null)).toEqual([{ sale, venue }]);
		expect(proveSales([{ sale, venue: {} }], null)).toEqual([{ sale, venue: {} }]);
		const free = { accepted: false, reason: "zero_price" } as const;
		expect(prove(free, null)).toMatchObject({ contract: token, reason: "zero_price" });
	});

	test("a listing beside a sale whose receipt was read is checked against it as well", () => {
		const listing = aSale({ logIndex: 2 });
		const reads = [
			{ sale: aSale({ contract: adapter }), venue },
			{ sale: listing, venue },
		];
		expect(proveSales(reads, [move()]).map(({ sale }) => sale.reason)).toEqual([
			null,
			"not_delivered",
		]);
	});

	test("a receipt is read only if the seller or the token is not proved", () => {
		expect(needsReceipt({ sale: aSale(), venue })).toBe(false);
		expect(needsReceipt({ sale: aSale(), venue: {} })).toBe(false);
		expect(needsReceipt({ sale: aSale({ sellerUnproven: true }), venue })).toBe(true);
		expect(needsReceipt({ sale: aSale({ contract: adapter }), venue })).toBe(true);
		// Somebody else's adapter is a token like any other.
		expect(needsReceipt({ sale: aSale({ contract: adapter }), venue: {} })).toBe(false);
	});
});

describe("proveSellers", () => {
	const [owner, buyer, paid, router] = ["0xa", "0xb", "0xc", "0xd"] as const;

	const offer = (changes: Partial<Sale> = {}): { sale: Sale } => ({
		sale: {
			logIndex: 1,
			subIndex: 0,
			contract: "0x1",
			standard: "erc721",
			tokenId: 8n,
			quantity: 1n,
			totalRaw: 3n,
			currency: "0x2",
			seller: paid,
			buyer,
			accepted: true,
			reason: null,
			sellerUnproven: true,
			...changes,
		},
	});
	const move = (from: `0x${string}`, to: `0x${string}`, tokenId = 8n) => {
		return { contract: "0x1", standard: "erc721", quantity: 1n, tokenId, from, to } as const;
	};
	const sellerOf = (...args: Parameters<typeof proveSellers>) =>
		proveSellers(...args)[0]?.sale.seller;

	test("[ING-12] the account that gave the token is the seller, whoever was paid", () => {
		expect(sellerOf([offer()], [move(paid, owner, 9n), move(owner, buyer)])).toBe(owner);
	});

	test("[ING-12] an account that only passes a token on within the transaction is no seller", () => {
		expect(sellerOf([offer()], [move(owner, router), move(router, buyer)])).toBe(owner);
	});

	test("[ING-12] an account that bought the token in the same transaction is a seller itself", () => {
		const bought = offer({ seller: owner, buyer: router });
		delete bought.sale.sellerUnproven;
		const sales = [offer(), bought];
		expect(sellerOf(sales, [move(owner, router), move(router, buyer)])).toBe(router);
	});

	test("[ING-12] a bidder who was also paid is not a self-trader", () => {
		const sale = offer({ seller: buyer, accepted: false, reason: "self_trade" });
		const [proven] = proveSellers([sale], [move(owner, buyer)]);
		expect(proven?.sale).toMatchObject({ seller: owner, accepted: true, reason: null });
	});

	test("[ING-12] an owner who accepts the own offer through another account is a self-trader", () => {
		const [proven] = proveSellers([offer()], [move(buyer, buyer)]);
		expect(proven?.sale).toMatchObject({ accepted: false, reason: "self_trade" });
	});

	test("[ING-12] an accepted offer of whose token no log tells is unproven, and counts in no figure", () => {
		const verdict = (...args: Parameters<typeof proveSales>) => {
			const [proven] = proveSales(...args);
			return proven && [proven.sale.accepted, proven.sale.reason];
		};
		const read = { ...offer(), venue: {} };
		// Another id's log says nothing of this one.
		for (const moves of [[], [move(owner, buyer, 9n)]]) {
			expect(verdict([read], moves)).toEqual([false, "unproven"]);
		}
		expect(verdict([read], [move(owner, router)])).toEqual([false, "not_delivered"]);
		expect(verdict([read], [move(owner, buyer)])).toEqual([true, null]);
		const free = { ...offer({ accepted: false, reason: "zero_price" }), venue: {} };
		expect(verdict([free], [])).toEqual([false, "zero_price"]);
	});

	test("without the token's log the venue's seller is kept, and a circle of transfers ends", () => {
		expect(sellerOf([offer()], [])).toBe(paid);
		expect(
			sellerOf([offer()], [move(router, owner), move(owner, router), move(router, buyer)]),
		).toBe(router);
	});
});

describe("readMoves", () => {
	const word = (value: number): Hex => `0x${value.toString(16).padStart(64, "0")}`;
	const account = (value: number): Hex => `0x${value.toString(16).padStart(40, "0")}`;
	const [hash, blockHash] = [word(1), word(2)];
	const contract = account(0xabc);
	const log = (topics: Hex[]) => ({ address: contract, topics, data: "0x" });
	const never = new AbortController().signal;

	const read = (receipt: unknown) => {
		const rpc: Pick<Rpc, "batch"> = { batch: async () => [receipt] };
		return readMoves(rpc as Rpc, [{ hash, blockHash }], never);
	};

	test("moves are read from the receipt; an ERC-20's Transfer is not read as a move of an NFT", async () => {
		const nft = log([TRANSFER_TOPIC, word(10), word(11), word(7)]);
		const coin = log([TRANSFER_TOPIC, word(10), word(11)]);
		const moves = await read({ blockHash, logs: [coin, nft] });
		const parties = { from: account(10), to: account(11) };
		expect(moves.get(hash)).toEqual([
			{ contract, standard: "erc721", tokenId: 7n, quantity: 1n, ...parties },
		]);
	});

	test("a receipt that is not served by its hash is read with all of its block", async () => {
		const logs = [log([TRANSFER_TOPIC, word(10), word(11), word(7)])];
		const rpc: Pick<Rpc, "batch"> = {
			batch: async ([call]) => {
				if (call?.method !== "eth_getBlockReceipts") return [null];
				return [
					[
						{ transactionHash: word(9), blockHash, logs: [] },
						{ transactionHash: hash, blockHash, logs },
					],
				];
			},
		};
		const moves = await readMoves(rpc as Rpc, [{ hash, blockHash }], never);
		expect(moves.get(hash)).toMatchObject([{ contract, tokenId: 7n }]);
	});

	test("a receipt that is missing, of another block or malformed is requested again", async () => {
		for (const receipt of [null, { blockHash: word(3), logs: [] }, { blockHash, logs: [{}] }]) {
			await expect(read(receipt)).rejects.toThrow("rpc_inconsistent");
		}
	});
});

describe("tokenMoves", () => {
	const address = padHex("0xabc", { size: 20 });
	const from = padHex("0x5e", { size: 20 });
	const to = padHex("0xb0", { size: 20 });
	const place = { contract: address, from, to };
	const moved = { address, from, to };

	test("each kind of transfer log is read, with its units", () => {
		const one = { ...place, standard: "erc721" as const, tokenId: 7n, quantity: 1n };
		expect(tokenMoves([moveLogs.erc721({ ...moved, tokenId: 7n })])).toEqual([one]);
		expect(tokenMoves([moveLogs.bare({ ...moved, tokenId: 7n })])).toEqual([one]);
		const units = { ...place, standard: "erc1155" as const };
		expect(tokenMoves([moveLogs.single({ ...moved, tokenId: 7n, units: 3n })])).toEqual([
			{ ...units, tokenId: 7n, quantity: 3n },
		]);
		expect(tokenMoves([moveLogs.batch({ ...moved, ids: [7n, 8n], units: [3n, 4n] })])).toEqual([
			{ ...units, tokenId: 7n, quantity: 3n },
			{ ...units, tokenId: 8n, quantity: 4n },
		]);
	});

	test("transfers of coins, other events and malformed logs give no moves", () => {
		const coin = moveLogs.coin({ ...moved, amount: 7n });
		const torn = { ...moveLogs.single({ ...moved, tokenId: 7n }), data: "0x12" as const };
		const short = { ...moveLogs.batch({ ...moved, ids: [1n, 2n], units: [1n] }) };
		const logs = [coin, torn, { address, topics: [], data: "0x" as const }];
		expect(tokenMoves(logs)).toEqual([]);
		// A list of units that ends too soon moves nothing of the rest.
		expect(tokenMoves([short]).map(({ quantity }) => quantity)).toEqual([1n, 0n]);
	});
});
