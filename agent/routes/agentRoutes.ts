import { Elysia } from "elysia";
import { chat } from "#agent/routes/chat.ts";
import { command, tools } from "#agent/routes/command.ts";
import { type McpOptions, mcp } from "#agent/routes/mcp.ts";

/** Returns all HTTP routes of the agent. */
export function agentRoutes(options: McpOptions) {
	return new Elysia({ prefix: "/v1/agent" })
		.use(tools(options))
		.use(command(options))
		.use(chat(options))
		.use(mcp(options));
}
