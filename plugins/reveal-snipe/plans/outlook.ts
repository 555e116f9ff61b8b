// Says whether a plan can still buy, what it would buy now, and why a reveal passed without a buy.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { field } from "#core/http/openapi/schema.ts";
import { toDisplayNumber } from "#core/money.ts";
import type { PlansContext } from "#plugins/reveal-snipe/model.ts";
import { chooseListings, walkListings } from "#plugins/reveal-snipe/plans/chooseListings.ts";
import type { Standing } from "#plugins/reveal-snipe/plans/standings.ts";
import { countUnchanged } from "#plugins/reveal-snipe/prints.ts";
import {
	type Detection,
	readLastDetections,
	readSeen,
	type Seen,
} from "#plugins/reveal-snipe/sql/detections.ts";
import type { Plan } from "#plugins/reveal-snipe/sql/plans.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

export const outlookSchema = z
	.object({
		isBaselineSeen: z.boolean().meta({
			description:
				"What its tokens show is known: from now on a change of it is noticed. While it is " +
				"false, `note` says why.",
		}),
		probes: field.integer("Tokens that are looked at for a reveal.", 8).meta({ minimum: 0 }),
		probesHidden: field
			.integer("Of these, those that show what they showed at first, before a reveal.", 8)
			.meta({ minimum: 0 }),
		isRevealed: z.boolean().meta({
			description: "The collection is revealed already: the plan waits for the next reveal.",
		}),
		bookReadAt: field.time("When the provider's whole book was last read; null: never.").nullable(),
		bookAgeSeconds: field.integer("How old that is; null without it.", 30).nullable(),
		wouldBuy: z
			.object({
				tokenIds: z
					.array(z.string())
					.meta({ description: "Tokens, in its order.", examples: [["6529"]] }),
				totalNative: field.number("What they ask for, in the chain's coin.", 0.7),
				totalRaw: field.digits("The same in base units.", "700000000000000000"),
			})
			.meta({
				id: "SnipeWouldBuy",
				description: "What it would buy of the known book, if the reveal were over now.",
			}),
		lastReveal: z
			.object({
				noticedAt: field.time("When it was noticed."),
				endedAt: field.time("When all tokens were read, or that was given up.").nullable(),
				outcome: field
					.text("`revealed`, or why no plan was told; null while tokens are read.", "partial")
					.nullable(),
			})
			.meta({ id: "SnipeLastReveal", description: "A reveal of a plan's collection." })
			.nullable()
			.meta({ description: "The last reveal since the plan was made; null before one." }),
		note: field.text("The same in a sentence.", "It waits for the reveal."),
	})
	.meta({ id: "SnipeOutlook", description: "Whether a plan can still buy, and what." });

type Outlook = z.output<typeof outlookSchema>;

const OUTCOMES: Readonly<Record<string, string>> = {
	partial: "many of its tokens are still hidden",
	unchanged: "its tokens turned out to be hidden still",
	given_up: "its tokens could not be read within an hour",
	withdrawn: "it was taken back",
};

/** Reads the outlook of one plan. It reads the whole book, so lists of plans have none. */
export async function readOutlook(
	{ core, market }: PlansContext,
	{
		plan,
		standings,
		profile,
		chain,
	}: { plan: Plan; standings: readonly Standing[]; profile: Profile; chain: Chain | undefined },
): Promise<Outlook> {
	const { collectionId } = plan;
	const nowMs = core.clock.nowMs();
	const [seen, last, [subject], listings, readAt] = await Promise.all([
		readSeen(core.db, [collectionId]),
		readLastDetections(core.db, [collectionId]),
		market.reveals.subjects([collectionId]),
		market.book.listings(collectionId, new Date(nowMs)),
		market.book.readAt(collectionId),
	]);
	const buyer = profile.wallets.find(({ id }) => id === plan.walletId)?.address ?? null;
	const { normaliseTrait } = market.book;
	const { candidates } = chooseListings(plan, listings, { buyer, normaliseTrait });
	const { bought } = walkListings(plan, standings, candidates);
	const totalRaw = bought.reduce((sum, { priceRaw }) => sum + priceRaw, 0n);
	const decimals = chain?.nativeCurrency.decimals ?? 18;
	const newest = last.get(collectionId);
	const isOurs = newest !== undefined && newest.detectedAt >= plan.createdAt;
	const isRevealed = subject?.revealState === "revealed";
	const { probesSeen, ...probes } = probesOf(seen.get(collectionId), isRevealed);
	return {
		...{ ...probes, isRevealed },
		bookReadAt: readAt?.toISOString() ?? null,
		bookAgeSeconds: readAt && Math.max(0, Math.round((nowMs - readAt.getTime()) / 1_000)),
		wouldBuy: {
			tokenIds: bought.map(({ tokenId }) => tokenId),
			totalNative: toDisplayNumber(totalRaw, decimals),
			totalRaw: String(totalRaw),
		},
		lastReveal: isOurs
			? {
					noticedAt: newest.detectedAt.toISOString(),
					endedAt: newest.endedAt?.toISOString() ?? null,
					outcome: newest.outcome,
				}
			: null,
		note: noteOf(plan, {
			last: isOurs ? newest : null,
			baseline: baselineOf(seen.get(collectionId), { ...probes, probesSeen }),
			...{ isRevealed, nowMs },
		}),
	};
}

function probesOf(seen: Seen | undefined, isRevealed: boolean) {
	const isBaselineSeen = seen !== undefined && seen.baseline.length > 0;
	const isHidden = isBaselineSeen && !isRevealed;
	const probesHidden = isHidden ? countUnchanged(seen.baseline, seen.latest) : 0;
	const probesSeen = seen?.baseline.length ?? 0;
	return { isBaselineSeen, probes: seen?.tokenIds.length ?? 0, probesHidden, probesSeen };
}

function noteOf(
	plan: Plan,
	known: {
		last: Detection | null;
		/** What is missing of the baseline, in a sentence; null where it is whole. */
		baseline: string | null;
		isRevealed: boolean;
		nowMs: number;
	},
): string {
	const { last, baseline, isRevealed, nowMs } = known;
	if (plan.status === "paused") return "It is paused, and buys nothing.";
	if (plan.status !== "armed") return "It is at its end.";
	if (last && last.endedAt === null) return "A reveal was noticed, and its tokens are being read.";
	if (plan.dueUntil && plan.dueUntil.getTime() > nowMs) {
		const why = plan.failureCode ? ` The last pass bought no more: ${plan.failureCode}.` : "";
		return `The reveal is over: it buys until ${plan.dueUntil.toISOString()}.${why}`;
	}
	const refused = OUTCOMES[last?.outcome ?? ""];
	if (refused) return `A reveal was noticed and nothing bought, because ${refused}.`;
	if (last) {
		const why = plan.failureCode ? `: ${plan.failureCode}` : "";
		return `A reveal passed, and it waits for the next one${why}.`;
	}
	if (isRevealed) return "The collection is revealed already: it waits for the next reveal.";
	return baseline ?? "It waits for the reveal.";
}

/** Says what is not known of what tokens showed before; null where all of it is known. */
function baselineOf(
	seen: Seen | undefined,
	{ probes, probesSeen }: { probes: number; probesSeen: number },
): string | null {
	if (!seen) return "baseline: unseen. Its tokens were not looked at yet.";
	if (probes < 2) return "baseline: unseen. Fewer than two of its tokens are known yet.";
	if (probesSeen === 0) {
		return (
			"baseline: unseen. Its tokens were looked at, and what they show could not be read: their " +
			"server, or their contract, refuses or does not answer. It is tried again, and no reveal " +
			"can be noticed before that."
		);
	}
	return probesSeen < probes
		? `It waits for the reveal. baseline: ${probesSeen} of ${probes} tokens, the others could not be read.`
		: null;
}
