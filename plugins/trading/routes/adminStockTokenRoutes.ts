// Serves operators who review stock tokens and name their price feeds, and stores what they decide.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Audit } from "#core/audit/createAudit.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import { ANY_CASE_ADDRESS_PATTERN } from "#core/chain/hexSchemas.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { isSqlState, type Tx } from "#core/db/Database.ts";
import { CURSOR_PART, createCursor, pageQuery, pageSchema } from "#core/http/pages.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { Core } from "#core/plugin/Core.ts";
import { nextState } from "#core/states.ts";
import { registryFault } from "#plugins/trading/faults.ts";
import { PAGE } from "#plugins/trading/limits.ts";
import { address } from "#plugins/trading/registry/createPools.ts";
import { checkFeeds, FEED_FLAW } from "#plugins/trading/registry/planSync.ts";
import { renderReviewed, reviewedTokenSchema } from "#plugins/trading/renderAsset.ts";
import { pageOf, placeOf } from "#plugins/trading/routes/stockTokenRoutes.ts";
import {
	ASSET_STATUSES,
	type AssetRow,
	assetRows,
	nextStatus,
} from "#plugins/trading/sql/assets.ts";

type AdminStockTokensOptions = {
	core: Pick<Core, "db" | "clock" | "audit" | "operators">;
	chain: Chain;
	rpc: Rpc;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

type Reviewed = { chainId: number; address: Address; actor: string; at: Date };

/** The time limit for one reading of a feed. */
const FEED_TIMEOUT_MS = 5_000;
const REASON_LENGTH_MAX = 500;

const cursor = createCursor("admstocks1", [CURSOR_PART.text, CURSOR_PART.address]);
const about = { tags: ["admin"], security: [{ admin: [] as string[] }] };

const pathSchema = z.object({
	address: address.meta({
		pattern: ANY_CASE_ADDRESS_PATTERN,
		description: "The token's contract.",
		examples: [`0x${"af".repeat(20)}`],
	}),
});
const reviewSchema = z
	.strictObject({
		decision: z.enum(["approve", "refuse"]).meta({
			description: "`approve`: it may be traded. `refuse`: not until somebody approves it.",
		}),
		reason: z
			.string()
			.max(REASON_LENGTH_MAX)
			.optional()
			.meta({ description: "Why, for the audit log.", examples: ["renamed by its issuer"] }),
	})
	.meta({ id: "StockTokenReview", description: "A decision about a token." });
const feedSchema = z
	.strictObject({
		feed: address
			.meta({
				pattern: ANY_CASE_ADDRESS_PATTERN,
				description: "Its price feed; null: it has none, whatever the configuration says.",
				examples: [`0x${"fe".repeat(20)}`],
			})
			.nullable(),
	})
	.meta({ id: "StockTokenFeed", description: "The price feed of a token." });
const listSchema = z
	.object({
		data: z.array(reviewedTokenSchema).meta({ description: "Tokens in any status, by ticker." }),
		page: pageSchema,
	})
	.meta({ id: "ReviewedStockTokenPage", description: "A page of the registry." });

/** Returns the operators' routes: list the registry, and decide about its tokens. */
export function adminStockTokenRoutes(options: AdminStockTokensOptions) {
	return new Elysia({ prefix: "/v1/admin/stock-tokens" })
		.use(listRoute(options))
		.use(reviewRoute(options))
		.use(feedRoute(options));
}

/** Authenticates before validation: without a key a caller learns nothing else. */
function asOperator({ operators }: AdminStockTokensOptions["core"]) {
	return new Elysia().derive({ as: "scoped" }, ({ request }) => ({
		operator: operators.authenticate(request),
	}));
}

function listRoute({ core, chain }: AdminStockTokensOptions) {
	return new Elysia().use(asOperator(core)).get(
		"",
		async ({ query, set }) => {
			set.headers["cache-control"] = "no-store";
			const { status, limit } = query;
			const cursors = cursor.of({ status: status ?? null });
			const after = query.cursor === undefined ? null : placeOf(cursors.decode(query.cursor));
			const statuses = status ? [status] : null;
			const page = { chainId: chain.id, statuses, after, limit: limit + 1 };
			const found = await assetRows.page(core.db, page);
			const data = found.slice(0, limit).map((row) => renderReviewed(row, chain.slug));
			return { data, page: pageOf(found, { limit, encode: cursors.encode }) };
		},
		{
			query: z.object({
				status: z
					.enum(ASSET_STATUSES)
					.optional()
					.meta({ description: "Only tokens in this status." }),
				...pageQuery(PAGE),
			}),
			response: { 200: listSchema },
			detail: {
				...about,
				operationId: "listReviewedStockTokens",
				summary: "Lists the registry with what was taken off and rejected",
				description: "By ticker, in any status, with what the last check on chain found.",
			},
		},
	);
}

function reviewRoute({ core, chain }: AdminStockTokensOptions) {
	const { db, clock, audit } = core;
	return new Elysia().use(asOperator(core)).post(
		"/:address/review",
		async ({ params, body, operator: { actor }, set }) => {
			const { decision, reason = null } = body;
			const at = new Date(clock.nowMs());
			const review = { chainId: chain.id, address: params.address, actor, at, decision, reason };
			const row = await db.transaction((tx) => reviewAsset(tx, review, audit));
			set.headers["cache-control"] = "no-store";
			return renderReviewed(row, chain.slug);
		},
		{
			params: pathSchema,
			body: reviewSchema,
			response: { 200: reviewedTokenSchema },
			detail: {
				...about,
				operationId: "resolveStockToken",
				summary: "Approves or refuses a stock token",
				description:
					"Approves what left the issuer's list and is on it again, or what an operator refused: " +
					"the sync brings neither back. Refuses a token in any status. Written to the audit log.",
				...canFail(
					registryFault.notFound,
					registryFault.assetState,
					registryFault.assetNotListed,
					registryFault.assetFlawed,
					registryFault.symbolTaken,
				),
			},
		},
	);
}

function feedRoute({ core, chain, rpc, ending }: AdminStockTokensOptions) {
	const { db, clock, audit } = core;
	return new Elysia().use(asOperator(core)).put(
		"/:address/feed",
		async ({ params, body: { feed }, operator: { actor }, set }) => {
			const signal = AbortSignal.any([ending, AbortSignal.timeout(FEED_TIMEOUT_MS)]);
			const nowMs = clock.nowMs();
			if (feed !== null) await assertFeed(rpc, { feed, nowMs, signal });
			const at = new Date(nowMs);
			const change = { chainId: chain.id, address: params.address, actor, at, feed };
			const row = await db.transaction((tx) => setFeed(tx, change, audit));
			set.headers["cache-control"] = "no-store";
			return renderReviewed(row, chain.slug);
		},
		{
			params: pathSchema,
			body: feedSchema,
			response: { 200: reviewedTokenSchema },
			detail: {
				...about,
				operationId: "setStockTokenFeed",
				summary: "Names the price feed of a stock token",
				description:
					"The feed must answer now. It counts within seconds, in every process, and stands until " +
					"an operator names another. Written to the audit log.",
				...canFail(registryFault.notFound, registryFault.feedUnreadable),
			},
		},
	);
}

/**
 * Stores an operator's decision about a token, with its entry in the audit log; returns the row.
 * Approving reinstates a token that came back to the list, or that was refused; refusing takes a
 * token off the market until an operator approves it.
 */
async function reviewAsset(
	tx: Tx,
	review: Reviewed & { decision: "approve" | "refuse"; reason: string | null },
	audit: Audit,
): Promise<AssetRow> {
	const { actor, at, decision, reason } = review;
	const row = await lockStock(tx, review);
	const changed = decision === "refuse" ? refused(row, review) : approved(row, at);
	await write(tx, changed);
	await audit.append(tx, {
		actor: `operator:${actor}`,
		action: "trading.stock_token.reviewed",
		subject: `token:${row.chainId}:${row.address}`,
		detail: { decision, reason, symbol: row.symbol, before: row.status, after: changed.status },
	});
	return changed;
}

/**
 * Stores the price feed that an operator sets for a token, or that it has none; returns the row.
 */
async function setFeed(
	tx: Tx,
	change: Reviewed & { feed: Address | null },
	audit: Audit,
): Promise<AssetRow> {
	const { actor, at, feed } = change;
	const row = await lockStock(tx, change);
	const changed = { ...row, feed, feedSetBy: `operator:${actor}`, changedAt: at };
	await assetRows.write(tx, changed);
	await audit.append(tx, {
		actor: `operator:${actor}`,
		action: "trading.stock_token.feed_set",
		subject: `token:${row.chainId}:${row.address}`,
		detail: { symbol: row.symbol, before: row.feed, after: feed },
	});
	return changed;
}

/** Throws `feed_unreadable` unless the address answers as a price feed does. */
async function assertFeed(
	rpc: Rpc,
	{ feed, nowMs, signal }: { feed: Address; nowMs: number; signal: AbortSignal },
): Promise<void> {
	const unreadable = await checkFeeds(rpc, { feeds: [feed], nowMs, signal });
	if (unreadable.has(feed)) throw registryFault.feedUnreadable();
}

function refused(row: AssetRow, { actor, at }: Reviewed): AssetRow {
	const status = nextState(nextStatus, row.status, "refused") ?? row.status;
	return { ...row, status, heldBy: `operator:${actor}`, changedAt: at };
}

function approved(row: AssetRow, at: Date): AssetRow {
	const status = nextState(nextStatus, row.status, "approved");
	if (!status) throw registryFault.assetState();
	if (!row.isListed) throw registryFault.assetNotListed();
	const flaws = row.flaws.filter((flaw) => flaw !== FEED_FLAW);
	if (flaws.length > 0) {
		const found = flaws.join(", ");
		throw registryFault.assetFlawed({ public: `The last check on chain found: ${found}.` });
	}
	return { ...row, status, heldBy: null, unlistedAt: null, changedAt: at };
}

/** Writes the row; throws `symbol_taken` where the unique index finds the ticker in use. */
async function write(tx: Tx, row: AssetRow): Promise<void> {
	try {
		await assetRows.write(tx, row);
	} catch (error) {
		if (isSqlState(error, "unique_violation")) throw registryFault.symbolTaken();
		throw error;
	}
}

async function lockStock(tx: Tx, { chainId, address }: Reviewed): Promise<AssetRow> {
	const row = await assetRows.lock(tx, chainId, address);
	if (row?.kind !== "stock") throw registryFault.notFound();
	return row;
}
