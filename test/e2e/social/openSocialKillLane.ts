import type { Database } from "#core/db/Database.ts";
import { bundleKillable } from "#test/e2e/kills/bundleKillable.ts";
import type { KillPoint } from "#test/e2e/kills/KillOrder.ts";
import { type Killable, startKillable } from "#test/e2e/kills/startKillable.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import { startCustodyEmulator } from "#test/sandbox/custody/startCustodyEmulator.ts";
import { socialEnv } from "#test/sandbox/social/socialAccess.ts";
import { startSocialEmulator } from "#test/sandbox/social/startSocialEmulator.ts";

/** Longer than the lease of any work on an event, or of any call. */
const BETWEEN_LIVES_MS = 61_000;
const COIN = `0x${"c0".repeat(20)}`;

/**
 * Opens a lane: one service after the other on one database, with X, a chain and a wallet provider
 * around it.
 */
export async function openSocialKillLane() {
	const [anvil, bundle] = await Promise.all([startAnvil(), bundleKillable()]);
	const clock = { offsetMs: 0, nowMs: () => Date.now() + clock.offsetMs };
	const database = await createTestDatabase();
	const custody = await startCustodyEmulator({ rpcUrl: anvil.url, clock });
	const cleo = custody.person("cleo");
	if (cleo.subject === null || cleo.external === null) throw new Error("cleo has two wallets");
	const x = startSocialEmulator({
		nowMs: clock.nowMs,
		people: [{ id: cleo.subject, username: "cleo" }],
	});
	const env = () => ({
		KILLABLE_CLOCK_OFFSET_MS: String(clock.offsetMs),
		DATABASE_URL: database.connectionString,
		...{ PORT: "0", ROLE: "api", CHAINS: "anvil", LOG_LEVEL: "silent" },
		CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [anvil.url] }),
		PLUGINS_DISABLED: "chain-scanner,looksrare,market-index,provider,prices,reveal-snipe,streams",
		PLUGINS: bundle.plugins.join(","),
		STAND_IN_COIN: COIN,
		STAND_IN_BOOK_URL: "http://127.0.0.1:1/",
		FOREIGN_FETCH_ENABLED: "false",
		WALLET_PROVIDER_BASE_URL: custody.url,
		WALLET_PROVIDER_APP_ID: custody.appId,
		WALLET_PROVIDER_APP_SECRET: custody.appSecret,
		WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
		WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
		TRADING_DRY_RUN: "false",
		TRADING_HOME_CHAIN: "anvil",
		TRADING_DAILY_USD_MAX: "1000000000",
		TRADING_SOCIAL_USD_MAX: "1000000000",
		SESSION_SECRET: "a secret of these tests, long enough",
		ENABLE_POLLING_FALLBACK: "false",
		...socialEnv(x.url, x.access),
	});
	let service: Killable = await startKillable(bundle.entry, env());
	const follow = () => x.sendWebhooksTo(`${service.url}/v1/social/webhook`);
	follow();
	const headers = {
		authorization: `Bearer ${custody.token({ userId: cleo.id })}`,
		"content-type": "application/json",
	};
	const enrolled = await fetch(`${service.url}/v1/trading/enrollment`, {
		...{ method: "POST", headers, body: "{}" },
	});
	if (!enrolled.ok) throw new Error(`not enrolled: ${await enrolled.text()}`);
	const db: Database = database.db;
	return {
		...{ x, db, clock, anvil, own: cleo.external },
		isAlive: () => service.isAlive(),
		arm: (point: KillPoint | null) => service.arm(point, clock.offsetMs),
		/** Returns the edges that were reached since it was armed. */
		reached: () => service.tick(clock.offsetMs),
		/** Moves the clock of the living service. */
		async pass(ms: number): Promise<void> {
			clock.offsetMs += ms;
			await service.arm(null, clock.offsetMs);
		},
		/** Starts the next service, a while later. */
		async revive(): Promise<void> {
			await service.stop();
			clock.offsetMs += BETWEEN_LIVES_MS;
			service = await startKillable(bundle.entry, env());
			follow();
		},
		async close(): Promise<void> {
			await service.stop();
			await x.stop();
			await custody.stop();
			await database.drop();
			await anvil.stop();
			await bundle.remove();
		},
	};
}

export type SocialKillLane = Awaited<ReturnType<typeof openSocialKillLane>>;
