// Serves the list of reveals.

import { Elysia } from "elysia";
import { z } from "zod";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { CURSOR_PART, createCursor, pageQuery, pageSchema } from "#core/http/pages.ts";
import { canBeCached } from "#core/http/routeMarks.ts";
import type { Core } from "#core/plugin/Core.ts";
import {
	type RevealIndex,
	type RevealSubject,
	revealParts,
} from "#plugins/market-index/contract.ts";
import { PAGE_DEFAULT, PAGE_MAX, RECENT_MS } from "#plugins/reveal-snipe/limits.ts";
import { renderDetection } from "#plugins/reveal-snipe/revealTools.ts";
import {
	type Detection,
	type ListedReveal,
	listReveals,
	REVEAL_PHASES,
} from "#plugins/reveal-snipe/sql/detections.ts";

type RevealRoutesOptions = {
	core: Pick<Core, "db" | "clock" | "chains" | "indexed">;
	index: Pick<RevealIndex, "subjects">;
};

const COLLECTION_ID_MAX = 2 ** 31 - 1;

const burstSchema = z
	.object({
		step: z
			.enum(["queued", "reading", "counting", "ranking", "plans", "revealing", "ended"])
			.meta({ description: "What is done now; `ended`: nothing any more." }),
		outcome: z
			.enum(["revealed", "partial", "unchanged", "given_up", "withdrawn"])
			.nullable()
			.meta({
				description:
					"How it ended: all is read and ranked; many tokens are still hidden; all are; too few could " +
					"be read; it was hidden again meanwhile. Null while it lasts.",
			}),
		tokens: field.integer("Tokens that are known.", 10_000),
		read: field.integer("Tokens read again since the reveal was noticed.", 9_950),
		failed: field.integer("Tokens that could not be read.", 50),
		swapped: field.integer("Tokens found with another URI than before.", 9_950),
		beganAt: field.time("When reading began; null: not yet.").nullable(),
		endedAt: field.time("When it ended; null while it lasts.").nullable(),
	})
	.meta({ id: "RevealBurst", description: "The reading of all tokens that follows a reveal." });

const rowSchema = z
	.object({
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		slug: field.text("The collection's slug.", "tidal-cats"),
		name: field.text("The collection's name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("The collection's image; null while unknown.").nullable(),
		phase: z.enum(REVEAL_PHASES).meta({
			description: "`armed`: watched. `burst`: being read again. `revealed`: within 24 hours.",
		}),
		revealState: revealParts.state,
		revealedAt: field.time("When it was called revealed; null: not yet.").nullable(),
		detection: revealParts.detection.nullable().meta({
			description: "How its newest reveal was noticed; null where none was.",
		}),
		burst: burstSchema.nullable().meta({ description: "What followed; null without a reveal." }),
	})
	.meta({ id: "RevealRow", description: "A collection whose reveal is waited for, or just came." });

const answerSchema = z
	.object({
		data: z.array(rowSchema).meta({ description: "The newest reveals first, then who waits." }),
		page: pageSchema,
	})
	.meta({ id: "RevealPage", description: "A page of reveals." });

const cursor = createCursor("reveals1", [CURSOR_PART.count, CURSOR_PART.count]);

/** Returns the route that lists collections before, during and shortly after their reveal. */
export function revealRoutes({ core, index }: RevealRoutesOptions) {
	return new Elysia({ prefix: "/v1/nft-market", detail: canBeCached() }).get(
		"/reveals",
		async ({ query }) => {
			const chains = chainsOf(core, query.chain);
			const { phase = null, limit } = query;
			const cursors = cursor.of({ chain: query.chain && chains[0]?.slug, phase });
			const [detectionId, collectionId] =
				query.cursor === undefined ? [] : cursors.decode(query.cursor).map(boundedCount);
			const found = await listReveals(core.db, {
				chainIds: chains.map(({ id }) => id),
				phase,
				since: new Date(core.clock.nowMs() - RECENT_MS),
				after:
					detectionId === undefined || collectionId === undefined
						? null
						: { detectionId, collectionId: Math.min(collectionId, COLLECTION_ID_MAX) },
				limit: limit + 1,
			});
			const shown = found.slice(0, limit);
			const subjects = await index.subjects(shown.map(({ listedId }) => listedId));
			const byId = new Map(subjects.map((subject) => [subject.id, subject]));
			const last = shown.at(-1);
			const hasMore = found.length > limit;
			const place = last && [String(last.detection?.id ?? 0), String(last.listedId)];
			return {
				data: shown.flatMap((row) => {
					const subject = byId.get(row.listedId);
					const chain = chains.find(({ id }) => id === subject?.chainId);
					return subject && chain ? [renderRow(chain.slug, subject, row)] : [];
				}),
				page: { nextCursor: hasMore && place ? cursors.encode(place) : null, hasMore },
			};
		},
		{
			query: z.object({
				chain: z
					.string()
					.max(64)
					.optional()
					.meta({
						description:
							"A chain that is indexed here, by slug, other spelling or id; all without.",
						examples: ["ethereum"],
					}),
				phase: z.enum(REVEAL_PHASES).optional().meta({ description: "Only rows of this phase." }),
				...pageQuery({ default: PAGE_DEFAULT, max: PAGE_MAX }),
			}),
			response: { 200: answerSchema },
			detail: {
				operationId: "listReveals",
				tags: ["market"],
				summary: "Lists reveals that are waited for, under way, or just over",
				description:
					"A collection stands here while it is watched for a reveal, and for 24 hours after one. " +
					"`detection` says which signal told of it, in which block, and how long that took.",
			},
		},
	);
}

function boundedCount(digits: string): number {
	return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}

function chainsOf({ chains, indexed }: RevealRoutesOptions["core"], name: string | undefined) {
	const served = indexed.map(({ chain }) => chain);
	if (name === undefined) return served;
	const chain = chains.bySlug(name);
	const found = served.filter(({ id }) => id === chain?.id);
	if (found.length > 0) return found;
	const message = `"${name}" is no chain that is indexed here.`;
	throw httpFault.validationError({
		public: `The chain is not valid: ${message}`,
		members: { issues: [{ path: "chain", message }] },
	});
}

function renderRow(chain: string, subject: RevealSubject, { phase, detection }: ListedReveal) {
	const { address, slug, name, imageUrl, revealState, revealedAt } = subject;
	return {
		...{ chain, contractAddress: address, slug, name, imageUrl, phase, revealState },
		revealedAt: revealedAt?.toISOString() ?? null,
		detection: detection && renderDetection(detection),
		burst: detection && renderBurst(detection),
	};
}

function renderBurst(detection: Detection) {
	const { step, outcome, tokens, read, failed, swapped, beganAt, endedAt } = detection;
	return {
		...{ step, outcome, tokens, read, failed, swapped },
		beganAt: beganAt?.toISOString() ?? null,
		endedAt: endedAt?.toISOString() ?? null,
	};
}
