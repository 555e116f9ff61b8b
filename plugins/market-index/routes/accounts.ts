// Serves what an account holds, did and realised.

import { Elysia } from "elysia";
import { z } from "zod";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { ANY_CASE_ADDRESS_PATTERN } from "#core/chain/hexSchemas.ts";
import { field } from "#core/http/openapi/schema.ts";
import { CURSOR_PART, createCursor, pageQuery, pageSchema } from "#core/http/pages.ts";
import { canFail, takesSlot } from "#core/http/routeMarks.ts";
import { MINUTE_MS } from "#core/time.ts";
import { ACCOUNT_TYPES, type AccountPlace } from "#plugins/market-index/accounts/accountEvents.ts";
import { readActivity } from "#plugins/market-index/accounts/readActivity.ts";
import { readHoldings } from "#plugins/market-index/accounts/readHoldings.ts";
import { readResult } from "#plugins/market-index/accounts/readResult.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import {
	chainsOf,
	findNamed,
	type RouteContext,
	resolveChain,
} from "#plugins/market-index/read/context.ts";
import { chainParam, PAGE_LIMIT, slugParams } from "#plugins/market-index/routes/params.ts";
import {
	accountCollectionSchema,
	accountCoverageSchema,
	accountEventSchema,
	accountSummarySchema,
	accountTokenSchema,
	holdingsCoverageSchema,
	ownCollectionSchema,
	resultSummarySchema,
	tokenResultSchema,
} from "#plugins/market-index/schemas/accounts.ts";

const { count, integer, millis } = CURSOR_PART;
const holdingCursors = createCursor("holdings1", [count, count]);
const activityCursors = createCursor("acts1", [millis, integer, count, count, count]);
const resultCursors = createCursor("results1", [millis, count, count]);

const INT4_MAX = 2_147_483_647;
const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
/** A client's clock may be ahead of ours by this much. */
const AHEAD_MAX_MS = MINUTE_MS;

const accountParams = z.object({
	address: z
		.string()
		.regex(new RegExp(ANY_CASE_ADDRESS_PATTERN), "must be an account's address")
		.meta({
			description: "The account's address, in any case; a contract may be one as well.",
			examples: ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
		}),
});

const slugFilter = slugParams.shape.slug
	.optional()
	.meta({ description: "Only this collection: by slug, former slug, or contract address." });

const timeFilter = (description: string) =>
	z.iso
		.datetime({ offset: true, error: "must be a time like 2026-03-01T12:00:00.000Z" })
		.optional()
		.meta({ description, examples: ["2026-03-01T12:00:00.000Z"] });

const address = field.address("The account, in lower case.");

const holdingsSchema = z
	.object({
		address,
		collectionsAtAddress: z
			.array(ownCollectionSchema)
			.meta({ description: "Collections whose contract has this very address; mostly none." }),
		data: z.array(accountTokenSchema).nullable().meta({
			description:
				"Tokens by collection, then by id; null: no contract was walked yet, nothing is known.",
		}),
		collections: z.array(accountCollectionSchema).nullable().meta({
			description:
				"Up to 100 collections that it holds tokens of, by value; those without a floor are last.",
		}),
		summary: accountSummarySchema.nullable().meta({ description: "Null where `data` is." }),
		coverage: holdingsCoverageSchema,
		page: pageSchema,
	})
	.meta({ id: "AccountHoldings", description: "A page of an account's tokens, with sums." });

const activityPageSchema = z
	.object({
		address,
		data: z.array(accountEventSchema).meta({ description: "Events, newest first." }),
		coverage: accountCoverageSchema,
		page: pageSchema,
	})
	.meta({ id: "AccountActivityPage", description: "A page of what an account did." });

const resultPageSchema = z
	.object({
		address,
		data: z
			.array(tokenResultSchema)
			.meta({ description: "Tokens of which units were sold, the one sold last first." }),
		summary: resultSummarySchema,
		readFrom: field
			.time("The oldest event that the result is made of; null: all that are kept.")
			.nullable(),
		coverage: accountCoverageSchema,
		page: pageSchema,
	})
	.meta({ id: "AccountResultPage", description: "A page of what an account realised." });

/** Serves an account's tokens with what they are worth. */
export function getHoldings(context: RouteContext) {
	return new Elysia().get(
		"/accounts/:address",
		async ({ params, query }) => {
			const { core } = context;
			const account = accountOf(params.address);
			const { chains, collection } = await scopeOf(context, query);
			const cursors = holdingCursors.of({
				...{ account, chain: query.chain, collection: collection?.id },
			});
			const [collectionId, tokenId] =
				query.cursor === undefined ? [] : cursors.decode(query.cursor);
			const after =
				collectionId === undefined || tokenId === undefined
					? null
					: { collectionId: Math.min(Number(collectionId), INT4_MAX), tokenId };
			const [{ next, ...answer }, own] = await Promise.all([
				readHoldings(context, {
					...{ address: account, chains, collectionId: collection?.id ?? null, after },
					limit: query.limit,
				}),
				findNamed(core, account, query.chain),
			]);
			const nextCursor = next && cursors.encode([`${next.collectionId}`, next.tokenId]);
			return {
				address: account,
				collectionsAtAddress: own.map(({ chain, slug }) => ({ chain, slug })),
				...answer,
				page: { nextCursor, hasMore: next !== null },
			};
		},
		{
			params: accountParams,
			query: z.object({ chain: chainParam, slug: slugFilter, ...pageQuery(PAGE_LIMIT) }),
			response: { 200: holdingsSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listAccountTokens",
				tags: ["market"],
				summary: "Lists an account's NFTs with what they are worth",
				description:
					"From the service's own walks over contracts' transfers. Each token stands at its " +
					"collection's floor; `summary` is over all of them, whatever page is shown. What is not " +
					"walked is named in `coverage` and is in no sum. The zero address is nobody's account: 422.",
			},
		},
	);
}

/** Serves what an account bought, sold, minted and moved. */
export function getAccountActivity(context: RouteContext) {
	return new Elysia().get(
		"/accounts/:address/activity",
		async ({ params, query }) => {
			const account = accountOf(params.address);
			const { since, until } = timesOf(query, context.core.clock.nowMs());
			const { chains, collection } = await scopeOf(context, query);
			const { type, chain, after, before } = query;
			const cursors = activityCursors.of({
				...{ account, chain, collection: collection?.id, type, after, before },
			});
			const { next, ...answer } = await readActivity(context, {
				...{ address: account, chains, collectionId: collection?.id ?? null, since, until },
				type: type ?? null,
				after: query.cursor === undefined ? null : placeOf(cursors.decode(query.cursor)),
				limit: query.limit,
			});
			const nextCursor = next && cursors.encode(partsOf(next));
			return { address: account, ...answer, page: { nextCursor, hasMore: next !== null } };
		},
		{
			params: accountParams,
			query: z.object({
				chain: chainParam,
				slug: slugFilter,
				type: z.enum(ACCOUNT_TYPES).optional().meta({
					description: "Only events of this kind; `moved` are transfers without a price.",
				}),
				after: timeFilter("Only events at or after this time."),
				before: timeFilter("Only events before this time."),
				...pageQuery(PAGE_LIMIT),
			}),
			response: { 200: activityPageSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listAccountActivity",
				tags: ["market"],
				summary: "Lists what an account bought, sold, minted and moved",
				description:
					"Newest first, over all chains unless `chain`. Rows with `accepted: false` count in no " +
					"figure. A page of one chain or collection may be short, or empty, and have a next one " +
					"all the same: so much is looked at for one answer. Transfers are told by the provider " +
					"alone, so `coverage` names `moved` wherever it was not read.",
			},
		},
	);
}

/** Serves what an account realised, by token. */
export function getAccountResult(context: RouteContext) {
	return new Elysia().get(
		"/accounts/:address/result",
		async ({ params, query }) => {
			const account = accountOf(params.address);
			const { chains, collection } = await scopeOf(context, query);
			const cursors = resultCursors.of({
				...{ account, chain: query.chain, collection: collection?.id },
			});
			const [soldAtMs = "0", collectionId = "0", tokenId = "0"] =
				query.cursor === undefined ? [] : cursors.decode(query.cursor);
			const { next, ...answer } = await readResult(context, {
				...{ address: account, chains, collectionId: collection?.id ?? null },
				after:
					query.cursor === undefined
						? null
						: {
								lastSoldAtMs: Number(soldAtMs),
								collectionId: Math.min(Number(collectionId), INT4_MAX),
								tokenId: BigInt(tokenId),
							},
				limit: query.limit,
			});
			const nextCursor =
				next && cursors.encode([next.lastSoldAtMs, next.collectionId, next.tokenId].map(String));
			return { address: account, ...answer, page: { nextCursor, hasMore: next !== null } };
		},
		{
			params: accountParams,
			query: z.object({ chain: chainParam, slug: slugFilter, ...pageQuery(PAGE_LIMIT) }),
			response: { 200: resultPageSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				...takesSlot(),
				operationId: "listAccountResults",
				tags: ["market"],
				summary: "Shows what an account realised, token by token",
				description:
					"Sold less bought, first in, first out; a mint costs its price. Amounts are what was paid: " +
					"fees and gas are not taken off. Of accepted sales and mints, and of transfers that the " +
					"provider told; units whose cost or price is not known are in no sum, and counted in " +
					"`leftOut`. Made of the account's newest 5,000 " +
					"events: where it has more, `readFrom` says from when on, and what was bought before has a " +
					"cost that was not seen.",
			},
		},
	);
}

/** Returns the account of a path; the zero address, which owns what was destroyed, is nobody's. */
function accountOf(text: string): Address {
	const account: Address = `0x${text.slice(2).toLowerCase()}`;
	if (account !== ZERO_ADDRESS) return account;
	throw refused("address", "The zero address is nobody's account.");
}

/** Returns the chains that are asked about, and the one collection where one is named. */
async function scopeOf(
	{ core, index }: Pick<RouteContext, "core" | "index">,
	{ chain, slug }: { chain?: string | undefined; slug?: string | undefined },
) {
	const chains = chainsOf(core, chain);
	if (slug === undefined) return { chains, collection: null };
	const collection = await index.find(slug, chain);
	return { chains: [resolveChain(core, collection.chain)], collection };
}

/** Returns the bounds of a list of events. A stretch that holds nothing is refused, not empty. */
function timesOf(
	{ after, before }: { after?: string | undefined; before?: string | undefined },
	nowMs: number,
): { since: Date | null; until: Date | null } {
	const since = after === undefined ? null : new Date(after);
	const until = before === undefined ? null : new Date(before);
	for (const [name, at] of [
		["after", since],
		["before", until],
	] as const) {
		if (at && at.getTime() > nowMs + AHEAD_MAX_MS) throw refused(name, "is in the future");
	}
	if (since && until && since >= until) throw refused("after", "must be earlier than `before`");
	return { since, until };
}

function refused(path: string, message: string) {
	return marketFault.validationError({
		public: `The request is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}

function placeOf(parts: readonly string[]): AccountPlace {
	const [at = 0, block = 0, log = 0, sub = 0, chainId = 0] = parts.map(Number);
	return {
		occurredAtMs: Math.min(at, 8_640_000_000_000_000),
		blockNumber: Math.max(MIN_SAFE_INTEGER, Math.min(block, MAX_SAFE_INTEGER)),
		logIndex: Math.min(log, INT4_MAX),
		subIndex: Math.min(sub, INT4_MAX),
		chainId: Math.min(chainId, MAX_SAFE_INTEGER),
	};
}

function partsOf(place: AccountPlace): string[] {
	const { occurredAtMs, blockNumber, logIndex, subIndex, chainId } = place;
	return [occurredAtMs, blockNumber, logIndex, subIndex, chainId].map(String);
}
