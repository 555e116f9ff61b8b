// Makes the provider's pushes of a busy moment, and starts a provider that sends them.

import { createHash } from "node:crypto";
import { type FakePhoenix, fakePhoenix } from "#plugins/provider/stream/testing/fakePhoenix.ts";
import { enveloped } from "#plugins/provider/stream/testing/sampleEvents.ts";
import type { Scope } from "#test/bench/measure/startServiceProcess.ts";

/** One event of the provider's stream, with its collection. */
export type PushFrame = { slug: string; type: string; inner: Record<string, unknown> };

/** What an index contains once all of it is stored. */
export type StoredPushes = { orders: number; active: number; events: number };

/** A collection as the provider names it. */
export type PushedCollection = { slug: string; address: string };

export type PushingProvider = {
	/** The service's environment. */
	env: Readonly<Record<string, string>>;
	/** Says whether the service listens to all of these. */
	isJoined(slugs: readonly string[]): boolean;
	/** Sends all of them, as fast as possible without blocking this process. */
	push(frames: readonly PushFrame[]): Promise<void>;
	stop(): Promise<void>;
};

const NATIVE = "0x0000000000000000000000000000000000000000";
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const SELLER = "0x1111111111111111111111111111111111111111";
const BUYER = "0x2222222222222222222222222222222222222222";
const CHAIN = "anvil";

/** Of ten events: four listings, two offers, two sales of listings, a transfer, a cancellation. */
const GROUP = 10;
const PER_GROUP: StoredPushes = { orders: 6, active: 3, events: 3 };

/** Marks the orders of a burst, so that they can be counted among others. */
export const PUSHED_PREFIX = "feedbeef";
/** Above all of these. */
export const PUSHED_PREFIX_END = "feedbef0";

/** Keeps the service's own calls away for as long as anything is measured. */
const AWAY_SECONDS = 290;
const FRAMES_A_TURN = 100;

/**
 * Makes the events of a busy moment, in tens that belong together. Half of them are of one
 * collection, the rest of the others in turn.
 */
export function pushFrames(
	count: number,
	{ collections, nowMs }: { collections: readonly PushedCollection[]; nowMs: number },
): { frames: PushFrame[]; stored: StoredPushes } {
	const groups = Math.floor(count / GROUP);
	const [busiest, ...others] = collections;
	const frames = Array.from({ length: groups }, (_, group) => {
		const quieter = others[(group >> 1) % Math.max(1, others.length)];
		const collection = (group % 2 === 0 ? busiest : quieter) ?? busiest;
		return collection ? framesOf(collection, group, nowMs) : [];
	}).flat();
	const { orders, active, events } = PER_GROUP;
	return {
		frames,
		stored: { orders: groups * orders, active: groups * active, events: groups * events },
	};
}

/** Starts a provider that answers "too often" to every call; its stream pushes what it is told. */
export function startPushingProvider(scope: Scope): PushingProvider {
	const phoenix: FakePhoenix = fakePhoenix();
	const rest = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch: () =>
			new Response("{}", { status: 429, headers: { "retry-after": String(AWAY_SECONDS) } }),
	});
	const stop = scope.defer(async () => {
		await phoenix.stop();
		await rest.stop(true);
	});
	return {
		env: {
			PROVIDER_BASE_URL: `http://127.0.0.1:${rest.port}`,
			PROVIDER_STREAM_URL: phoenix.wsUrl,
			PROVIDER_STREAM_ENABLED: "true",
		},
		isJoined: (slugs) => slugs.every((slug) => phoenix.joinRef(`collection:${slug}`) !== null),
		async push(frames) {
			for (const [turn, { slug, type, inner }] of frames.entries()) {
				const payload = enveloped(type, inner);
				phoenix.send({ topic: `collection:${slug}`, event: type, payload });
				if (turn % FRAMES_A_TURN === 0) await Bun.sleep(0);
			}
		},
		stop,
	};
}

function framesOf({ slug, address }: PushedCollection, group: number, nowMs: number): PushFrame[] {
	const at = new Date(nowMs - 1_000).toISOString();
	const later = new Date(nowMs + 86_400_000).toISOString();
	const place = (token: number) => ({
		chain: { name: CHAIN },
		collection: { slug },
		event_timestamp: at,
		item: {
			nft_id: `${CHAIN}/${address}/${token}`,
			permalink: `https://market.test/${slug}/${token}`,
			chain: { name: CHAIN },
			metadata: {
				name: `${slug} #${token}`,
				image_url: `https://images.test/${slug}/${token}.png`,
			},
		},
	});
	const payment = (currency: string, symbol: string) => {
		return { address: currency, decimals: 18, symbol, eth_price: "1", usd_price: "2500" };
	};
	const hash = (order: number) => orderHash(`${group}:${order}`);
	const order = (number: number) => ({
		...place(group * GROUP + number),
		quantity: 1,
		listing_date: at,
		created_date: at,
		expiration_date: later,
		maker: { address: SELLER },
		base_price: String(10n ** 18n + BigInt(((group * 7_919) % 1_000) + number) * 10n ** 13n),
		order_hash: hash(number),
	});
	const listing = (number: number) => ({
		slug,
		type: "item_listed",
		inner: { ...order(number), payment_token: payment(NATIVE, "ETH"), is_private: false },
	});
	const sale = (number: number) => ({
		slug,
		type: "item_sold",
		inner: {
			...order(number),
			closing_date: at,
			transaction: { hash: digest(`sale ${group}:${number}`), timestamp: at },
			taker: { address: BUYER },
			sale_price: String(10n ** 18n),
			payment_token: payment(NATIVE, "ETH"),
			is_private: false,
		},
	});
	const offer = { ...order(4), payment_token: payment(WETH, "WETH") };
	const everywhere = { collection_criteria: { slug }, asset_contract_criteria: { address } };
	return [
		...[0, 1, 2, 3].map(listing),
		{ slug, type: "item_received_bid", inner: offer },
		{
			slug,
			type: "collection_offer",
			inner: { ...order(5), payment_token: payment(WETH, "WETH"), item: {}, ...everywhere },
		},
		...[0, 1].map(sale),
		{
			slug,
			type: "item_transferred",
			inner: {
				...place(group * GROUP + 8),
				quantity: 1,
				from_account: { address: SELLER },
				to_account: { address: BUYER },
				transaction: { hash: digest(`transfer ${group}`), timestamp: at },
			},
		},
		{ slug, type: "item_cancelled", inner: { ...place(group * GROUP + 2), order_hash: hash(2) } },
	];
}

function orderHash(text: string): string {
	return `0x${PUSHED_PREFIX}${digest(text).slice(2 + PUSHED_PREFIX.length)}`;
}

function digest(text: string): string {
	return `0x${createHash("sha256").update(text).digest("hex")}`;
}
