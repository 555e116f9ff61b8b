// Opens trading on a real chain, asked for by posts on an emulated X.

import { agentConfig } from "#agent/agentConfig.ts";
import { openAgent } from "#agent/openAgent.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Database } from "#core/db/Database.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOperators } from "#core/operators.ts";
import type { Core } from "#core/plugin/Core.ts";
import { socialConfig } from "#plugins/social/limits.ts";
import { socialPlugin } from "#plugins/social/plugin.ts";
import { tradeCommands } from "#plugins/trading/tradeCommands.ts";
import {
	bundleKillable,
	type Killable,
	type KillPoint,
	startKillable,
} from "#test/e2e/kills/startKillable.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { openTradeLab } from "#test/harness/openTradeLab.ts";
import type { Trader } from "#test/harness/stockChain.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";
import { startCustodyEmulator } from "#test/sandbox/custody/startCustodyEmulator.ts";
import { socialEnv } from "#test/sandbox/social/SocialFault.ts";
import { type SaidPost, startSocialEmulator } from "#test/sandbox/social/startSocialEmulator.ts";
import { startModelEmulator } from "#test/sandbox/startModelEmulator.ts";

export type SocialKillLane = Awaited<ReturnType<typeof openSocialKillLane>>;

export type SocialTrades = Awaited<ReturnType<typeof openSocialTrades>>;

/** Longer than the lease of any work on an event, or of any call. */
const BETWEEN_LIVES_MS = 61_000;
const COIN = `0x${"c0".repeat(20)}`;

export const ADMIN_KEY = "an-operator-s-key-0001";

/** Opens trading on a real chain, asked for through an emulated X by signed webhooks. */
export async function openSocialTrades({
	keepsRates = false,
	...given
}: Parameters<typeof openTradeLab>[0] & { keepsRates?: boolean }) {
	const lab = openTradeLab(given);
	const { db, clock } = lab;
	const model = startModelEmulator();
	const x = startSocialEmulator({ nowMs: clock.nowMs, keepsRates });
	const metrics = createMetrics();
	const linked = new Map<string, Trader>();
	const core = {
		...{ db, clock, metrics, log: silentLog, observeSteps: null, role: "all" },
		chains: createChainRegistry(builtinChains),
		budget: inProcessBudget({ clock }),
		audit: createAudit({ clock }),
		operators: createOperators({ apiKey: ADMIN_KEY, clock, metrics }),
	} as unknown as Core;
	const callerOf = async () => null;
	const collected = { tools: lab.tools, commands: tradeCommands, names: [], callerOf };
	const ending = new AbortController();
	const agent = openAgent({
		...{ core, ending: ending.signal, collected: collected as never },
		config: agentConfig.parse({ OPENAI_BASE_URL: model.url, AGENT_MODEL: "scripted" }),
	});
	const wallets = {
		...lab.wallets,
		profileOfSocial: async (id: string) => linked.get(id)?.profile ?? null,
	};
	const social = await socialPlugin.setup({
		...{ core, needs: { agent, wallets }, contributions: () => [] },
		collected: () => collected as never,
		config: socialConfig.parse({
			...socialEnv(x.url, x.access),
			...{
				PUBLIC_URL: "https://app.example",
				SESSION_SECRET: "a secret of these tests, long enough",
			},
		}),
	});
	const app = testHttpApp({ clock, routes: social.routes ? [social.routes] : [] });
	const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (one) => app.handle(one) });
	x.sendWebhooksTo(`http://127.0.0.1:${server.port}/v1/social/webhook`);
	await social.start?.(ending.signal);
	let people = 0;

	/** Waits until nothing is left to do about a text, and returns what X has of the answer. */
	async function settled(id: string, sourceId: string) {
		await until(
			async () => {
				const [done] = await db.query(
					`select from social.event where id = $1 and state in ('answered', 'ignored', 'dropped')
					and not exists (select from social.reply where event_id = $1
						and state in ('ready', 'sending', 'uncertain'))`,
					[id],
				);
				return done !== undefined;
			},
			() => `${id} is answered`,
		);
		const [dm] = await db.query<{ sentId: string | null }>(
			`select sent_id as "sentId" from social.reply where event_id = $1 and via = 'dm'`,
			[id],
		);
		return {
			post: x.timeline.posts.find(({ replyTo }) => replyTo === sourceId)?.text ?? null,
			dm: x.timeline.messages.find((one) => one.id === dm?.sentId)?.text ?? null,
		};
	}

	return {
		...{ ...lab, lab, x, model, agent, social },
		/** Makes an account of X, or links a known one anew: with a trader, to their profile. */
		account(trader: Trader | null = null, known: string | null = null) {
			people += 1;
			const id = known ?? String(9_300_000_000_000_000_000n + BigInt(people));
			if (trader) linked.set(id, trader);
			return x.addPerson({ id, username: `person${people}`, isAutomated: false });
		},
		async mention(by: string, text: string, rest: Partial<SaidPost> = {}) {
			const { post, delivered } = x.post({ by, text, ...rest });
			await delivered;
			return await settled(`post:${post.versions[0]}`, post.id);
		},
		async dm(by: string, text: string) {
			const { message, delivered } = x.message({ by, text });
			await delivered;
			return await settled(`dm:${message.id}`, message.id);
		},
		/** Returns a trader's trades as they see them, newest first. */
		async trades(by: Trader): Promise<any[]> {
			return (await lab.ask("/v1/trading/intents", { by })).body.data;
		},
		async admin(path: string): Promise<any> {
			const headers = { "x-api-key": ADMIN_KEY };
			const request = new Request(`http://localhost/v1/admin/social${path}`, { headers });
			return await (await app.handle(request)).json();
		},
		async runJob(name: string): Promise<void> {
			const job = social.jobs?.find((one) => one.name === name);
			await job?.run({ signal: ending.signal });
		},
		async stop(): Promise<void> {
			ending.abort();
			await social.stop?.();
			await server.stop(true);
			await x.stop();
			await model.stop();
		},
	};
}

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
		/** Moves the clock of the living service, which dies at the point, if there is one. */
		async pass(ms: number, point: KillPoint | null = null): Promise<void> {
			clock.offsetMs += ms;
			await service.arm(point, clock.offsetMs);
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
