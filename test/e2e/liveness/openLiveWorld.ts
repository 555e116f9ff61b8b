// Opens the node, wallet provider and marketplace that lie in these tests.

import { join } from "node:path";
import type { Hex } from "viem";
import type { Database } from "#core/db/Database.ts";
import { type Market, openMarket } from "#test/e2e/liveness/openMarket.ts";
import {
	type LiveService,
	type LiveServiceOptions,
	startLiveService,
} from "#test/e2e/liveness/startLiveService.ts";
import { type LyingNode, startLyingNode } from "#test/e2e/liveness/startLyingNode.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import type { Person } from "#test/sandbox/custody/people.ts";
import {
	type CustodyEmulator,
	type SignedTransaction,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

export type LiveAnswer = { status: number; text: string; body: any };
export type AskOptions = { body?: unknown; by?: LiveWallet; key?: string; asOperator?: boolean };

/** One owner's wallet, from which the service may send. */
export type LiveWallet = {
	/** Its ids at the service and at the wallet provider. */
	id: string;
	providerId: string;
	address: Hex;
	person: Person;
};

/** The real service over a real chain, a wallet provider, and a node that can be made to lie. */
export type LiveWorld = {
	anvil: Anvil;
	node: LyingNode;
	custody: CustodyEmulator;
	db: Database;
	/** Null where nothing is for sale. */
	market: Market | null;
	wallets: LiveWallet[];
	ask(path: string, options?: AskOptions): Promise<LiveAnswer>;
	/** Replaces a wallet by one that the service has never seen. */
	renew(place: number): Promise<void>;
	/** Moves the clock, mines so many blocks, and runs the jobs once. */
	tick(ms: number, blocks?: number): Promise<void>;
	/** Sets how often the service may die from now on, where it is one that can. */
	mayDie(deaths: number): void;
	/** Runs the jobs once by a clock that is so far ahead; the clock is right again after that. */
	stepClock(ms: number): Promise<void>;
	/** True: a node that never lies is asked as well. */
	hasHonestNode: boolean;
	stop(): Promise<void>;
};

const ADMIN_KEY = "an-operators-key-of-this-suite";
/** Deep enough that "block 16" is far below every receipt that can be believed. */
const FIRST_BLOCKS = 200;
/** Transactions of a wallet before the test: so many fewer can be claimed. */
const FORMER_TRANSACTIONS = 4;
/** Makes the lying node the faster one, so that it is asked first. */
const HONEST_DELAY_MS = 15;
const PLENTY = String(1_000_000_000);

export type LiveWorldOptions = {
	wallets: number;
	/** Number of tokens for sale; without it there are none, and no wallet buys. */
	tokens?: number;
	/** True: beside the lying node there is an honest one of the same chain. */
	hasHonestNode?: boolean;
	/** Starts the service; by default in this process. */
	start?: (options: LiveServiceOptions) => Promise<LiveService>;
};

export async function openLiveWorld(options: LiveWorldOptions): Promise<LiveWorld> {
	const { wallets: count, tokens = 0, hasHonestNode = false, start = startLiveService } = options;
	const anvil = await startAnvil();
	const clock = { offsetMs: 0, nowMs: () => Date.now() + clock.offsetMs };
	const custody = await startCustodyEmulator({ rpcUrl: anvil.url, clock });
	const node = startLyingNode({ upstream: anvil.url, signedAs: signedBy(custody) });
	const people = await inTurn(count, () => custody.addPerson());
	const market = tokens > 0 ? await openMarket(anvil, { tokens }) : null;
	for (const { wallet } of people) {
		if (wallet) await live(anvil, wallet.address);
		if (wallet) await market?.fillPurse(wallet.address.toLowerCase() as Hex);
	}
	await anvil.rpc("anvil_mine", [hex(FIRST_BLOCKS)]);
	await anvil.rpc("evm_setAutomine", [false]);
	const database = await createTestDatabase();
	const far = { upstream: anvil.url, signedAs: signedBy(custody), delayMs: HONEST_DELAY_MS };
	const honest = hasHonestNode ? startLyingNode(far) : null;
	const nodes = honest ? [node.url, honest.url] : [node.url];
	const env = {
		...envOf(custody, market),
		CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: nodes }),
	};
	const service = await start({ env, clock, database });
	let asked = 0;
	const world: LiveWorld = {
		...{ anvil, node, custody, market, db: database.db, wallets: [], hasHonestNode },
		async ask(path, { body, by, key, asOperator = false } = {}) {
			asked++;
			const { status, text } = await service.ask(path, {
				method: body === undefined ? "GET" : "POST",
				headers: {
					"x-forwarded-for": `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`,
					...(by && { authorization: `Bearer ${custody.token({ userId: by.person.id })}` }),
					...(asOperator && { "x-api-key": ADMIN_KEY, "x-admin-actor": "the suite" }),
					...(key !== undefined && { "idempotency-key": key }),
					...(body !== undefined && { "content-type": "application/json" }),
				},
				...(body !== undefined && { body: JSON.stringify(body) }),
			});
			return { status, text, body: jsonOf(text) };
		},
		async renew(place) {
			const person = await custody.addPerson();
			if (person.wallet) await live(anvil, person.wallet.address);
			world.wallets[place] = await enrol(world, person);
		},
		async tick(ms, blocks = 1) {
			clock.offsetMs += ms;
			if (blocks > 0) await anvil.rpc("anvil_mine", [hex(blocks)]);
			await service.tick();
		},
		mayDie: service.mayDie,
		async stepClock(ms) {
			clock.offsetMs += ms;
			await service.tick();
			clock.offsetMs -= ms;
		},
		async stop() {
			await service.stop();
			await node.stop();
			await honest?.stop();
			await custody.stop();
			await market?.stop();
			await anvil.stop();
			await database.drop();
		},
	};
	for (const person of people) world.wallets.push(await enrol(world, person));
	return world;
}

function envOf(custody: CustodyEmulator, market: Market | null): Record<string, string> {
	const off = [
		"chain-scanner",
		"looksrare",
		"market-index",
		"provider",
		"prices",
		"streams",
		"reveal-snipe",
	];
	return {
		// Jobs run only when they are told to.
		ROLE: "api",
		PLUGINS_DISABLED: [...off, ...(market ? [] : ["nft-buys"])].join(","),
		PLUGINS: join(import.meta.dir, "../kills/pricesStandIn.ts"),
		STAND_IN_COIN: market?.coin ?? `0x${"c0".repeat(20)}`,
		...(market && { STAND_IN_BOOK_URL: market.bookUrl }),
		ADMIN_API_KEY: ADMIN_KEY,
		WALLET_PROVIDER_BASE_URL: custody.url,
		WALLET_PROVIDER_APP_ID: custody.appId,
		WALLET_PROVIDER_APP_SECRET: custody.appSecret,
		WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
		WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
		TRADING_DRY_RUN: "false",
		TRADING_HOME_CHAIN: "anvil",
		TRADING_DAILY_USD_MAX: PLENTY,
		TRADING_WALLET_NOTIONAL_USD_MAX: PLENTY,
		TRADING_PER_TRADE_USD_MAX: PLENTY,
	};
}

/** Gives a wallet a history of transactions that the service does not know. */
async function live(anvil: Anvil, from: Hex): Promise<void> {
	await anvil.rpc("anvil_impersonateAccount", [from]);
	for (let count = 0; count < FORMER_TRANSACTIONS; count++) {
		await anvil.rpc("eth_sendTransaction", [{ from, to: from, value: "0x0" }]);
	}
	await anvil.rpc("evm_mine");
	await anvil.mined();
	await anvil.rpc("anvil_stopImpersonatingAccount", [from]);
}

async function enrol(world: LiveWorld, person: Person): Promise<LiveWallet> {
	const { wallet } = person;
	if (!wallet) throw new Error("somebody without a wallet");
	const address = wallet.address.toLowerCase() as Hex;
	const by = { id: "", providerId: wallet.id, address, person };
	const { status, text, body } = await world.ask("/v1/trading/enrollment", { body: {}, by });
	if (status !== 200) throw new Error(`not enrolled: ${text}`);
	const linked = body.profile.wallets.find((one: { address: string }) => one.address === address);
	return { ...by, id: linked.id };
}

/** Returns a look-up of what the wallet provider signed, by hash, whether or not a node has it. */
function signedBy(custody: CustodyEmulator): (hash: string) => SignedTransaction | null {
	const known = new Map<string, SignedTransaction>();
	return (hash) => {
		if (!known.has(hash)) for (const one of custody.signed()) known.set(one.hash, one);
		return known.get(hash) ?? null;
	};
}

async function inTurn<Item>(count: number, make: () => Promise<Item>): Promise<Item[]> {
	const items: Item[] = [];
	while (items.length < count) items.push(await make());
	return items;
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

function hex(number: number): Hex {
	return `0x${number.toString(16)}`;
}
