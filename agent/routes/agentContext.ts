import type { OpenedAgent } from "#agent/openAgent.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import type { Caller } from "#core/plugin/Tool.ts";

/** What the routes of the agent are made of. */
export type AgentContext = {
	/** The agent, which is there once all plugins are. */
	agent(): OpenedAgent;
};

/**
 * Says who speaks: a person types into the command route and chat, so with their session they are
 * the author of this very text. Throws `unauthorized` (401) where the credentials are wrong.
 */
export async function authorOf(request: Request, { agent }: AgentContext): Promise<Caller> {
	const profileId = await agent().callerOf(request);
	const authority = profileId === null ? "none" : "author";
	return { channel: "agent", profileId, authority };
}

/** Tells guests apart by the address that their requests come from. */
export function guestOf(request: Request): { guest?: string } {
	const address = requestContexts.get(request)?.clientAddress;
	return address === undefined ? {} : { guest: address };
}
