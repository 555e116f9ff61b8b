// Runs bridges against two simulated chains and a provider that says whatever a test wants.

import { type Address, bytesOf, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createSteps } from "#core/steps.ts";
import type { BridgeContext, ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import type { Bridges } from "#plugins/bridge/bridges/createBridges.ts";
import { knownPins } from "#plugins/bridge/bridges/pinContracts.ts";
import { type BridgeRoute, routeJson } from "#plugins/bridge/model.ts";
import { operateBridges, type ShownArrival } from "#plugins/bridge/operator/operateBridges.ts";
import { reconcileJobs } from "#plugins/bridge/reconcile/reconcileJobs.ts";
import { relayFault } from "#plugins/bridge/relay/createRelayClient.ts";
import type { RelayChain, RelayStatus } from "#plugins/bridge/relay/Relay.ts";
import { type Bridge, readBridge, wakeBridge } from "#plugins/bridge/sql/bridges.ts";
import { FIRST_SEEN, insertPins, replacePin } from "#plugins/bridge/sql/pins.ts";
import { insertSecond } from "#plugins/bridge/sql/secondDeposits.ts";
import { createSimChain, type SimChain } from "#plugins/bridge/testing/simChain.ts";

/** What an operator accepted as a bridge's end. */
export type AcceptedEnd = { end: string; raw: bigint };

/** Who pays for the provider on a chain, by whose word, since when. */
export type LieSolver = {
	chainId: number;
	address: Address;
	by: "first" | "operator";
	atMs: number;
};

/** One bridge of the lab: its row, and what its order says. */
export type LieBridge = {
	id: string;
	requestId: Hex;
	orderId: Hex;
	route: BridgeRoute;
	depositHash: Hex;
	minimumOutRaw: bigint;
	expectedOutRaw: bigint;
};

export type LieLab = ReturnType<typeof createLieLab>;

type ChainName = "origin" | "destination";

const START_MS = Date.UTC(2026, 10, 28, 12);
const SECOND_MS = 1_000;
const addressOf = (text: string): Address => `0x${text.repeat(20)}`;
export const TOKEN = addressOf("70");
export const SOLVER = addressOf("50");
export const STRANGER = addressOf("bb");
export const DEPOSITORY = addressOf("de");
export const USER = addressOf("a1");
export const AMOUNT = 1_000_000n;
export const MINIMUM = 990_000n;
export const EXPECTED = 998_000n;
const NAMES: Record<ChainName, string> = { origin: "one", destination: "two" };

/** Opens the lab on an empty database. Each `fresh` world has its own chains and people. */
export function createLieLab(db: Database) {
	const clock = { ms: START_MS, nowMs: () => clock.ms };
	const lab = {
		db,
		clock,
		words: new Map<Hex, RelayStatus>(),
		alarms: [] as string[],
		chains: {} as Record<ChainName, SimChain>,
		/** Who reads each chain: a node of ours, the provider's own, or nobody. */
		reads: { origin: "own", destination: "own" } as Record<ChainName, "own" | "public" | "none">,
		/** A step at which the process ends: `name:edge`. */
		diesAt: null as string | null,
		/** Requests that the provider does not answer about. */
		silent: new Set<Hex>(),
		/** Payers that were pinned after the lab was opened. */
		solvers: [] as LieSolver[],
		/** What an operator accepted, by bridge. */
		accepted: new Map<string, AcceptedEnd>(),
		/** What the provider's own node says in place of the chain. */
		publicNode: null as ChainReader | null,
		async fresh(): Promise<void> {
			await db.execute("truncate bridge.bridge, bridge.pin cascade");
			const firstAtS = Math.floor(clock.ms / SECOND_MS) - 100;
			lab.chains = {
				origin: createSimChain(1, { firstAtS }),
				destination: createSimChain(2, { firstAtS }),
			};
			Object.assign(lab, {
				...{ words: new Map(), alarms: [], publicNode: null, made: 0, diesAt: null },
				...{ silent: new Set(), solvers: [], accepted: new Map() },
				reads: { origin: "own", destination: "own" },
			});
			await knownPins(contextOf(lab), [published("origin"), published("destination")]);
		},
		made: 0,
		/** Seconds of the lab's clock, which both chains go by. */
		nowS: () => Math.floor(clock.ms / SECOND_MS),
		/** Stores a bridge whose deposit is on the origin chain now. */
		deposited: (more: Partial<Deposited> = {}): Promise<LieBridge> => deposit(lab, more),
		/** Stores a second deposit for a bridge's order, as it is found a while later. */
		again: (bridge: LieBridge, foundAfterMs = 0) => depositAgain(lab, { bridge, foundAfterMs }),
		/** The provider publishes one more payer on a chain, or an operator pins it. */
		pin: (given: Omit<LieSolver, "atMs">): Promise<void> => pinSolver(lab, given),
		/** An operator accepts what a bridge shows, or something else than that. */
		accept: (bridge: LieBridge, more: Partial<ShownArrival> = {}): Promise<void> =>
			acceptEnd(lab, { bridge, more }),
		say(bridge: LieBridge, status: string, outHashes: readonly Hex[] = []): void {
			lab.words.set(bridge.requestId, {
				...{ kind: "seen", status, updatedAtMs: null, failReason: null },
				depositHashes: [bridge.depositHash],
				outHashes: outHashes.map((hash) => ({ hash, chainId: null })),
			});
		},
		/** A signed webhook comes for a bridge. */
		wake: ({ requestId }: LieBridge) => wakeBridge(db, { requestId, at: new Date(clock.ms) }),
		/** Lets so much time pass, and looks at what is due then. */
		async pass(ms: number): Promise<void> {
			clock.ms += ms;
			const [, follow] = reconcileJobs(contextOf(lab));
			await follow?.run({ signal: new AbortController().signal });
		},
		async read(bridge: LieBridge): Promise<Bridge> {
			const row = await readBridge(db, bridge.id);
			if (!row) throw new Error("the bridge is not there");
			return row;
		},
		context: () => contextOf(lab),
	};

	return lab;
}

function readerOf(lab: LieLab, chainId: number, kind: "own" | "public"): ChainReader | null {
	const name = chainId === 1 ? "origin" : "destination";
	if (lab.reads[name] !== kind) return null;
	return kind === "public" && lab.publicNode ? lab.publicNode : lab.chains[name].read;
}

function contextOf(lab: LieLab): BridgeContext {
	const { db, clock } = lab;
	return {
		core: { db, clock, log: silentLog, audit: { append: async () => {} } },
		wallets: { execution: { read: async () => null } },
		relay: {
			canSearch: false,
			async status(requestId: Hex) {
				if (lab.silent.has(requestId)) throw relayFault.unavailable();
				return lab.words.get(requestId) ?? { kind: "unseen" };
			},
			async hint() {},
		},
		directory: { knownChains: async () => [published("origin"), published("destination")] },
		readers: {
			own: (chainId: number) => readerOf(lab, chainId, "own"),
			of: (chainId: number) => readerOf(lab, chainId, "own") ?? readerOf(lab, chainId, "public"),
		},
		settings: { isOn: true, isDryRun: false, deniedChainIds: new Set(), timeoutMs: 3_600_000 },
		alarm: (reason: string) => void lab.alarms.push(reason),
		ending: new AbortController().signal,
		steps: createSteps(async (step, edge) => {
			if (lab.diesAt === `${step}:${edge}`) throw new Error("the process is gone");
		}),
	} as unknown as BridgeContext;
}

async function pinSolver(lab: LieLab, given: Omit<LieSolver, "atMs">): Promise<void> {
	const { chainId, address, by } = given;
	const pin = { chainId, role: "solver", address, codeHash: null } as const;
	const at = new Date(lab.clock.ms);
	if (by === "first") await insertPins(lab.db, [pin], { by: FIRST_SEEN, at });
	else await lab.db.transaction((tx) => replacePin(tx, pin, { by: "olga", at }));
	lab.solvers.push({ ...given, atMs: lab.clock.ms });
}

async function acceptEnd(
	lab: LieLab,
	{ bridge, more }: { bridge: LieBridge; more: Partial<ShownArrival> },
): Promise<void> {
	const { outHash, arrivedRaw, outCurrency, errorCode } = await lab.read(bridge);
	const shown = {
		...{ transactionHash: outHash ?? "0x", amountRaw: arrivedRaw ?? 0n },
		currency: outCurrency ?? ZERO_ADDRESS,
		...more,
	} as const;
	const bridges = { show: async () => ({}) } as unknown as Bridges;
	await operateBridges(contextOf(lab), { bridges }).accept(bridge.id, shown, "olga");
	const end = errorCode === "fill_short" ? "success" : "refund";
	lab.accepted.set(bridge.id, { end, raw: shown.amountRaw });
}

/**
 * Makes a node of the provider's that shows a fill which the destination does not have; all else is
 * as the chain has it.
 */
export function createForgedChain(
	lab: LieLab,
	{ route }: LieBridge,
): { read: ChainReader; hash: Hex } {
	const { destination } = lab.chains;
	const forged = createSimChain(3, { firstAtS: lab.nowS() });
	for (let block = 1; block < destination.head(); block++) forged.mine([], lab.nowS());
	const { currency } = route.destination;
	const [to, raw] = [route.recipient, EXPECTED];
	const fill =
		currency === ZERO_ADDRESS
			? { from: SOLVER, to, value: raw }
			: { from: SOLVER, to: currency, pays: [{ currency, from: SOLVER, to, raw }] };
	const [hash = "0x"] = forged.mine([fill], lab.nowS());
	return {
		hash,
		async read(method, params, signal) {
			const told = await forged.read(method, params, signal).catch(() => null);
			return told ?? (await destination.read(method, params, signal));
		},
	};
}

type Deposited = {
	from: Address;
	to: Address;
	/** What the order says that comes back at least. */
	refundMinimum: bigint;
	recipient: Address;
};

async function deposit(lab: LieLab, more: Partial<Deposited>): Promise<LieBridge> {
	const { from = TOKEN, to = TOKEN, refundMinimum = 0n, recipient = USER } = more;
	const n = ++lab.made;
	const requestId: Hex = `0x${(1_000 + n).toString(16).padStart(64, "0")}`;
	const orderId: Hex = `0x${(0xabcdef0000 + n).toString(16).padStart(64, "e")}`;
	const newestBlock = String(lab.chains.destination.head());
	const input: Hex = `0x49290c1c${orderId.slice(2)}`;
	const pays = [{ currency: TOKEN, from: USER, to: DEPOSITORY, raw: AMOUNT }];
	const call = { from: USER, to: DEPOSITORY, input };
	const sent = from === TOKEN ? { ...call, pays } : { ...call, value: AMOUNT };
	const [depositHash = "0x"] = lab.chains.origin.mine([sent], lab.nowS());
	const place = (name: ChainName, currency: Address) => ({
		...{ chainId: lab.chains[name].id, chain: NAMES[name], currency },
		...{ symbol: currency === TOKEN ? "USDX" : "ETH", decimals: 6 },
	});
	const route: BridgeRoute = {
		...{ user: USER, recipient, refundTo: USER, amountRaw: AMOUNT },
		...{ origin: place("origin", from), destination: place("destination", to) },
	};
	const id = `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
	const at = new Date(lab.clock.ms);
	await lab.db.execute(
		`insert into bridge.bridge (id, profile_id, wallet_id, channel, asks, request, route, status,
			quote_seq, deposit_hash, deposited_at, created_at, changed_at, look_at)
		values ($1, $1, $1, 'api', false, '{}', $2::jsonb, 'pending', 1, $3, $4, $4, $4, $4)`,
		[id, JSON.stringify(routeJson(route)), bytesOf(depositHash), at],
	);
	const told = {
		...{ fees: {}, impactPercent: null, impactUsd: null, estimateSeconds: 1, rate: null },
		...{ order: orderOf(route, refundMinimum), orderSignature: "0x", newestBlock },
	};
	await lab.db.execute(
		`insert into bridge.quote (bridge_id, seq, request_id, order_id, depository, minimum_out_raw,
			expected_out_raw, expires_at, steps, told, created_at)
		values ($1, 1, $2, $3, $4, $5, $6, $7, '[]', $8::jsonb, $7)`,
		[
			...[id, bytesOf(requestId), bytesOf(orderId), bytesOf(DEPOSITORY), MINIMUM, EXPECTED, at],
			JSON.stringify(told),
		],
	);
	const bounds = { minimumOutRaw: MINIMUM, expectedOutRaw: EXPECTED };
	return { id, requestId, orderId, route, depositHash, ...bounds };
}

async function depositAgain(
	lab: LieLab,
	{ bridge: first, foundAfterMs }: { bridge: LieBridge; foundAfterMs: number },
): Promise<LieBridge> {
	const depositedAt = new Date(lab.nowS() * SECOND_MS);
	const { currency } = first.route.origin;
	const input: Hex = `0x49290c1c${first.orderId.slice(2)}`;
	const pays = [{ currency, from: USER, to: DEPOSITORY, raw: AMOUNT }];
	const call = { from: USER, to: DEPOSITORY, input };
	const sent = currency === ZERO_ADDRESS ? { ...call, value: AMOUNT } : { ...call, pays };
	const [depositHash = "0x"] = lab.chains.origin.mine([sent], lab.nowS());
	if (foundAfterMs > 0) await lab.pass(foundAfterMs);
	const id = first.id.replace(/^0/, "f").replace(/.{12}$/, depositHash.slice(2, 14));
	const at = new Date(lab.clock.ms);
	const bridge = await lab.read(first);
	const second = { id, bridge, quoteSeq: 1, depositHash, depositLog: 0, depositedAt, at };
	await lab.db.transaction((tx) => insertSecond(tx, second));
	return { ...first, id, depositHash };
}

/** It may come back where it was paid in, to who is named for that. */
function orderOf({ origin, refundTo, destination }: BridgeRoute, refundMinimum: bigint) {
	const refund = {
		...{ chainId: origin.chain, recipient: refundTo, currency: origin.currency },
		minimumAmount: String(refundMinimum),
	};
	return {
		inputs: [{ payment: { chainId: origin.chain }, refunds: [refund] }],
		output: { chainId: destination.chain },
	};
}

function published(name: ChainName): RelayChain {
	return {
		...{ id: name === "origin" ? 1 : 2, name: NAMES[name], displayName: name, isEvm: true },
		...{ httpRpcUrl: "https://rpc.example", isDisabled: false, isLagging: false },
		currency: { symbol: "ETH", decimals: 18 },
		...{ solverCurrencies: [ZERO_ADDRESS, TOKEN], solverAddresses: [SOLVER] },
		protocol: { name: NAMES[name], depository: DEPOSITORY },
		permits: null,
	};
}
