import { join } from "node:path";
import { Elysia } from "elysia";
import { AgentKey } from "#agent/contract.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import { createSteps } from "#core/steps.ts";
import { createReadBudget } from "#plugins/social/budgets.ts";
import { createInbox } from "#plugins/social/inbox/createInbox.ts";
import type { SocialStep } from "#plugins/social/inbox/Inbox.ts";
import { pollJobs, pruneJob, radarJobs } from "#plugins/social/jobs.ts";
import { socialConfig } from "#plugins/social/limits.ts";
import { adminRoutes } from "#plugins/social/routes/adminRoutes.ts";
import { webhookRoutes } from "#plugins/social/routes/webhookRoutes.ts";
import { hasOAuth1, hasOAuth2, webhookSecretOf } from "#plugins/social/x/callX.ts";
import { createX, createXHealth } from "#plugins/social/x/createX.ts";
import { createSeal } from "#plugins/social/x/userTokens.ts";
import { WalletsKey } from "#plugins/wallets/contract.ts";

/** Runs the agent on X: mentions and direct messages, each answered at most once. */
export const socialPlugin = definePlugin({
	name: "social",
	version: "1",
	config: socialConfig,
	needs: { agent: AgentKey, wallets: WalletsKey },
	tables: { schema: "social", folder: join(import.meta.dir, "migrations") },
	setup({ config, core, needs: { agent, wallets }, collected }) {
		const ending = new AbortController();
		const reads = createReadBudget(core, config.SOCIAL_MONTHLY_READS_MAX);
		const { note } = reads;
		const speaks = hasOAuth1(config) || hasOAuth2(config);
		const listens = webhookSecretOf(config) !== null;
		const health = createXHealth({ core, reads, isOpen: speaks || listens });
		const x = createX({ core, config, ending: ending.signal, note, health });
		const tools = new Map<string, AnyTool>();
		const secret = config.SESSION_SECRET;
		const inbox = createInbox(
			{
				...{ core, config, agent, wallets, x, ending: ending.signal },
				steps: createSteps<SocialStep>(core.observeSteps),
				seal: secret === undefined ? null : createSeal(secret, "replies"),
				toolOf: (name) => tools.get(name) ?? null,
			},
			reads,
		);
		const polls = speaks && config.ENABLE_POLLING_FALLBACK;
		const { receive } = inbox;
		return {
			routes: new Elysia()
				.use(webhookRoutes({ secret: webhookSecretOf(config), receive }))
				.use(adminRoutes({ core, config, x, reads })),
			jobs: [
				...(polls ? pollJobs({ core, config, x, reads, receive }) : []),
				...radarJobs({ core, config, agent, x }),
				pruneJob(core),
			],
			start() {
				for (const tool of collected().tools) tools.set(tool.name, tool);
				// Without a credential of X nothing can arrive, and the database is not queried.
				if (speaks || listens) inbox.start();
			},
			degraded: health.degraded,
			async stop() {
				ending.abort();
				await inbox.ended();
			},
		};
	},
});
