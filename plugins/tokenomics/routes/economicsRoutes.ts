import { Elysia } from "elysia";
import { type Economics, economicsSchema } from "#plugins/tokenomics/economics/economicsSchema.ts";

/** Serves what the token's revenue is and becomes, to everybody. */
export function economicsRoutes({ economics }: { economics: () => Promise<Economics> }) {
	return new Elysia({ prefix: "/v1/token" }).get("/economics", () => economics(), {
		response: { 200: economicsSchema },
		detail: {
			operationId: "getTokenEconomics",
			tags: ["token"],
			summary: "Shows the token's economics",
			description:
				"How revenue is split, what was bought back and burned, who holds the token, and the league of " +
				"traders. Figures come from blocks that nothing takes back any more. Until the token is " +
				"launched each part says `token not launched`.",
		},
	});
}
