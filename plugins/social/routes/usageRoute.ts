// Serves the operators' route about the month's reads of X.

import { Elysia } from "elysia";
import { z } from "zod";
import { Fault } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import type { ReadBudget } from "#plugins/social/budgets.ts";
import type { SocialConfig } from "#plugins/social/limits.ts";
import type { X } from "#plugins/social/x/createX.ts";
import { readUsage } from "#plugins/social/x/say.ts";

type UsageOptions = { config: SocialConfig; x: X; reads: ReadBudget };

const usageSchema = z
	.object({
		month: field.text("The calendar month in UTC.", "2026-03"),
		reads: field.integer("Posts, messages and accounts read, by all processes together.", 312),
		readsMax: field.integer("SOCIAL_MONTHLY_READS_MAX.", 10_000),
		endsAt: field
			.time("When nothing is left, at the rate of today and yesterday.")
			.nullable()
			.meta({ description: "When nothing is left at this rate; null: not in this month." }),
		remaining: field.integer("What is left of it.", 9_688),
		pollingEnabled: field.flag("Whether ENABLE_POLLING_FALLBACK is on."),
		x: z
			.object({
				posts: field.integer("Posts that X counts.", 312).nullable(),
				postsMax: field.integer("The most that X allows.", 3_000_000).nullable(),
				resetsOnDay: field.integer("Day of the month.", 14).nullable(),
			})
			.meta({ id: "SocialUsageOfX", description: "What X counts of the month." })
			.nullable()
			.meta({ description: "X's own count; null where it could not be read." }),
	})
	.meta({ id: "SocialUsage", description: "The month's reads of X." });

/** Returns the route that says what was read of X; its parent authenticates the operator. */
export function usageRoute(options: UsageOptions) {
	return new Elysia().get("/usage", () => usage(options), {
		response: { 200: usageSchema },
		detail: {
			...{ tags: ["admin"], security: [{ admin: [] }] },
			operationId: "getSocialUsage",
			summary: "Says what was read of X",
			description: "The month's reads of this deployment, and X's own count where it tells.",
		},
	});
}

async function usage({ config, x, reads }: UsageOptions) {
	const { endsAt, ...state } = await reads.state();
	return {
		...state,
		endsAt: endsAt?.toISOString() ?? null,
		remaining: Math.max(0, state.readsMax - state.reads),
		pollingEnabled: config.ENABLE_POLLING_FALLBACK,
		x: await readUsage(x).catch((error) => {
			// Our own count is shown even if X fails.
			if (error instanceof Fault) return null;
			throw error;
		}),
	};
}
