// Opens a wallet with a database, whose service dies and is started again.

import { encodeFunctionData, type Hex, hexToBytes, parseAbi } from "viem";
import { type BookReport, sealBook } from "#core/audit/book.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import { createBookVerifier } from "#core/audit/verifyBook.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import { walletsBook } from "#plugins/wallets/walletsBook.ts";
import { bigintJson } from "#test/e2e/kills/bigintJson.ts";
import type { StandInBook } from "#test/e2e/kills/providerStandIn.ts";
import {
	type Killable,
	type KillableBundle,
	type KillPoint,
	startKillable,
} from "#test/e2e/kills/startKillable.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import type { SeaportChain } from "#test/harness/seaport.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

export type Answer = { status: number; text: string; body: any };

/** What every lane needs of the world around it. */
export type KillPlace = Pick<KillChain, "anvil" | "bundle">;
/** The test's own time, which service and stand-ins share. */
export type LaneClock = Clock & { offsetMs: number };

/** One service after the other on one database, with one owner's wallet. Lanes share a chain. */
export type KillLane<World extends KillPlace = KillWorld> = {
	world: World;
	db: Database;
	custody: CustodyEmulator;
	wallet: { id: string; profileId: string; address: Hex };
	/** Index of the node's account that sells to this lane. */
	seller: number;
	/** Transactions that the wallet made before any intent. */
	nonceBefore: number;
	/** Puts these up for sale, in place of what was. */
	sell(...books: readonly StandInBook[]): void;
	/** Asks as its owner, or as another person of the wallet provider. */
	ask(path: string, options?: { body?: unknown; key?: string; as?: string }): Promise<Answer>;
	arm(point: KillPoint | null): Promise<void>;
	/** Moves the clock, seals new rows into the audit chain, and runs the jobs once. */
	tick(ms: number): Promise<Record<string, number>>;
	/** Checks the books of all runs against the audit chain. */
	verifyBooks(): Promise<BookReport>;
	/** Says whether the service killed itself; waits a moment for it. */
	hasDied(): Promise<boolean>;
	/** Starts the next service, a while later. */
	revive(): Promise<void>;
	stop(): Promise<void>;
};

/** A chain with a block every few milliseconds, and the service that is killed. */
export type KillChain = {
	anvil: Anvil;
	bundle: KillableBundle;
	/** Stops mining until the returned function is called, unless another lane needs a block. */
	holdMining(): () => void;
	/** Stops mining too, and other lanes that need a block wait. */
	holdMiningAlone(): Promise<() => void>;
	/** Waits until a block is mined; not before all holds are released. */
	nextBlock(): Promise<void>;
	whileMining<Result>(act: () => Promise<Result>): Promise<Result>;
	stop(): Promise<void>;
};

/** Shared by all lanes of buys and transfers: a chain with the marketplace on it. */
export type KillWorld = KillChain & { seaport: SeaportChain };

const PROVIDER_TIMEOUT_MS = 350;
/** Longer than the lease of a dead process. */
const BETWEEN_LIVES_MS = 20_000;
/** Delegated wallets of the emulator's people: one for each lane. */
const OWNERS = [0, 2, 3];
const coinAbi = parseAbi(["function mint(address,uint256)"]);

/** Opens a lane on the marketplace's chain, whose wallet has coins to buy with. */
export function openKillLane(world: KillWorld, index: number): Promise<KillLane> {
	return openLane(world, {
		...{ index, chain: "anvil", env: { STAND_IN_COIN: world.seaport.tokens.coin } },
		prepare: ({ address }) => fillWithCoins(world, address),
	});
}

/** Makes a clock that is ahead of the machine's by what a test says. */
export function laneClock(): LaneClock {
	const clock = { offsetMs: 0, nowMs: () => Date.now() + clock.offsetMs };
	return clock;
}

/** Opens a lane on a chain; wallet and database are prepared before its first life. */
export async function openLane<World extends KillPlace>(
	world: World,
	own: {
		index: number;
		chain: string;
		env: Readonly<Record<string, string>>;
		/** Where the world has them already; it ends them itself. */
		made?: { clock: LaneClock; custody: CustodyEmulator };
		prepare(lane: { address: Hex; db: Database }): Promise<void>;
	},
): Promise<KillLane<World>> {
	const { anvil, bundle } = world;
	const { index, chain } = own;
	const clock = own.made?.clock ?? laneClock();
	const database = await createTestDatabase();
	const custody = own.made?.custody ?? (await startCustodyEmulator({ rpcUrl: anvil.url, clock }));
	const owner = custody.people()[OWNERS[index] ?? -1];
	const address = owner?.wallet?.address.toLowerCase() as Hex | undefined;
	if (!owner || !address) throw new Error("no wallet is left for this lane");
	let onSale: readonly StandInBook[] = [];
	const books = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		/** All that is for sale; what a question is about, where it names an order or a token. */
		fetch(request) {
			const about = new URL(request.url).searchParams.get("about");
			const named = onSale.find(({ listing: { orderHash, tokenId } }) => {
				return about === orderHash || about === String(tokenId);
			});
			const found = named ?? onSale[0] ?? null;
			return new Response(bigintJson.write(about === null ? onSale : found));
		},
	});
	await own.prepare({ address, db: database.db });
	const env = () => ({
		KILLABLE_CLOCK_OFFSET_MS: String(clock.offsetMs),
		DATABASE_URL: database.connectionString,
		PORT: "0",
		// Jobs run only when they are told to.
		ROLE: "api",
		CHAINS: chain,
		CHAIN_RPC_URLS_JSON: JSON.stringify({ [chain]: [anvil.url] }),
		PLUGINS_DISABLED: "chain-scanner,looksrare,market-index,provider,prices,streams",
		PLUGINS: bundle.plugins.join(","),
		STAND_IN_BOOK_URL: `http://127.0.0.1:${books.port}/`,
		STAND_IN_INDEX_URL: `http://127.0.0.1:${books.port}/`,
		LOG_LEVEL: process.env["KILLS_LOG_LEVEL"] ?? "silent",
		FOREIGN_FETCH_ENABLED: "false",
		WALLET_PROVIDER_BASE_URL: custody.url,
		WALLET_PROVIDER_APP_ID: custody.appId,
		WALLET_PROVIDER_APP_SECRET: custody.appSecret,
		WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
		WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
		WALLET_PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
		TRADING_DRY_RUN: "false",
		TRADING_FINAL_DEPTH_BLOCKS: "8",
		TRADING_HOME_CHAIN: chain,
		TRADING_DAILY_USD_MAX: "1000000000",
		TRADING_WALLET_NOTIONAL_USD_MAX: "1000000000",
		TRADING_PER_TRADE_USD_MAX: "1000000000",
		...own.env,
	});
	let service: Killable = await startKillable(bundle.entry, env());
	let asked = 0;
	const { db } = database;
	const sealing = { db, clock, audit: createAudit({ clock }) };
	const lane: KillLane<World> = {
		world,
		db,
		custody,
		wallet: { id: "", profileId: "", address },
		seller: 2 + index,
		nonceBefore: Number(await anvil.rpc("eth_getTransactionCount", [address, "latest"])),
		sell(...what) {
			onSale = what;
		},
		async ask(path, { body, key, as = owner.id } = {}) {
			asked++;
			const response = await fetch(`${service.url}${path}`, {
				method: body === undefined ? "GET" : "POST",
				headers: {
					authorization: `Bearer ${custody.token({ userId: as })}`,
					// Each call comes from an address of its own, so that no rate limit is met.
					"x-forwarded-for": `10.${index}.${(asked >> 8) & 255}.${asked & 255}`,
					...(key !== undefined && { "idempotency-key": key }),
					...(body !== undefined && { "content-type": "application/json" }),
				},
				...(body !== undefined && { body: JSON.stringify(body) }),
			});
			const text = await response.text();
			return { status: response.status, text, body: JSON.parse(text) };
		},
		arm: (point) => service.arm(point, clock.offsetMs),
		async tick(ms) {
			await sealBook(sealing, walletsBook);
			clock.offsetMs += ms;
			return service.tick(clock.offsetMs);
		},
		async verifyBooks() {
			await sealBook(sealing, walletsBook);
			const verifier = createBookVerifier(db, [walletsBook]);
			await verifyChain(db, { visit: (entry) => verifier.visit(entry) });
			return verifier.end();
		},
		async hasDied() {
			const waited = Bun.sleep(WAIT_LIMIT_MS).then(() => null);
			const ended = service.isAlive() ? await Promise.race([service.ended, waited]) : true;
			if (ended === null) return false;
			return service.ended;
		},
		async revive() {
			clock.offsetMs += BETWEEN_LIVES_MS;
			service = await startKillable(bundle.entry, env());
		},
		async stop() {
			await service.stop();
			if (!own.made) await custody.stop();
			await books.stop(true);
			await database.drop();
		},
	};
	const enrolled = await lane.ask("/v1/trading/enrollment", { body: {} });
	if (enrolled.status !== 200) throw new Error(`not enrolled: ${enrolled.text}`);
	const { profile } = enrolled.body;
	const linked = profile.wallets.find((one: { address: string }) => one.address === address);
	lane.wallet = { id: linked.id, profileId: profile.id, address };
	await db.execute("update wallets.profile set canonical_wallet_id = $1 where id = $2", [
		linked.id,
		profile.id,
	]);
	const rows = await db.query("select 1 from wallets.wallet where address = $1", [
		hexToBytes(address),
	]);
	if (rows.length !== 1) throw new Error("the wallet is not linked");
	return lane;
}

/** Mints coins to a wallet; the allowance is given by each buy's own first step. */
async function fillWithCoins({ anvil, seaport }: KillWorld, from: Hex): Promise<void> {
	const to = seaport.tokens.coin;
	const args = [from, 1_000_000n * 10n ** 18n] as const;
	await anvil.rpc("anvil_impersonateAccount", [from]);
	await seaport.send({ from, to, data: encodeFunctionData({ abi: coinAbi, args }) });
	await anvil.rpc("anvil_stopImpersonatingAccount", [from]);
}
