import { agentConfig } from "#agent/agentConfig.ts";
import { openAgent } from "#agent/openAgent.ts";
import { createOperators } from "#core/admin/createOperators.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import { socialPlugin } from "#plugins/social/plugin.ts";
import { socialConfig } from "#plugins/social/socialConfig.ts";
import { tradeCommands } from "#plugins/trading/tradeCommands.ts";
import { openTradeLab, type Trader } from "#test/harness/openTradeLab.ts";
import { until } from "#test/harness/until.ts";
import { startModelEmulator } from "#test/sandbox/model/startModelEmulator.ts";
import { socialEnv } from "#test/sandbox/social/socialAccess.ts";
import { type SaidPost, startSocialEmulator } from "#test/sandbox/social/startSocialEmulator.ts";

export const ADMIN_KEY = "an-operator-s-key-0001";

/** Opens trading on a real chain, asked for through an emulated X by signed webhooks. */
export async function openSocialTrades(given: Parameters<typeof openTradeLab>[0]) {
	const lab = openTradeLab(given);
	const { db, clock } = lab;
	const model = startModelEmulator();
	const x = startSocialEmulator({ nowMs: clock.nowMs });
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
		/** Makes an account of X; with a trader, it is linked to their profile. */
		account(trader: Trader | null = null) {
			people += 1;
			const id = String(9_300_000_000_000_000_000n + BigInt(people));
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

export type SocialTrades = Awaited<ReturnType<typeof openSocialTrades>>;
