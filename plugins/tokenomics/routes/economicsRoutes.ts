// Serves the token's economics, what holders have pending, and places in the league.

import { Elysia } from "elysia";
import { z } from "zod";
import { ANY_CASE_ADDRESS_PATTERN } from "#core/chain/hexSchemas.ts";
import { httpFault } from "#core/http/faults.ts";
import { canBeReadByAnyPage, canFail } from "#core/http/routeMarks.ts";
import {
	placeSchema,
	type Rewards,
	rewardsSchema,
} from "#plugins/tokenomics/economics/createRewards.ts";
import { type Economics, economicsSchema } from "#plugins/tokenomics/economics/economicsSchema.ts";
import { address } from "#plugins/tokenomics/limits.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

type RewardsRoutesOptions = { rewards: Rewards; wallets: Pick<Wallets, "authenticate"> };

const holder = z.object({
	address: address.meta({
		...{ pattern: ANY_CASE_ADDRESS_PATTERN, examples: [`0x${"ab".repeat(20)}`] },
		description: "The account.",
	}),
});

/** Serves what the token's revenue is and becomes, to everybody. */
export function economicsRoutes({ economics }: { economics: () => Promise<Economics> }) {
	return new Elysia({ prefix: "/v1/token" }).get("/economics", () => economics(), {
		response: { 200: economicsSchema },
		detail: {
			...canBeReadByAnyPage(),
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

/** Serves what holders have pending, and a signed-in trader's place in the league. */
export function rewardsRoutes({ rewards, wallets }: RewardsRoutesOptions) {
	const own = { tags: ["token"], security: [{ session: [] as string[] }] };
	return new Elysia({ prefix: "/v1/token" })
		.get("/holders/:address/rewards", ({ params }) => rewards.ofAccounts([params.address]), {
			...{ params: holder, response: { 200: rewardsSchema } },
			detail: {
				...canBeReadByAnyPage(),
				operationId: "getHolderRewards",
				tags: ["token"],
				summary: "Shows what an account has pending",
				description:
					"The holders' share of revenue that the router has not paid yet, by the part of all tokens " +
					"that the account holds. An estimate of blocks that nothing takes back any more.",
			},
		})
		.get(
			"/rewards",
			async ({ request, set }) => {
				const { profile } = await wallets.authenticate(request);
				set.headers["cache-control"] = "no-store";
				return rewards.ofAccounts(profile.wallets.map((wallet) => wallet.address));
			},
			{
				response: { 200: rewardsSchema },
				detail: {
					...{ ...own, operationId: "getOwnRewards" },
					summary: "Shows what your wallets have pending",
					description:
						"The holders' share of revenue that the router has not paid yet, by the part of all " +
						"tokens that each of your wallets holds.",
					...canFail(httpFault.unauthorized),
				},
			},
		)
		.get(
			"/league/place",
			async ({ request, set }) => {
				const { profile } = await wallets.authenticate(request);
				set.headers["cache-control"] = "no-store";
				return rewards.placeOf(profile.id);
			},
			{
				response: { 200: placeSchema },
				detail: {
					...{ ...own, operationId: "getLeaguePlace" },
					summary: "Shows your place in the league",
					description:
						"By what counts of the season's settled trades; `traded` is all of them, `rule` says what " +
						"counts. `pending` is the league's share of revenue that the router has not paid yet.",
					...canFail(httpFault.unauthorized),
				},
			},
		);
}
