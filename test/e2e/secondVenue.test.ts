import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Hex } from "viem";
import { installStandIn, type StandInTrade } from "#plugins/looksrare/testing/installStandIn.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";

// Guarantee: a marketplace that a plugin adds through the extension point is a venue like Seaport
// everywhere that sales are shown, and without the plugin it is not there at all.

const ZERO: Hex = "0x0000000000000000000000000000000000000000";
const TAKER_BID: Hex = "0x3ee3de4684413690dee6fff1a0a4f92916a1b97d1c5a83cdf24671844306b2e3";
const ROOT = join(import.meta.dir, "../..");
const RECEIPTS = join(ROOT, "plugins/looksrare/testing/mainnetReceipts.json");
const ETHER = 10n ** 18n;

let anvil: Anvil;
let chain: SeaportChain;
let looksRare: Awaited<ReturnType<typeof installStandIn>>;
let service: TestService;
let seller: Hex;
let buyer: Hex;
let friend: Hex;
let creator: Hex;

beforeAll(async () => {
	anvil = await startAnvil();
	chain = await deploySeaport(anvil);
	looksRare = await installStandIn(anvil, chain);
	[, seller = ZERO, buyer = ZERO, friend = ZERO, creator = ZERO] = chain.accounts;
	service = await startTestService({ chain: anvil });
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await anvil?.stop();
});

type Sale = Record<string, unknown> & { transactionHash: Hex };

const url = (contract: Hex, rest = "") => `/v1/nft-market/collections/${contract}${rest}`;
const head = async () => Number(await anvil.rpc<Hex>("eth_blockNumber"));

async function salesOf(contract: Hex, { transactionHash }: { transactionHash: Hex }) {
	await service.indexed(await head());
	const path = url(contract, "/activity?chain=anvil&type=sale&limit=200");
	const { status, body } = await service.get<{ data: Sale[] }>(path);
	expect(status).toBe(200);
	return body.data.filter((event) => event.transactionHash === transactionHash);
}

async function listed(parts: Partial<StandInTrade> = {}): Promise<StandInTrade> {
	return {
		maker: seller,
		recipient: buyer,
		currency: ZERO,
		collection: chain.tokens.nft,
		isMulti: false,
		itemIds: parts.itemIds ?? [await chain.mintNft(seller)],
		amounts: [1n],
		creator,
		feeAmounts: [(ETHER * 93n) / 100n, ETHER / 20n, ETHER / 50n],
		...parts,
	};
}
const offered = (parts: Partial<StandInTrade> = {}) =>
	listed({ maker: buyer, recipient: seller, currency: chain.tokens.coin, ...parts });

test("[ING-13] a sale of the second venue is in activity, sales and figures, beside Seaport's", async () => {
	const price = ETHER;
	const order = await chain.sign({
		offerer: seller,
		offer: [chain.nft(await chain.mintNft(seller))],
		consideration: [chain.to(seller, chain.native(price))],
	});
	const onSeaport = await chain.fulfillBasicOrder(order, { from: buyer, value: price });
	const trade = await listed();
	const onLooksRare = await looksRare.buy(trade, { from: buyer, value: price });

	expect(await salesOf(chain.tokens.nft, onLooksRare)).toMatchObject([
		{
			eventType: "sale",
			venue: "looksrare",
			accepted: true,
			onchainVerified: true,
			tokenId: `${trade.itemIds[0]}`,
			quantity: "1",
			from: seller,
			to: buyer,
			// The creator's and the protocol's fee included.
			amountRaw: `${price}`,
			priceNative: 1,
		},
	]);
	expect(await salesOf(chain.tokens.nft, onSeaport)).toMatchObject([{ venue: "seaport" }]);

	const { body: sales } = await service.get(url(chain.tokens.nft, "/sales?chain=anvil"));
	expect(sales.points).toMatchObject([
		{ venue: "looksrare", seller, buyer, priceNative: 1 },
		{ venue: "seaport", seller, buyer, priceNative: 1 },
	]);
	const { body: detail } = await service.get(url(chain.tokens.nft, "?chain=anvil"));
	expect(detail.market).toMatchObject({ sales24h: 2, volume_24h: 2 });
});

test("[ING-13] the account that accepts an offer through an aggregator is the seller, not the aggregator", async () => {
	const direct = await looksRare.acceptOffer(await offered({ recipient: friend }), {
		from: seller,
	});
	const through = await looksRare.acceptOfferThroughAggregator(await offered(), { from: seller });
	for (const receipt of [direct, through]) {
		expect(await salesOf(chain.tokens.nft, receipt)).toMatchObject([
			{
				venue: "looksrare",
				from: seller,
				to: buyer,
				accepted: true,
				amountRaw: `${ETHER}`,
				settlementCurrency: { address: chain.tokens.coin },
			},
		]);
	}
});

test("[ING-13] a bundle is split by unit, and units of an ERC-1155 have a price each", async () => {
	const itemIds = [
		await chain.mintNft(seller),
		await chain.mintNft(seller),
		await chain.mintNft(seller),
	];
	const bundle = await listed({ itemIds, amounts: [1n, 1n, 1n], feeAmounts: [90n, 7n, 3n] });
	const sold = await salesOf(
		chain.tokens.nft,
		await looksRare.buy(bundle, { from: buyer, value: 100n }),
	);
	const byToken = new Map(sold.map((sale) => [sale["tokenId"], sale["amountRaw"]]));
	expect(itemIds.map((id) => byToken.get(`${id}`))).toEqual(["34", "33", "33"]);

	const collection = chain.tokens.multi;
	const id = await chain.mintMulti(seller, 4n);
	const units = await listed({ collection, isMulti: true, itemIds: [id], amounts: [4n] });
	const receipt = await looksRare.buy(units, { from: buyer, value: ETHER });
	expect(await salesOf(collection, receipt)).toMatchObject([
		{ venue: "looksrare", quantity: "4", priceNative: 0.25, totalRaw: `${ETHER}` },
	]);
});

test("[ING-13] a gift and a self-trade are kept and are in no figure", async () => {
	const path = url(chain.tokens.nft, "?chain=anvil");
	const { body: before } = await service.get(path);
	const gift = await looksRare.buy(await listed({ feeAmounts: [0n, 0n, 0n] }), { from: buyer });
	const own = await looksRare.buy(await listed({ recipient: seller }), {
		from: seller,
		value: ETHER,
	});
	expect(await salesOf(chain.tokens.nft, gift)).toMatchObject([
		{ venue: "looksrare", accepted: false, reason: "zero_price" },
	]);
	expect(await salesOf(chain.tokens.nft, own)).toMatchObject([
		{ venue: "looksrare", accepted: false, reason: "self_trade" },
	]);
	const { body: after } = await service.get(path);
	expect(after.market.sales24h).toBe(before.market.sales24h);
	expect(after.market.volume_24h).toBe(before.market.volume_24h);
});

async function undecodedCount(): Promise<number> {
	const text = await (await fetch(`${service.url}/metrics`)).text();
	return Number(/logs_undecoded_total\{[^}]*lane="sale"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
}

test("[ING-13] a log of the venue that cannot be decoded is counted and stops nothing", async () => {
	const before = await undecodedCount();
	const good = await looksRare.buy(await listed(), { from: buyer, value: ETHER });
	const [log] = good.logs.filter(({ topics }) => topics[0] === TAKER_BID);
	const data: Hex = log?.data ?? "0x";
	const lies: Hex = `0x${data.slice(2, 2 + 15 * 64)}${"8".padEnd(64, "0")}`;
	const broken: Hex[] = ["0x", `0x${data.slice(2, 300)}`, lies];
	for (const one of broken) {
		const receipt = await looksRare.say({ topic: TAKER_BID, data: one }, { from: buyer });
		expect(await salesOf(chain.tokens.nft, receipt)).toEqual([]);
	}
	const after = await looksRare.buy(await listed(), { from: buyer, value: ETHER });
	expect(await salesOf(chain.tokens.nft, after)).toHaveLength(1);
	expect((await undecodedCount()) - before).toBe(broken.length);
});

test("[ING-13] sales of a plugin that is left out are ignored, and Seaport's are read", async () => {
	const without = await startTestService({
		chain: anvil,
		env: { PLUGINS_DISABLED: "looksrare" },
	});
	try {
		await without.indexed(await head());
		const path = url(chain.tokens.nft, "/activity?chain=anvil&type=sale&limit=200");
		const venues = (body: { data: Sale[] }) => new Set(body.data.map(({ venue }) => venue));
		expect(venues((await without.get(path)).body)).toEqual(new Set(["seaport"]));
		expect(venues((await service.get(path)).body)).toEqual(new Set(["looksrare", "seaport"]));
	} finally {
		await without.stop();
		await without.database.drop();
	}
});

async function decode(env: Record<string, string>) {
	const child = Bun.spawn([process.execPath, "api/cli/svc.ts", "decode", RECEIPTS], {
		cwd: ROOT,
		env: { ...process.env, ...env },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, , code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	return { code, sales: out.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : [])) };
}

test("[ING-13] `svc decode` reads receipts of the second venue, and not without its plugin", async () => {
	const sale = { venue: "looksrare", quantity: "1", accepted: true, reason: null };
	expect(await decode({})).toEqual({
		code: 0,
		sales: [
			{
				...sale,
				contract: "0xd4296688906664c2c2329d2198a8716a2b8e6661",
				tokenId: "1662",
				priceRaw: "1848150000000000",
				currency: ZERO,
				seller: "0x06b6422ca906a38159cd741f965f6f4e5d058618",
				buyer: "0x60f0a4747900a24618d0864d06b10f11d89b1d8e",
			},
			{
				...sale,
				contract: "0x306b1ea3ecdf94ab739f1910bbda052ed4a9f949",
				tokenId: "159",
				priceRaw: "10500000000000000",
				currency: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
				seller: "0xe105106f401d5caa68936d595f5d96f7f07d67ac",
				buyer: "0x94e9d73a2aeec807d85756b84759965b41866450",
			},
		],
	});
	expect(await decode({ PLUGINS_DISABLED: "looksrare" })).toEqual({ code: 0, sales: [] });
});
