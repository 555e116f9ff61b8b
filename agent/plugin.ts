import { agentConfig } from "#agent/agentConfig.ts";
import { askCommand } from "#agent/askCommand.ts";
import { AgentKey } from "#agent/contract.ts";
import { type OpenedAgent, openAgent } from "#agent/openAgent.ts";
import { agentRoutes } from "#agent/routes/agentRoutes.ts";
import { assert } from "#core/fault.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";

const VERSION = "1";

/** Answers text with the tools of all plugins: strict commands first, a model for the rest. */
export const agentPlugin = definePlugin({
	name: "agent",
	version: VERSION,
	config: agentConfig,
	needs: {},
	offers: AgentKey,
	cli: [askCommand],
	setup({ config, core, collected }) {
		const ending = new AbortController();
		let opened: OpenedAgent | null = null;
		const agent = (): OpenedAgent => {
			assert(opened, "the agent is asked once it was started");
			return opened;
		};
		return {
			service: { handle: (asked) => agent().handle(asked) },
			routes: agentRoutes({
				agent,
				log: core.log,
				version: VERSION,
				door: {
					publicUrl: config.PUBLIC_URL,
					listensOn: config.HOST,
					allowedOrigins: core.allowedOrigins,
				},
				ending: ending.signal,
			}),
			start() {
				opened = openAgent({ collected: collected(), core, config, ending: ending.signal });
			},
			stop: () => ending.abort(),
		};
	},
});
