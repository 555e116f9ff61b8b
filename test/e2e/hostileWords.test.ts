import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Hex } from "viem";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";
import { cleanUrl } from "#core/outside.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";
import { hostileContract } from "#test/harness/fixtures.ts";
import { type MarketLab, openMarketLab } from "#test/harness/openMarketLab.ts";
import { type RpcProxy, startRpcProxy } from "#test/harness/proxies.ts";
import {
	HARMLESS_IMAGE,
	HARMLESS_TRAIT,
	type PoisonedProvider,
	startPoisonedProvider,
} from "#test/harness/startPoisonedProvider.ts";
import { openStream, type TestStream } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { addresses } from "#test/sandbox/knownContracts.ts";

// Guarantee: whatever strangers wrote and the provider passes on, no route and no frame shows a URL
// that runs code, leads into a local network or contains a secret, a text that runs backwards, or a
// malformed trait; and rows that were stored before this rule are shown clean too.

const SLUG = "kiln-folk";

let lab: MarketLab;
let provider: PoisonedProvider;
let chain: RpcProxy;
let contract: Hex;
let streams: TestStream[] = [];
beforeAll(async () => {
	lab = await openMarketLab({
		only: [SLUG, "night-ferry"],
		through: async (rpcUrl) => {
			chain = await startRpcProxy(rpcUrl);
			return chain.url;
		},
		behind: (emulator) => {
			provider = startPoisonedProvider(emulator);
			return provider;
		},
		env: { PROVIDER_STREAM_ENABLED: "true" },
	});
	contract = lab.addressOf(SLUG);
	await lab.runJob("discovery");
	await lab.drainQueue();
	const url = `${lab.service.url.replace(/^http/, "ws")}/v1/nft-market`;
	streams = await Promise.all([
		openStream(`${url}/collections/${SLUG}/stream?chain=anvil`),
		openStream(`${url}/discover/stream?chain=anvil`),
	]);
	await lab.read(path());
	for (const job of ["order-books", "lean-sync", "drops", "follow"]) await lab.runJob(job);
	await lab.drainQueue();
});
afterAll(async () => {
	for (const stream of streams) stream.close();
	await lab?.close();
	await provider?.stop();
	chain?.stop();
});

const path = (rest = "") => `/collections/${SLUG}${rest}?chain=anvil`;

/** The good image, or one whose only fault was a hidden character. */
const HARMLESS = /^https:\/\/(images\.test\/cat\.png|a\.test\/(gnp\.x)?)$/;

const ROUTES: [string, () => string][] = [
	...(["trending", "top", "new"] as const).flatMap((mode): [string, () => string][] => [
		[`collections, ${mode}`, () => `/collections?chain=anvil&mode=${mode}`],
		[`collections, ${mode}, all`, () => `/collections?chain=anvil&mode=${mode}&scope=all`],
	]),
	["a collection with its last sale", () => path()],
	["activity", () => `${path("/activity")}&limit=200`],
	["sales", () => `${path("/sales")}&range=all&limit=200`],
	["listings", () => `${path("/listings")}&limit=200`],
	["offers", () => `${path("/offers")}&limit=200`],
	["traits", () => `${path("/traits")}&limit=200`],
	["an asset", () => `/assets/anvil/${contract}/1`],
	["discover", () => "/discover?chain=anvil"],
	["trending", () => "/trending?chain=anvil"],
	["search", () => "/search?q=kiln"],
	["search on a chain", () => "/search?q=kiln&chain=anvil"],
	["drops", () => "/drops?chain=anvil"],
];

for (const [name, route] of ROUTES) {
	test(`${name}: no hostile text takes effect`, async () => {
		const answer = await lab.read(route());
		expect(JSON.stringify(answer).length).toBeGreaterThan(50);
		expect(hostileIn(answer)).toEqual([]);
	});
}

test("a harmless image replaces a hostile one, and only well-formed traits are shown", async () => {
	const { data } = await lab.read(`${path("/activity")}&limit=200`);
	const told = data.filter((row: any) => row.providerPayload?.nft);
	expect(told.length).toBeGreaterThan(0);
	for (const { imageUrl, traits, providerPayload } of told) {
		expect(imageUrl).toMatch(HARMLESS);
		expect(traits).toContainEqual(HARMLESS_TRAIT);
		expect(providerPayload.nft.image_url).toBe(cleanUrl(providerPayload.nft.image_url, "media"));
	}
	const { lastSale } = await lab.read(path());
	expect(lastSale.imageUrl).toMatch(HARMLESS);
	expect(provider.told.size).toBe(hostileUrls.length);
});

test("hostile text in pushes is neither in frames nor in stored rows", async () => {
	await until(
		async () => (await lab.read(path())).market.provider_stream === "live",
		"the provider's stream is heard",
	);
	// The node fails, so only the provider tells of the sale, in its own words.
	chain.fail(true);
	const transaction = await buyCheapest();
	await lab.emulator.sync();
	const told = await streams[0]?.next(
		(frame) => frame.type === "market_event" && frame.data.transactionHash === transaction,
	);
	expect(told?.data.providerPayload).not.toBeNull();
	expect(told?.data.onchainVerified).toBe(false);
	chain.fail(false);
	const frames = streams.flatMap((stream) => stream.frames);
	expect(frames.length).toBeGreaterThan(2);
	expect(hostileIn(frames)).toEqual([]);
	expect(hostileIn(await lab.read(`${path("/activity")}&limit=200`))).toEqual([]);
});

test("hostile text in a contract and its tokens is cleaned before it is shown", async () => {
	const document = {
		name: "Cat\u202egnp",
		description: "pay\u2066me\u202e\u0000 now",
		image: "https://me:secret@images.test/cat.png",
		animation_url: "javascript:alert(1)",
		external_url: "http://169.254.169.254/",
		attributes: [
			{ trait_type: "Object", value: { html: "<b>" } },
			{ trait_type: "Long", value: "x".repeat(10_000) },
			HARMLESS_TRAIT,
		],
	};
	const uri = `data:application/json,${encodeURIComponent(JSON.stringify(document))}`;
	await lab.rpc.call("anvil_setCode", [contract, hostileContract(uri)]);
	const { core } = lab.service;
	const [row] = await core.db.query<{ id: number }>(
		"select id from market_index.collection where address = $1",
		[Buffer.from(contract.slice(2), "hex")],
	);
	if (!row) throw new Error("the collection is not in the index");
	await core.db.transaction((tx) => core.queue.add(tx, [learnTokensJob(row.id, { again: true })]));
	lab.advance(6_000);
	await fetch(`${lab.service.url}/v1/nft-market${path("/resync")}`, { method: "POST" });
	await lab.drainQueue();
	const asset = await lab.read(`/assets/anvil/${contract}/1`);
	expect(asset).toMatchObject({
		name: "Cat gnp",
		description: "pay me now",
		imageUrl: HARMLESS_IMAGE,
		animationUrl: null,
	});
	expect(asset.traits).toEqual([
		{ trait_type: "Long", value: "x".repeat(TRAIT_CHARACTERS) },
		HARMLESS_TRAIT,
	]);
	lab.advance(91_000);
	for (const [, route] of ROUTES) expect(hostileIn(await lab.read(route()))).toEqual([]);
});

/** Buys the cheapest listing, of which the service has not heard yet. */
async function buyCheapest(): Promise<Hex> {
	const open = [...(lab.emulator.market().collections.get(SLUG)?.open ?? [])];
	const order = open.find(({ kind, status, currency }) => {
		return kind === "listing" && status === "ACTIVE" && currency.symbol === "ETH";
	});
	const [buyer] = (await lab.rpc.call("eth_accounts", [])) as [Hex];
	if (!order) throw new Error("nothing is for sale");
	const protocol_address = addresses.seaport.toLowerCase();
	const listing = { hash: order.hash, chain: "anvil", protocol_address };
	const { call } = await lab.simulate("/listings/fulfillment_data", buyer, { listing });
	return lab.send(buyer, call);
}

describe("rows that were stored before cleaning existed", () => {
	const old = {
		event_type: "sale",
		nft: {
			name: "cat\u202egnp",
			description: "a\u2066b",
			image_url: "data:text/html,<script>alert(1)</script>",
			display_image_url: "https://me:secret@images.test/cat.png",
			metadata_url: "http://169.254.169.254/latest",
			traits: [
				{ trait_type: "Object", value: {} },
				{ trait_type: "Long", value: "x".repeat(10_000) },
			],
		},
	};
	beforeAll(async () => {
		const rows = await lab.service.core.db.execute(
			"update market_index.event set payload = $1::jsonb",
			[JSON.stringify(old)],
		);
		expect(rows).toBeGreaterThan(0);
		await lab.service.core.db.execute(
			"update market_index.collection set provider_stats = $1::jsonb",
			[JSON.stringify({ total: { volume_symbol: "javascript:alert(1)", x: "\u202e" } })],
		);
	});
	const shown = ["a collection with its last sale", "activity", "sales", "discover"];
	for (const [name, route] of ROUTES.filter(([one]) => shown.includes(one))) {
		test(`${name}: clean when they are read`, async () => {
			// Past the cache's minute, so that no older page is served.
			lab.advance(91_000);
			const answer = await lab.read(route());
			expect(JSON.stringify(answer)).toContain(HARMLESS_IMAGE);
			expect(hostileIn(answer)).toEqual([]);
		});
	}
});

const NEVER =
	/^[\s\p{Cc}]*(?:java|vb)script:|data:(?:text\/html|application\/xhtml)|169\.254|2852039166|0xa9fea9fe/iu;
const NOT_SHOWN = /\.internal|:secret@|[\p{Bidi_C}\p{Cf}]|(?!\n)\p{Cc}/u;
const IS_URL = /(image|animation|banner|permalink|_url$|Url$)/;
const TRAIT_CHARACTERS = 128;

/** Returns each forbidden value in an answer, with its path. */
function hostileIn(value: unknown, at = "", name = ""): string[] {
	if (typeof value === "string") {
		const isHostile = NEVER.test(value) || NOT_SHOWN.test(value);
		const isBad = isHostile || (IS_URL.test(name) && cleanUrl(value, "media") !== value);
		return isBad && value !== "" ? [`${at}: ${value.slice(0, 80)}`] : [];
	}
	if (typeof value !== "object" || value === null) return [];
	const bad = name === "traits" && Array.isArray(value) ? value.flatMap(oddIn(at)) : [];
	return bad.concat(
		Object.entries(value).flatMap(([key, inner]) => {
			const isItem = Array.isArray(value);
			return hostileIn(inner, `${at}.${key}`, isItem ? name : key);
		}),
	);
}

/** Returns a check that a trait has only plain and short members. */
function oddIn(at: string): (trait: unknown) => string[] {
	return (trait) => {
		const members = typeof trait === "object" && trait !== null ? Object.values(trait) : [trait];
		const odd = members.filter((member) => {
			const isLong = typeof member === "string" && [...member].length > TRAIT_CHARACTERS;
			return isLong || (typeof member === "object" && member !== null);
		});
		return odd.length > 0 || members.length === 0 ? [`${at}: an odd trait`] : [];
	};
}
