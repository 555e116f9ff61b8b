// Declares the agent: its settings, its routes, and its command.

import { Elysia } from "elysia";
import { agentConfig } from "#agent/agentConfig.ts";
import { askCommand } from "#agent/askCommand.ts";
import { AgentKey } from "#agent/contract.ts";
import { type OpenedAgent, openAgent } from "#agent/openAgent.ts";
import { chat } from "#agent/routes/chat.ts";
import { command, tools } from "#agent/routes/command.ts";
import { type McpOptions, mcp } from "#agent/routes/mcp.ts";
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

/** Returns all HTTP routes of the agent. */
export function agentRoutes(options: McpOptions) {
	return new Elysia({ prefix: "/v1/agent" })
		.use(tools(options))
		.use(command(options))
		.use(chat(options))
		.use(mcp(options));
}
