// Stores answers until they are sent, and renders them anew then.

import { z } from "zod";
import type { Reply } from "#agent/contract.ts";
import type { AnyTool, Caller } from "#core/plugin/Tool.ts";
import type { InboxDeps } from "#plugins/social/inbox/Inbox.ts";
import { ANSWER_FRESH_MS } from "#plugins/social/limits.ts";
import { type Draft, renderReplies, statusOf } from "#plugins/social/renderReplies.ts";
import type { SocialReply } from "#plugins/social/sql/replies.ts";
import type { Seal } from "#plugins/social/x/userTokens.ts";

/** Holds a draft with what the draft is about, as it is stored. */
export type KeptDraft = z.output<typeof keptDraft>;

/** Holds the answer as of now; `ended` names the order whose end it reports. */
type Told = { draft: Draft; ended: string | null };

const keptDraft = z.object({
	text: z.string(),
	asOf: z.string().nullable(),
	tail: z.string(),
	/** Names the profile that alone may read the text; null: anybody may. */
	profileId: z.string().nullable(),
	/** Names what is read again at sending; null where nothing of it changes. */
	about: z
		.discriminatedUnion("kind", [
			/**
			 * `status`: the state that the draft reports, with its links; null: the order is read in any
			 * case.
			 */
			z.object({
				kind: z.literal("order"),
				tool: z.string(),
				id: z.string(),
				status: z.string().nullable(),
			}),
			z.object({ kind: z.literal("question"), tool: z.string(), text: z.string() }),
		])
		.nullable(),
});

const SEALED = "s:";
const PLAIN = "p:";

/**
 * Encrypts a private text for the database while it waits, and decrypts it: it may hold a link that
 * confirms a payment. Without the deployment's secret it is stored unencrypted.
 */
export const privateBody = {
	close(text: string, seal: Seal | null): string {
		if (seal === null) return `${PLAIN}${text}`;
		return `${SEALED}${Buffer.from(seal.close(text)).toString("base64")}`;
	},
	/** Returns the text; null if it was sealed with another secret. */
	open(body: string, seal: Seal | null): string | null {
		if (body.startsWith(PLAIN)) return body.slice(PLAIN.length);
		if (seal === null || !body.startsWith(SEALED)) return null;
		return seal.open(Buffer.from(body.slice(SEALED.length), "base64"));
	},
};

/** Returns a stored text of a reply; null where it cannot be decrypted any more. */
export function textOf(
	stored: string | null,
	{ via, seal }: Pick<SocialReply, "via"> & Pick<InboxDeps, "seal">,
): string | null {
	if (stored === null) return null;
	return via === "post" ? stored : privateBody.open(stored, seal);
}

/** Returns what of an answer is read again when it is sent. */
export function aboutOf(
	reply: Reply,
	{ tool, text }: { tool: AnyTool | null; text: string },
): KeptDraft["about"] {
	if (reply.kind !== "done" || tool === null) return null;
	if (tool.order) {
		const id = tool.order.idOf(reply.data);
		return { kind: "order", tool: tool.name, id, status: statusOf(reply.data) };
	}
	// A model is not asked twice. And another answer may not do more than this one did: in a
	// profile's name the very command alone is asked again.
	if (reply.isProposal) return null;
	const isExact = text.trim().toLowerCase() === reply.command;
	if (tool.effect !== "read" || (tool.access === "profile" && !isExact)) return null;
	return { kind: "question", tool: tool.name, text };
}

/**
 * Makes the function that renders a stored draft anew: an order is read again, and a question that
 * waited is asked again. Null: its author is not linked to that profile any more.
 */
export function createTellNow(deps: InboxDeps, terms: { lengthMax: number; signInUrl: string }) {
	const { wallets, agent, core, ending } = deps;

	async function order(
		kept: KeptDraft,
		about: Extract<KeptDraft["about"], { kind: "order" }>,
		via: SocialReply["via"],
	): Promise<Told> {
		const tool = deps.toolOf(about.tool);
		if (!tool?.order) return { draft: kept, ended: null };
		const output: unknown = await tool.order.read(about.id, contextOf(kept.profileId, ending));
		const end = tool.order.end(output);
		const isAsStored = end === null && about.status !== null && statusOf(output) === about.status;
		if (isAsStored && via === "post") return { draft: kept, ended: null };
		const reply = replyAbout(tool, output);
		const transaction = end?.transaction ?? null;
		const rendered = renderReplies(reply, { ...terms, via, tool, transaction })[via] ?? kept;
		// A link that asks is good as long as it is asked.
		const draft = isAsStored ? { ...rendered, tail: kept.tail } : rendered;
		return { draft, ended: end === null ? null : about.id };
	}

	async function question(
		kept: KeptDraft,
		about: Extract<KeptDraft["about"], { kind: "question" }>,
		via: SocialReply["via"],
	): Promise<Told> {
		const tool = deps.toolOf(about.tool);
		const isOpen = tool?.access === "everybody";
		const { caller, signal } = contextOf(isOpen ? null : kept.profileId, ending);
		const asked = { text: about.text, caller, idempotencyKey: null, isAgeless: true, signal };
		const reply = await agent.handle(asked);
		const isSame = reply.kind === "done" && reply.tool === about.tool;
		const again = { ...terms, via, tool, transaction: null };
		const draft = isSame ? (renderReplies(reply, again)[via] ?? kept) : kept;
		return { draft, ended: null };
	}

	return async (kept: KeptDraft, reply: SocialReply): Promise<Told | null> => {
		const { about, profileId } = kept;
		const profile = profileId && (await wallets.profileOfSocial(reply.authorId));
		if (profileId !== null && (!profile || profile.id !== profileId)) return null;
		if (about?.kind === "order") return await order(kept, about, reply.via);
		const waitedMs = core.clock.nowMs() - reply.createdAt.getTime();
		if (about === null || waitedMs <= ANSWER_FRESH_MS) return { draft: kept, ended: null };
		return await question(kept, about, reply.via);
	};
}

/** Returns who reads for a profile: nothing is begun in its name. */
export function contextOf(profileId: string | null, signal: AbortSignal) {
	const authority = profileId === null ? "none" : "session";
	const caller: Caller = { channel: "social", profileId, authority };
	return { caller, idempotencyKey: null, signal };
}

/** Returns the stored form of a draft. */
export function keep(draft: KeptDraft): string {
	return JSON.stringify(draft);
}

/** Reads a stored draft; one that an older version stored is used as it is. */
export function readKept(text: string): KeptDraft {
	const plain = { text: "", asOf: null, tail: text, profileId: null, about: null };
	try {
		return keptDraft.safeParse(JSON.parse(text)).data ?? plain;
	} catch {
		return plain;
	}
}

function replyAbout(tool: AnyTool, output: unknown): Reply {
	return {
		...{ kind: "done", line: tool.line(output), command: null, isProposal: false },
		...{ tool: tool.name, data: output, asOf: null, links: tool.links?.(output) ?? [] },
		...{ suggestions: [], code: null },
	};
}
