import type { OpenedAgent } from "#agent/openAgent.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import type { Caller } from "#core/plugin/Tool.ts";

/** What all routes of the agent need. */
export type AgentContext = {
	/** Returns the agent, which exists only after all plugins are set up. */
	agent(): OpenedAgent;
};

/**
 * Returns who speaks. A person types into the command route and chat, so with their session they
 * are the author of this very text. Throws `unauthorized` (401) for wrong credentials.
 */
export async function authorOf(request: Request, { agent }: AgentContext): Promise<Caller> {
	const profileId = await agent().callerOf(request);
	const authority = profileId === null ? "none" : "author";
	return { channel: "agent", profileId, authority };
}

/** Returns the address of the request, which tells guests apart. */
export function guestOf(request: Request): { guest?: string } {
	const address = requestContexts.get(request)?.clientAddress;
	return address === undefined ? {} : { guest: address };
}
