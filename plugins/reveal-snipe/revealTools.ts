// Offers the agent's tool about reveals, and renders detections.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import type { Outbox } from "#core/outbox.ts";
import type { Core } from "#core/plugin/Core.ts";
import { type AnyTool, defineTool } from "#core/plugin/Tool.ts";
import {
	collectionTopic,
	type RevealFrame,
	type RevealIndex,
	type RevealSubject,
} from "#plugins/market-index/contract.ts";
import { RECENT_MS } from "#plugins/reveal-snipe/limits.ts";
import {
	listReveals,
	type NewDetection,
	REVEAL_PHASES,
} from "#plugins/reveal-snipe/sql/detections.ts";

type RevealNews = {
	chain: Chain;
	subject: Pick<RevealSubject, "address" | "slug" | "revealState">;
	phase: RevealFrame["phase"];
	/** Null without a detection: only the state changed. */
	detection: Pick<
		NewDetection,
		"signal" | "evidence" | "blockNumber" | "blockAt" | "detectedAt" | "delayMs"
	> | null;
	at: Date;
};

type RevealToolDeps = {
	core: Pick<Core, "db" | "clock" | "chains" | "indexed">;
	index: Pick<RevealIndex, "subjects">;
};

const LISTED = 10;

const row = z.object({
	chain: field.text("Slug of the chain.", "ethereum"),
	contractAddress: field.addressText("The collection's contract."),
	slug: field.text("The collection's slug.", "tidal-cats"),
	phase: z.enum(REVEAL_PHASES),
	detectedAt: field.time("When its newest reveal was noticed; null: none was.").nullable(),
});

/** Returns the public tools that list awaited, running and recent reveals. */
export function revealTools({ core, index }: RevealToolDeps): AnyTool[] {
	const tool = defineTool({
		name: "read_reveals",
		title: "Reveals",
		description:
			"Returns collections whose reveal is waited for, whose tokens are being read after one, or " +
			"that were revealed within 24 hours; ten of them, the newest first.",
		capability: "market",
		effect: "read",
		access: "everybody",
		input: z.strictObject({
			chain: z.string().max(64).optional().meta({ description: "By slug or id; all without." }),
		}),
		output: z.object({ reveals: z.array(row), at: field.time("When this was read.") }),
		async run({ chain }) {
			const at = new Date(core.clock.nowMs());
			const found = await listReveals(core.db, {
				chainIds: chainIdsOf(core, chain),
				phase: null,
				since: new Date(at.getTime() - RECENT_MS),
				after: null,
				limit: LISTED,
			});
			const subjects = await index.subjects(found.map(({ listedId }) => listedId));
			const reveals = found.flatMap(({ listedId, phase, detection }) => {
				const subject = subjects.find(({ id }) => id === listedId);
				const slug = subject && core.chains.byId(subject.chainId)?.slug;
				if (!subject || !slug) return [];
				const { address: contractAddress, slug: name } = subject;
				const detectedAt = detection?.detectedAt.toISOString() ?? null;
				return [{ chain: slug, contractAddress, slug: name, phase, detectedAt }];
			});
			return { kind: "done", output: { reveals, at: at.toISOString() } };
		},
		line({ reveals }) {
			if (reveals.length === 0) return "No reveal is waited for, and none was lately.";
			const shown = reveals.slice(0, 3).map(({ slug, phase }) => `${slug.slice(0, 30)} ${phase}`);
			const more = reveals.length > 3 ? ` and ${reveals.length - 3} more` : "";
			return `Reveals: ${shown.join(", ")}${more}.`;
		},
		asOfMs: ({ at }) => Date.parse(at),
	});
	return [tool];
}

/**
 * Adds a `reveal` frame to the collection's stream, in the transaction of the change that it
 * announces.
 */
export function appendRevealFrame(outbox: Outbox, tx: Tx, news: RevealNews): void {
	const { chain, subject, phase, detection, at } = news;
	const data: RevealFrame = {
		chain: chain.slug,
		contractAddress: subject.address,
		slug: subject.slug,
		phase,
		revealState: subject.revealState,
		detection: detection && renderDetection(detection),
		occurredAt: at.toISOString(),
	};
	outbox.append(tx, collectionTopic(chain.slug, subject.address), [{ type: "reveal", data }]);
}

/** Renders a detection for routes and streams. */
export function renderDetection(
	detection: NonNullable<RevealNews["detection"]>,
): NonNullable<RevealFrame["detection"]> {
	return {
		signal: detection.signal,
		evidence: detection.evidence,
		blockNumber: detection.blockNumber,
		blockAt: detection.blockAt?.toISOString() ?? null,
		detectedAt: detection.detectedAt.toISOString(),
		delayMs: detection.delayMs,
	};
}

function chainIdsOf(
	{ chains, indexed }: RevealToolDeps["core"],
	name: string | undefined,
): number[] {
	const served = indexed.map(({ chain }) => chain.id);
	if (name === undefined) return served;
	const id = chains.bySlug(name)?.id;
	if (id !== undefined && served.includes(id)) return [id];
	const message = `"${name}" is no chain that is indexed here.`;
	throw httpFault.validationError({
		public: `The chain is not valid: ${message}`,
		members: { issues: [{ path: "chain", message }] },
	});
}
