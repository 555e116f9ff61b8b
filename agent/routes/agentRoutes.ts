import { Elysia } from "elysia";
import { chat } from "#agent/routes/chat.ts";
import { command } from "#agent/routes/command.ts";
import { type McpOptions, mcp } from "#agent/routes/mcp.ts";
import { tools } from "#agent/routes/tools.ts";

/** The ways to the agent over HTTP. */
export function agentRoutes(options: McpOptions) {
	return new Elysia({ prefix: "/v1/agent" })
		.use(tools(options))
		.use(command(options))
		.use(chat(options))
		.use(mcp(options));
}
