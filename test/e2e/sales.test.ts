import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";

// Guarantee: every sale on a chain the service has never seen is in the index, once, with the
// right price and the right people, whatever its shape; read back over HTTP.

let anvil: Anvil;
let chain: SeaportChain;
let service: TestService;
let seller: Hex;
let buyer: Hex;
let relayer: Hex;

const ETHER = 10n ** 18n;

beforeAll(async () => {
	anvil = await startAnvil();
	chain = await deploySeaport(anvil);
	[, seller, buyer, relayer] = chain.accounts as [Hex, Hex, Hex, Hex];
	service = await startTestService({ chain: anvil });
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await anvil?.stop();
});

type Sale = Record<string, unknown> & { transactionHash: Hex; accepted: boolean };

async function salesOf(contract: Hex, transactionHash: Hex): Promise<Sale[]> {
	await service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
	const path = `/v1/nft-market/collections/${contract}/activity?chain=anvil&type=sale&limit=200`;
	const { status, body } = await service.get(path);
	expect(status).toBe(200);
	return body.data.filter((event: Sale) => event.transactionHash === transactionHash);
}

const list = async (price: bigint) => {
	const id = await chain.mintNft(seller);
	const order = await chain.sign({
		offerer: seller,
		offer: [chain.nft(id)],
		consideration: [chain.to(seller, chain.native(price))],
	});
	return { id, order };
};

test("[ING-02] [ING-12] of a filled listing the offerer is seller, the fulfiller buyer, with fees in the price", async () => {
	const id = await chain.mintNft(seller);
	const fee = chain.accounts[6] as Hex;
	const order = await chain.sign({
		offerer: seller,
		offer: [chain.nft(id)],
		consideration: [
			chain.to(seller, chain.native((ETHER * 95n) / 100n)),
			chain.to(fee, chain.native((ETHER * 5n) / 100n)),
		],
	});
	const tip = [{ amount: ETHER / 10n, recipient: relayer }];
	const value = ETHER + ETHER / 10n;
	const receipt = await chain.fulfillBasicOrder(order, { from: buyer, value, tips: tip });
	expect(await salesOf(chain.tokens.nft, receipt.transactionHash)).toMatchObject([
		{
			eventType: "sale",
			accepted: true,
			onchainVerified: true,
			venue: "seaport",
			tokenId: id.toString(),
			from: seller,
			to: buyer,
			priceNative: 1.1,
			amountRaw: value.toString(),
			priceUsd: null,
		},
	]);
});

test("[ING-12] of an accepted offer the offerer is buyer, and the price is what the offer paid", async () => {
	const id = await chain.mintNft(seller);
	const order = await chain.sign({
		offerer: buyer,
		offer: [chain.coin(2n * ETHER)],
		consideration: [chain.to(buyer, chain.nft(id)), chain.to(relayer, chain.coin(ETHER / 10n))],
	});
	const receipt = await chain.fulfillAdvancedOrder({ order }, { from: seller });
	const sales = await salesOf(chain.tokens.nft, receipt.transactionHash);
	expect(sales).toMatchObject([
		{
			from: seller,
			to: buyer,
			accepted: true,
			amountRaw: (2n * ETHER).toString(),
			// The index has no rate for this token: raw amount and currency are shown, and nothing is
			// guessed.
			priceNative: null,
			priceUsd: null,
			settlementCurrency: { address: chain.tokens.coin },
		},
	]);
});

test("[ING-12] the account that accepts an offer is the seller, also if another account gets the money", async () => {
	const id = await chain.mintNft(seller);
	const order = await chain.sign({
		offerer: buyer,
		offer: [chain.coin(ETHER)],
		consideration: [chain.to(buyer, chain.nft(id))],
	});
	const paidTo = { from: seller, recipient: relayer };
	const receipt = await chain.fulfillAdvancedOrder({ order }, paidTo);
	const sales = await salesOf(chain.tokens.nft, receipt.transactionHash);
	expect(sales).toMatchObject([{ from: seller, to: buyer, accepted: true }]);
});

test("[ING-12] a sale for two currencies has no price, and a self-trade is not accepted", async () => {
	const mixed = await chain.sign({
		offerer: seller,
		offer: [chain.nft(await chain.mintNft(seller))],
		consideration: [chain.to(seller, chain.coin(5n)), chain.to(seller, chain.otherCoin(5n))],
	});
	const two = await chain.fulfillAdvancedOrder({ order: mixed }, { from: buyer });
	expect(await salesOf(chain.tokens.nft, two.transactionHash)).toMatchObject([
		{ accepted: false, reason: "several_currencies", priceNative: null, amountRaw: null },
	]);
	const own = await chain.sign({
		offerer: seller,
		offer: [chain.nft(await chain.mintNft(seller))],
		consideration: [chain.to(relayer, chain.native(5n))],
	});
	const self = await chain.fulfillAdvancedOrder({ order: own }, { from: seller, value: 5n });
	expect(await salesOf(chain.tokens.nft, self.transactionHash)).toMatchObject([
		{ accepted: false, reason: "self_trade", from: seller, to: seller },
	]);
});

test("[ING-12] a bundle's price is split by unit, with the remainder in the first row", async () => {
	const ids = [
		await chain.mintNft(seller),
		await chain.mintNft(seller),
		await chain.mintNft(seller),
	];
	const order = await chain.sign({
		offerer: seller,
		offer: ids.map((id) => chain.nft(id)),
		consideration: [chain.to(seller, chain.native(100n))],
	});
	const receipt = await chain.fulfillOrder(order, { from: buyer, value: 100n });
	const sales = await salesOf(chain.tokens.nft, receipt.transactionHash);
	expect(sales).toHaveLength(3);
	const byToken = new Map(sales.map((sale) => [sale["tokenId"], sale["amountRaw"]]));
	expect(ids.map((id) => byToken.get(id.toString()))).toEqual(["34", "33", "33"]);
});

test("[ING-12] an ERC-1155 sale has a price per unit beside its quantity", async () => {
	const id = await chain.mintMulti(seller, 5n);
	const order = await chain.sign({
		offerer: seller,
		offer: [chain.multi(id, 5n)],
		consideration: [chain.to(seller, chain.native(5n * ETHER))],
		orderType: 1,
	});
	const part = { order, numerator: 2n, denominator: 5n };
	const receipt = await chain.fulfillAdvancedOrder(part, { from: buyer, value: 2n * ETHER });
	expect(await salesOf(chain.tokens.multi, receipt.transactionHash)).toMatchObject([
		{ quantity: "2", priceNative: 1, totalRaw: (2n * ETHER).toString(), from: seller, to: buyer },
	]);
});

test("[ING-12] orders matched by a relayer are one sale, and the relayer is no party to it", async () => {
	const { id, order } = await (async () => {
		const id = await chain.mintNft(seller);
		const order = await chain.sign({
			offerer: seller,
			offer: [chain.nft(id)],
			consideration: [chain.to(seller, chain.coin(3n * ETHER))],
		});
		return { id, order };
	})();
	const bid = await chain.sign({
		offerer: buyer,
		offer: [chain.coin(3n * ETHER)],
		consideration: [chain.to(buyer, chain.nft(id))],
	});
	const receipt = await chain.matchOrders(
		[order, bid],
		[
			{ from: [[0, 0]], to: [[1, 0]] },
			{ from: [[1, 0]], to: [[0, 0]] },
		],
		{ from: relayer },
	);
	const sales = await salesOf(chain.tokens.nft, receipt.transactionHash);
	expect(sales).toMatchObject([{ from: seller, to: buyer, amountRaw: (3n * ETHER).toString() }]);
});

test("[ING-12] a private sale has the named buyer", async () => {
	const id = await chain.mintNft(seller);
	const order = await chain.sign({
		offerer: seller,
		offer: [chain.nft(id)],
		consideration: [chain.to(seller, chain.native(ETHER)), chain.to(buyer, chain.nft(id))],
	});
	const mirror = await chain.sign({
		offerer: buyer,
		offer: [chain.native(ETHER)],
		consideration: [],
	});
	const receipt = await chain.matchOrders(
		[order, mirror],
		[
			{ from: [[0, 0]], to: [[0, 1]] },
			{ from: [[1, 0]], to: [[0, 0]] },
		],
		{ from: buyer, value: ETHER },
	);
	const sales = await salesOf(chain.tokens.nft, receipt.transactionHash);
	expect(sales).toMatchObject([{ from: seller, to: buyer, priceNative: 1, accepted: true }]);
});

test("[ING-12] [IDX-10] a transfer for nothing is kept, not accepted, and in no figure", async () => {
	const id = await chain.mintNft(seller);
	const order = await chain.sign({ offerer: seller, offer: [chain.nft(id)], consideration: [] });
	const detail = `/v1/nft-market/collections/${chain.tokens.nft}?chain=anvil`;
	const before = (await service.get(detail)).body;
	const receipt = await chain.fulfillAdvancedOrder({ order }, { from: buyer });
	const sales = await salesOf(chain.tokens.nft, receipt.transactionHash);
	expect(sales).toMatchObject([{ accepted: false, reason: "zero_price", priceNative: 0 }]);
	const after = (await service.get(detail)).body;
	expect(after.lastSale).toEqual(before.lastSale);
	expect(after.market.sales24h).toBe(before.market.sales24h);
	expect(after.market.volume_24h).toBe(before.market.volume_24h);
});

test("[ING-05] both scanners work with only an RPC configured", async () => {
	const { order } = await list(ETHER);
	const receipt = await chain.fulfillBasicOrder(order, { from: buyer, value: ETHER });
	expect(await salesOf(chain.tokens.nft, receipt.transactionHash)).toHaveLength(1);
	const { body } = await service.get("/v1/nft-market/collections?chain=anvil&mode=trending");
	const row = body.normalized.find(
		(found: { contractAddress: Hex }) => found.contractAddress === chain.tokens.nft,
	);
	expect(row.market?.health?.providerConnected ?? row.health.providerConnected).toBe(false);
	expect(row.sales24h).toBeGreaterThan(0);
});

test("[ING-02] a sale's event from another address than Seaport's is ignored", async () => {
	const { order } = await list(ETHER);
	const receipt = await chain.fulfillBasicOrder(order, { from: buyer, value: ETHER });
	const log = receipt.logs.find(({ address }) => address === chain.address);
	const fixtures = await fixturesOn(anvil);
	const echo = await fixtures.deploy("Echo");
	const copied = await fixtures.call("Echo", echo, "echo", [...(log?.topics ?? []), log?.data]);
	expect(await salesOf(chain.tokens.nft, receipt.transactionHash)).toHaveLength(1);
	expect(await salesOf(chain.tokens.nft, copied)).toHaveLength(0);
});
