import { inProcessPageCache } from "#core/cache.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { type Chain, createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, bytesOf, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { HOUR_MS } from "#core/time.ts";
import type { LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { createApplier } from "#plugins/market-index/apply/createApplier.ts";
import type { ChainSpans } from "#plugins/market-index/figures/coverage.ts";
import type { NewEvent, TouchReason } from "#plugins/market-index/model.ts";
import { createFinder, type RouteContext } from "#plugins/market-index/read/context.ts";
import { partitionsOf } from "#plugins/market-index/sql/partitions.ts";
import { type FakePrices, fakePrices } from "#test/harness/fakes.ts";

/** Not on a full minute, hour or day, so that a wrong cut of a window shows. */
export const NOW_MS = Date.parse("2026-03-10T14:37:25.500Z");

export const ETH = 10n ** 18n;

const registry = createChainRegistry(builtinChains);

export function chainNamed(slug: string): Chain {
	const chain = registry.bySlug(slug);
	if (!chain) throw new Error(`no chain ${slug}`);
	return chain;
}

export const ethereum = chainNamed("ethereum");
export const base = chainNamed("base");
export const polygon = chainNamed("polygon");

/** Returns a contract whose address ends with the number. */
export function contractOf(number: number): Address {
	return `0x${number.toString(16).padStart(40, "0")}`;
}

export type Fixture = RouteContext & {
	/** Empty until a test fills it in. */
	prices: FakePrices;
	/** The collections that routes reported as viewed. */
	touched: [number, TouchReason][];
	/** Applies events through the lane's own applier. */
	seed(chain: Chain, events: readonly NewEvent[]): Promise<void>;
	/** What the lanes hold, by chain id. Everything, unless a test sets it. */
	progress: Map<number, LaneProgress>;
	setNow(nowMs: number): void;
	/** The index's id of a contract. */
	idOf(chain: Chain, contract: Address): Promise<number>;
};

/**
 * Makes the reading side over a real database, a held clock, and lanes whose progress a test sets.
 */
export function createMarketFixture(
	db: Database,
	chains: readonly Chain[] = [ethereum, base, polygon],
): Fixture {
	let nowMs = NOW_MS;
	const clock = { nowMs: () => nowMs };
	const pageCache = inProcessPageCache({
		clock,
		log: silentLog,
		freshMs: 15_000,
		keptMs: 90_000,
		sizeMax: 10_000_000,
	});
	const indexed = chains.map((chain) => ({ chain }));
	const core = { db, clock, chains: registry, pageCache, indexed };
	const progress = new Map<number, LaneProgress>();
	const prices = fakePrices(registry);
	const touched: Fixture["touched"] = [];
	const apply = createApplier({
		chains: registry,
		clock,
		partitions: partitionsOf(db),
		prices,
		spansOf: async () => wholeSpans(nowMs),
		queue: { add: async () => {} },
		outbox: {
			append: () => {},
			read: async () => ({ head: 0, batches: [] }),
			heads: async () => new Map(),
			epoch: async () => "test",
			prune: async () => 0,
		},
	});
	return {
		core,
		index: { find: createFinder(core), touch: (id, reason) => void touched.push([id, reason]) },
		touched,
		resync: async () => "queued",
		providerHealth: () => ({ isOn: false, isConnected: false, stream: "off" }),
		lists: {
			listFor: async () => null,
			complete: async () => {},
			search: async () => [],
			found: async () => {},
		},
		gasPrice: async () => 10n ** 9n,
		lookUps: {
			transaction: async () => ({ kind: "none" }),
			name: async () => ({ kind: "none" }),
		},
		scanner: {
			progress: async (chainId, lane) => {
				const said = progress.get(chainId) ?? SILENT;
				return { coveredFromMs: 0, coveredUntilMs: nowMs, ...said, chainId, lane };
			},
		},
		prices,
		progress,
		setNow: (ms) => {
			nowMs = ms;
		},
		async seed(chain, events) {
			await db.transaction((tx) => apply(tx, { chainId: chain.id, live: false, events }));
		},
		async idOf(chain, contract) {
			const rows = await db.query<{ id: number }>(
				`select id from market_index.collection where chain_id = $1 and address = $2`,
				[chain.id, bytesOf(contract)],
			);
			return rows[0]?.id ?? -1;
		},
	};
}

/** Returns what lanes hold that saw everything until now. */
export function wholeSpans(nowMs: number): ChainSpans {
	const span = { fromMs: 0, untilMs: nowMs };
	return { sales: span, mints: span, movesUntilMs: nowMs };
}

const SILENT = { headBlock: null, indexedBlock: null, indexedAtMs: null };

let placed = 0;

/**
 * Returns an accepted sale of one unit for 1 ETH, an hour before NOW; each has its own place in the
 * chain.
 */
export function saleOf(contract: Address, given: Partial<NewEvent> = {}): Required<NewEvent> {
	const number = ++placed;
	const occurredAtMs = given.occurredAtMs ?? NOW_MS - HOUR_MS;
	return {
		kind: "sale",
		// Later blocks have later times, as on any chain.
		blockNumber: Math.floor(occurredAtMs / 1000) - 1_600_000_000,
		blockHash: hashOf(Math.floor(occurredAtMs / 1000)),
		transactionHash: hashOf(number),
		logIndex: number,
		subIndex: 0,
		contract,
		standard: "erc721",
		tokenId: BigInt(number),
		quantity: 1n,
		from: contractOf(0xaaaa),
		to: contractOf(0xbbbb),
		venue: "seaport",
		currency: ZERO_ADDRESS,
		totalRaw: ETH,
		accepted: true,
		reason: null,
		onchainVerified: true,
		payload: null,
		...given,
		occurredAtMs,
	};
}

/** Returns a free mint of one unit, an hour before NOW. */
export function mintOf(contract: Address, given: Partial<NewEvent> = {}): Required<NewEvent> {
	return saleOf(contract, {
		kind: "mint",
		from: ZERO_ADDRESS,
		to: contractOf(0xcccc),
		venue: null,
		totalRaw: 0n,
		...given,
	});
}

/** Returns a hash without leading zeros: those stand for an unknown transaction. */
function hashOf(number: number): Hex {
	return `0xf${number.toString(16).padStart(63, "0")}`;
}
